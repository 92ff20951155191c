"""A program that runs one script after giving up everything the script must not have.

`python jail.py SCRIPT SECONDS MEMORY_BYTES OUTPUT_BYTES SIGN`: stdin and stdout are the script's. The process gets a
user and a network namespace of its own, without a way out, not even a loopback that is up; its resource limits bound
processor time, memory and output; Landlock closes every file but the standard library and the script's own folder;
seccomp refuses every system call that is not listed here, and so sockets, other processes and signals. When one of
these cannot be enforced, nothing is run, the exit code is `UNENFORCED`, and stderr names what is missing; else a byte
is written to the descriptor SIGN, which is closed before the script begins.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import runpy
import struct
import sys
import sysconfig
from pathlib import Path
from typing import Any

UNENFORCED = 77

_NAMESPACES = {0x10000000: "a user namespace", 0x40000000: "a network namespace"}
_LEAST_LANDLOCK = 3
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_ALL_RIGHTS = (1 << 15) - 1
_RIGHTS_OF_DEVICES = {5: 1 << 15}
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER_MODE = 38, 22, 2

_X86_64 = 0xC000003E
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_KILL, _ALLOW, _REFUSE = 0x80000000, 0x7FFF0000, 0x00050000 | errno.EPERM
# Numbers of x86_64: what an interpreter needs to import its library, compute, read stdin and write stdout.
_ALLOWED = {
    "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8,
    "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "pread64": 17, "access": 21, "select": 23, "sched_yield": 24, "mremap": 25, "madvise": 28,
    "nanosleep": 35, "getpid": 39, "exit": 60, "uname": 63, "getcwd": 79, "readlink": 89, "gettimeofday": 96,
    "sysinfo": 99, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "sigaltstack": 131, "gettid": 186,
    "futex": 202, "sched_getaffinity": 204, "getdents64": 217, "clock_gettime": 228, "clock_getres": 229,
    "clock_nanosleep": 230, "exit_group": 231, "openat": 257, "newfstatat": 262, "readlinkat": 267,
    "set_robust_list": 273, "getrandom": 318, "statx": 332, "rseq": 334, "faccessat2": 439,
}  # fmt: skip


def limit_resources(seconds: int, memory: int, output: int) -> None:
    """Limit processor time in seconds, and address space and the size of written files in bytes."""
    for kind, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, output),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def separate(libc: Any) -> None:
    """Enter a user namespace of one's own, and in it a network namespace that is connected to nothing.

    Raises:
        OSError: when the system has no such namespaces, or gives this user none; it names the one that is missing.
    """
    for flag, feature in _NAMESPACES.items():  # apart, so that the fault tells which; the second needs the first
        _done(libc.unshare(flag), feature)


def confine_files(libc: ctypes.CDLL, readable: list[Path]) -> None:
    """Leave only reading, and only below the given paths.

    Raises:
        OSError: when the kernel cannot enforce it.
    """
    feature = "Landlock"
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < _LEAST_LANDLOCK:
        raise OSError(f"Landlock {_LEAST_LANDLOCK} is needed, the kernel offers {max(version, 0)}")
    devices = sum(right for since, right in _RIGHTS_OF_DEVICES.items() if version >= since)
    handled = struct.pack("=Q", _ALL_RIGHTS | devices)
    ruleset = _done(libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0), feature)
    for path in readable:
        _allow_reading(libc, ruleset, path)
    _done(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), feature)
    _done(libc.syscall(_RESTRICT_SELF, ruleset, 0), feature)
    os.close(ruleset)


def _allow_reading(libc: ctypes.CDLL, ruleset: int, path: Path) -> None:
    rights = _READ_FILE | _READ_FOLDER if path.is_dir() else _READ_FILE
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    _done(libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, opened), 0), f"Landlock's rule for {path}")
    os.close(opened)


def confine_calls(libc: ctypes.CDLL) -> None:
    """Refuse every system call but the allowed ones.

    Raises:
        OSError: when the kernel cannot enforce it.
    """
    numbers = sorted(_ALLOWED.values())
    lines = [
        (_LOAD, 0, 0, 4),
        (_JUMP_IF_EQUAL, 1, 0, _X86_64),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        *((_JUMP_IF_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    program = struct.pack("@HP", len(lines), ctypes.addressof(code))
    _done(libc.prctl(_SET_SECCOMP, _FILTER_MODE, program, 0, 0), "a seccomp filter")


def library_paths() -> list[Path]:
    """Return where the standard library and the shared libraries it links to lie."""
    own = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), f"{sys.base_prefix}/lib")
    system = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
    return sorted(path for path in {Path(name).resolve() for name in (*own, *system)} if path.exists())


def confine(folder: Path, limits: tuple[int, int, int]) -> None:
    """Give up what the script must not have; `limits` are seconds, bytes of memory and bytes of output.

    Raises:
        OSError: when something cannot be enforced.
    """
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise OSError("scripts can be confined on Linux x86_64 only")
    libc = ctypes.CDLL(None, use_errno=True)
    separate(libc)
    limit_resources(*limits)
    confine_files(libc, [*library_paths(), folder])
    confine_calls(libc)


def main() -> None:
    """Confine this process, then run the script as a program."""
    script, *numbers = sys.argv[1:]
    path = Path(script).resolve()
    try:
        seconds, memory, output, sign = map(int, numbers)
        confine(path.parent, (seconds, memory, output))
    except (OSError, ValueError) as error:
        sys.stderr.write(str(error))
        sys.exit(UNENFORCED)
    os.write(sign, b"!")
    os.close(sign)
    sys.argv = [script]
    runpy.run_path(str(path), run_name="__main__")


def _done(result: int, feature: str) -> int:
    if result < 0:
        raise OSError(f"{feature} is needed, and the system does not give it: {os.strerror(ctypes.get_errno())}")
    return result


if __name__ == "__main__":
    main()
