"""A foreign script has a user and a network namespace of its own, or is not run; whoever runs it."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from skillhorizon.skills import jail
from skillhorizon.skills.library import Skill
from skillhorizon.skills.sandbox import SandboxUnavailable, run_script_confined

if TYPE_CHECKING:
    from collections.abc import Iterator

USER, NETWORK = 0x10000000, 0x40000000
NOBODY = 65534
LOOK = """
import ctypes, fcntl, json, socket, struct, sys
sys.path.insert(0, sys.argv[1])
import jail
jail.separate(ctypes.CDLL(None, use_errno=True))
found = {"devices": [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]}
found["routes"] = open("/proc/net/route").read()
asked = struct.pack("16sH14s", b"lo", 0, b"")
found["up"] = struct.unpack("16sH14s", fcntl.ioctl(socket.socket(), 0x8913, asked))[1] & 1
for host in ("127.0.0.1", "192.0.2.1"):
    try:
        socket.create_connection((host, 80), timeout=5)
    except OSError as error:
        found[host] = error.errno
print(json.dumps(found))
"""
ENTER = f"import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare({USER | NETWORK}) != 0)"
TELL = "import json, os\nprint(json.dumps({'user': os.getuid()}))\n"


class Lacking:
    """A C library on a system without one kind of namespace."""

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self.entered: list[int] = []

    def unshare(self, flag: int) -> int:
        if flag == self.kind:
            ctypes.set_errno(errno.EPERM)
            return -1
        self.entered.append(flag)
        return 0


@pytest.mark.parametrize(
    ("kind", "feature", "entered"), [(USER, "a user namespace", []), (NETWORK, "a network namespace", [USER])]
)
def test_a_namespace_that_a_system_refuses_is_named(kind: int, feature: str, entered: list[int]) -> None:
    libc = Lacking(kind)
    with pytest.raises(OSError, match=f"^{feature} is needed, and the system does not give it: Operation not perm"):
        jail.separate(libc)
    assert libc.entered == entered


@pytest.fixture
def script() -> Iterator[Path]:
    """A script that tells which user it is, in a folder that every user may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "scripts" / "tell.py"
        path.parent.mkdir()
        path.write_text(TELL)
        shutil.copy(jail.__file__, folder / "jail.py")
        for each in (folder, path.parent):
            each.chmod(0o755)
        yield path


def jailed(script: Path, *before: str) -> subprocess.CompletedProcess[str]:
    """Run a script in the jail; the words before say how."""
    program = [str(Path(sys.executable).resolve()), "-I", "-S", "-B", str(script.parents[1] / "jail.py")]
    with Path(os.devnull).open("wb") as sign:
        words = [*before, *program, str(script), "10", str(1 << 29), str(1 << 16), str(sign.fileno())]
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            pass_fds=(sign.fileno(),),
        )


@pytest.fixture
def _confining(script: Path) -> None:
    """Skip where the system cannot confine; one that has the namespaces may lack Landlock only."""
    done = jailed(script)
    if done.returncode == jail.UNENFORCED:
        namespaces = subprocess.run([sys.executable, "-c", ENTER], check=False).returncode == 0
        assert not namespaces or "Landlock" in done.stderr, done.stderr
        pytest.skip(done.stderr)


@pytest.mark.usefixtures("_confining")
def test_inside_there_is_a_loopback_that_is_down_and_no_way_anywhere() -> None:
    words = [sys.executable, "-c", LOOK, str(Path(jail.__file__).parent)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["devices"] == ["lo"]
    assert found["routes"].splitlines()[1:] == []
    assert (found["up"], found["127.0.0.1"], found["192.0.2.1"]) == (0, errno.ENETUNREACH, errno.ENETUNREACH)


@pytest.mark.usefixtures("_confining")
def test_a_script_is_nobody_that_the_system_knows(script: Path) -> None:
    done = jailed(script)
    assert (done.returncode, done.stdout.strip()) == (0, f'{{"user": {NOBODY}}}')


@pytest.mark.usefixtures("_confining")
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can become another user")
def test_an_ordinary_user_can_confine_scripts_as_root_can(script: Path) -> None:
    become = ("setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups")
    known = subprocess.run([*become, str(Path(sys.executable).resolve()), "-c", ""], capture_output=True, check=False)
    if known.returncode:
        pytest.skip("this interpreter can be read by its owner only")
    done = jailed(script, *become)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, f'{{"user": {NOBODY}}}', "")


@pytest.mark.usefixtures("_confining")
@pytest.mark.skipif(not shutil.which("unshare"), reason="there is no `unshare`")
@pytest.mark.parametrize(("limit", "feature"), [("user", "a user namespace"), ("net", "a network namespace")])
def test_where_the_kernel_gives_no_namespace_nothing_is_run(script: Path, limit: str, feature: str) -> None:
    forbid = f'echo 0 > /proc/sys/user/max_{limit}_namespaces && exec "$@"'
    done = jailed(script, "unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh")
    assert (done.returncode, done.stdout) == (jail.UNENFORCED, "")
    assert f"{feature} is needed, and the system does not give it" in done.stderr


def test_a_refusal_tells_what_is_missing_and_what_can_be_done(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = tmp_path / "refusing"
    refusing.write_text(f"#!/bin/sh\necho a network namespace is needed >&2\nexit {jail.UNENFORCED}\n")
    refusing.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(refusing))
    skill = Skill(name="tell", description="Tells.", body="Tell.", folder=script.parents[1], scripts=("tell.py",))
    said = r"cannot be confined here \(a network namespace is needed.*--allow-scripts=unconfined runs them"
    with pytest.raises(SandboxUnavailable, match=f"(?s){said}"):
        run_script_confined(skill, "tell.py", {})
