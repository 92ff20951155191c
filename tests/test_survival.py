"""Commands that are killed again and again end in the same results once they are given again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from skillhorizon import Rng, loads

if TYPE_CHECKING:
    from pathlib import Path

KILLS = 20
MANY = ("--bands", "smoke", "--per-band", "9")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def shz(*words: str) -> list[str]:
    return [sys.executable, "-m", "skillhorizon", *words]


def whole(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kill_often(command: list[str], folder: Path, rng: Rng) -> int:
    """Give a command and kill it at random moments, its process alone or with its workers; return how often it died."""
    died = 0
    for kill in range(KILLS):
        running = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(rng.integer(300, 2500) / 1000)
        if running.poll() is None:
            died += 1
            if kill % 2:
                os.killpg(running.pid, signal.SIGKILL)
            else:
                running.kill()
        running.wait()
    return died


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_generation_killed_twenty_times_writes_the_same_suite(tmp_path: Path) -> None:
    command = ["generate", "financeops", *MANY, "--out", "suite"]
    for name in ("calm", "stormy"):
        (tmp_path / name).mkdir()
    whole(shz(*command), tmp_path / "calm")
    died = kill_often(shz(*command), tmp_path / "stormy", Rng("survival", "generate"))
    whole(shz(*command), tmp_path / "stormy")
    assert died > 0
    assert contents(tmp_path / "stormy" / "suite") == contents(tmp_path / "calm" / "suite")


def test_an_evaluation_killed_twenty_times_gives_the_same_scores_and_journals(tmp_path: Path) -> None:
    whole(shz("generate", "financeops", *MANY, "--out", "suite"), tmp_path)
    command = ["eval", "suite", "--agent", "reference", "--trials", "2", "--json", "--out"]
    calm = whole(shz(*command, "calm"), tmp_path)
    died = kill_often(shz(*command, "stormy"), tmp_path, Rng("survival", "eval"))
    stormy = whole(shz(*command, "stormy"), tmp_path)
    assert died > 0
    assert loads(stormy) == loads(calm)
    assert contents(tmp_path / "stormy" / "journals") == contents(tmp_path / "calm" / "journals")
