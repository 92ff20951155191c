"""Foreign scripts compute and answer, and reach nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from skillhorizon.skills import jail, sandbox
from skillhorizon.skills.library import Skill
from skillhorizon.skills.sandbox import Limits, SandboxUnavailable, require_confinement, run_script_confined
from skillhorizon.skills.scripts import ScriptFailed

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import collections, dataclasses, datetime, decimal, fractions, heapq, json, math, re, sys

def run(data):
    {body}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(json.load(sys.stdin)), separators=(",", ":"), sort_keys=True))
"""


def skill_with(folder: Path, body: str) -> Skill:
    (folder / "scripts").mkdir()
    (folder / "scripts" / "act.py").write_text(PROGRAM.format(body=body), encoding="utf-8")
    (folder / "scripts" / "table.txt").write_text("7", encoding="utf-8")
    return Skill(name="act", description="Acts.", body="Act.", folder=folder, scripts=("act.py",))


@pytest.fixture(autouse=True, scope="module")
def _a_system_that_can_confine(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("probe")
    try:
        run_script_confined(skill_with(folder, "return {}"), "act.py", {})
    except SandboxUnavailable as unavailable:
        pytest.skip(str(unavailable))


def test_a_script_computes_and_reads_its_own_folder(tmp_path: Path) -> None:
    body = "return {'sum': sum(data['numbers']) + int(open(__file__.replace('act.py', 'table.txt')).read())}"
    assert run_script_confined(skill_with(tmp_path, body), "act.py", {"numbers": [1, 2]}) == {"sum": 10}


@pytest.mark.parametrize(
    "body",
    [
        "return open('{secret}').read()",
        "import os; return os.listdir('{folder}')",
        "open(__file__, 'a').write('x')",
        "open('{folder}/new', 'w')",
        "import os; os.remove(__file__)",
        "import socket; socket.socket()",
        "import subprocess; subprocess.run(['/bin/true'])",
        "import os; os.fork()",
        "import threading; threading.Thread(target=print).start()",
        "import os; os.kill({parent}, 0)",
        "import os; os.setuid(0)",
        "import fcntl; fcntl.fcntl(0, fcntl.F_SETOWN, {parent})",
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (100, 100))",
        "return open('/proc/{parent}/environ', 'rb').read()",
        "return open('/etc/passwd').read()",
    ],
)
def test_what_a_script_must_not_have_is_refused(tmp_path: Path, body: str) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("truth", encoding="utf-8")
    filled = body.format(secret=secret, folder=tmp_path, parent=os.getpid())
    with pytest.raises(ScriptFailed, match=r"PermissionError|can't start new thread|not permitted|not allowed"):
        run_script_confined(skill_with(tmp_path, filled), "act.py", {})
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["scripts", "secret.txt"]


@pytest.mark.parametrize(
    ("body", "message", "grace"),
    [
        ("while True: pass", "exit code -", 60),
        ("return {'n': len(bytearray(1 << 30))}", "MemoryError", 60),
        ("return {'text': 'x' * 100000}", "File too large", 60),
        ("raise ValueError('crate 7 has no weight')", "^crate 7 has no weight$", 60),
        ("import time; time.sleep(60)", "did not end within", 1),
    ],
)
def test_limits_end_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str, grace: int
) -> None:
    monkeypatch.setattr(sandbox, "_GRACE_SECONDS", grace)
    with pytest.raises(ScriptFailed, match=message):
        run_script_confined(skill_with(tmp_path, body), "act.py", {}, Limits(seconds=1))


def test_environment_variables_stay_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACK_SECRET", "token")
    body = "import os; return {'set': 'PACK_SECRET' in os.environ}"
    assert run_script_confined(skill_with(tmp_path, body), "act.py", {}) == {"set": False}


def test_a_script_cannot_pass_its_failure_off_as_the_systems(tmp_path: Path) -> None:
    body = f"sys.stderr.write('no such system'); sys.exit({sandbox.UNENFORCED})"
    with pytest.raises(ScriptFailed, match="no such system"):
        run_script_confined(skill_with(tmp_path, body), "act.py", {})


@pytest.mark.skipif(os.geteuid() != 0, reason="only root loses what it may read by entering a user namespace")
def test_a_folder_that_the_jail_cannot_read_is_the_systems_fault_and_told_before(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "pack").mkdir(parents=True)
    skill = skill_with(closed / "pack", "return {}")
    os.chown(closed, 1000, 1000)
    closed.chmod(0o700)
    for asked in (lambda: require_confinement(closed / "pack"), lambda: run_script_confined(skill, "act.py", {})):
        with pytest.raises(SandboxUnavailable, match="Permission denied"):
            asked()


def test_a_jail_that_cannot_confine_runs_nothing(tmp_path: Path) -> None:
    skill = skill_with(tmp_path, "return {}")
    command = [sys.executable, jail.__file__, str(skill.script("act.py")), "many", "0", "0"]
    done = subprocess.run(command, input=b"{}", capture_output=True, check=False)
    assert done.returncode == jail.UNENFORCED == sandbox.UNENFORCED
    assert done.stdout == b""
