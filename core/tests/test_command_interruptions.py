"""What stops a command from outside: Ctrl-C and a full disk. What was done is kept, and the same command goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from time import monotonic, sleep
from typing import TYPE_CHECKING

import pytest

from skillhorizon.construction.suites import load_suite

if TYPE_CHECKING:
    from pathlib import Path

TASKS = 40
PATIENCE = 60
SHZ = [sys.executable, "-m", "skillhorizon"]
posix = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


@pytest.fixture
def env(bakery_home: Path) -> dict[str, str]:
    here = os.path.dirname(__file__)  # noqa: PTH120  # a piece of an import path
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(bakery_home), here])}


def generate(out: Path, count: int) -> list[str]:
    return [*SHZ, "generate", "bakery", "--bands", "smoke", "--per-band", str(count), "--out", str(out)]


def wait_for(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until a folder holds so many finished files, as long as the process works."""
    start = monotonic()
    while len(list(folder.glob("*.json"))) < count:
        assert process.poll() is None, process.communicate()
        assert monotonic() - start < PATIENCE
        sleep(0.05)


@posix
def test_ctrl_c_ends_generation_with_130_and_the_same_command_goes_on(tmp_path: Path, env: dict[str, str]) -> None:
    out = tmp_path / "suite"
    process = subprocess.Popen(
        generate(out, TASKS), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    wait_for(out / "tasks", 2, process)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, stderr
    assert stderr.strip().count("\n") == 0
    assert f"the tasks that were proven stay in {out}" in stderr
    proven = {path.name: path.stat().st_mtime_ns for path in (out / "tasks").glob("*.json")}
    assert 2 <= len(proven) < TASKS
    subprocess.run(generate(out, TASKS), env=env, check=True, capture_output=True)
    assert len(load_suite(out).tasks) == TASKS
    assert proven == {name: (out / "tasks" / name).stat().st_mtime_ns for name in proven}


@posix
def test_a_full_disk_is_told_and_the_same_command_goes_on(tmp_path: Path, env: dict[str, str]) -> None:
    out = tmp_path / "suite"
    words = [*generate(out, 1), "--workers", "1"]
    limited = ["bash", "-c", 'ulimit -f 2 && exec "$@"', "bash", *words]
    done = subprocess.run(limited, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert "cannot write" in done.stderr
    assert "then give the same command again: what was done is kept" in done.stderr
    assert list((out / "tasks").iterdir()) == []
    assert subprocess.run(words, env=env, check=False).returncode == 0
