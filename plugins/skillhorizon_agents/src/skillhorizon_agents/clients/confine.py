"""A program that runs a command whose processes cannot read certain folders (Landlock, Linux).

`python confine.py COMMAND ARGUMENT...` with the folders in `SHZ_CLOSED`, separated by `:`. Everything else stays as it
is. What the command starts is bound like itself; none of them can look into processes outside, or signal them where
the kernel can refuse that. When this cannot be enforced, nothing is run and the exit code is `UNENFORCED`.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

CLOSED = "SHZ_CLOSED"
UNENFORCED = 77
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_DROP_FOR_GOOD = 24
_SYS_PTRACE, _SYS_ADMIN, _PERFMON = 19, 21, 38
_READ_FILE = 1 << 2
_SIGNALS = 1 << 1
_SINCE_SIGNALS = 6


def landlock() -> int:
    """Return the version of Landlock that the kernel offers, 0 when it offers none."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    return max(int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)), 0)


def readable(closed: list[Path], folder: Path = Path("/")) -> list[Path]:
    """Return the paths that stay readable: what lies beside the closed folders and the folders above them.

    >>> from pathlib import Path
    >>> Path("/usr") in readable([Path("/home/me/suite")])
    True
    """
    found: list[Path] = []
    for inner in sorted(folder.iterdir()):
        if inner.is_symlink() or inner in closed:
            continue  # where a link leads is readable by itself, or closed
        if any(path.is_relative_to(inner) for path in closed):
            found += readable(closed, inner)
        else:
            found.append(inner)
    return found


def close(folders: list[Path]) -> None:
    """Close folders to this process and what it starts.

    Raises:
        OSError: when the kernel cannot enforce it.
    """
    version = landlock()
    if version < 1:
        raise OSError("the kernel offers no Landlock")
    libc = ctypes.CDLL(None, use_errno=True)
    rules = struct.pack("=QQQ", _READ_FILE, 0, _SIGNALS if version >= _SINCE_SIGNALS else 0)
    size = len(rules) if version >= _SINCE_SIGNALS else 8
    ruleset = _done(libc.syscall(_CREATE_RULESET, rules, ctypes.c_size_t(size), 0))
    for path in readable([folder.resolve() for folder in folders]):
        try:
            opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:  # gone since it was listed, such as another client's folder
            continue
        _done(libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", _READ_FILE, opened), 0))
        os.close(opened)
    for capability in (_SYS_PTRACE, _SYS_ADMIN, _PERFMON):
        libc.prctl(_DROP_FOR_GOOD, capability, 0, 0, 0)  # root may look into processes by them; nobody else has any
    _done(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _done(libc.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _done(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def main() -> None:
    """Close the folders, then become the command."""
    try:
        close([Path(name) for name in os.environ.pop(CLOSED).split(os.pathsep)])
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(UNENFORCED)
    os.execvp(sys.argv[1], sys.argv[1:])  # noqa: S606  # the user's own command, which becomes this process


if __name__ == "__main__":
    main()
