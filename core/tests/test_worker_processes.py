from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import NoReturn

import pytest

from skillhorizon.construction.workers import WorkerLost, run_all


def square(n: int) -> int:
    return n * n


def die_once(path: str) -> str:
    """Kill the worker that first takes the marked job; the mark is gone the second time."""
    mark = Path(path)
    if mark.name.startswith("mine") and mark.exists():
        mark.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return mark.name


def die(name: str) -> str:
    if name == "bad":
        os.kill(os.getpid(), signal.SIGKILL)
    return name


def fail(_job: str) -> NoReturn:
    raise ValueError("no")


def pid(_job: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
def test_every_job_gives_its_result(workers: int) -> None:
    assert {d.job: d.result for d in run_all(square, [1, 2, 3], workers=workers)} == {1: 1, 2: 4, 3: 9}


def test_an_error_is_a_result_of_its_job_alone() -> None:
    assert [str(d.error) for d in run_all(fail, ["a"], workers=1)] == ["no"]


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    jobs = [str(tmp_path / name) for name in ("a", "mine", "b", "c")]
    assert sorted(str(d.result) for d in run_all(die_once, jobs, workers=2)) == ["a", "b", "c", "mine"]


def test_a_job_that_kills_its_worker_twice_is_named() -> None:
    done = {d.job: d for d in run_all(die, ["a", "bad", "b"], workers=2)}
    assert isinstance(done["bad"].error, WorkerLost)
    assert (done["a"].result, done["b"].result) == ("a", "b")


def test_fresh_jobs_share_no_process() -> None:
    assert len({d.result for d in run_all(pid, [1, 2, 3], workers=1, fresh=True)}) == 3


def test_more_fresh_jobs_than_workers_all_end() -> None:
    assert sorted(d.job for d in run_all(pid, range(12), workers=2, fresh=True)) == list(range(12))


def test_a_fresh_job_that_kills_its_worker_is_named_and_the_others_go_on() -> None:
    done = {d.job: d for d in run_all(die, ["a", "bad", "b"], workers=2, fresh=True)}
    assert isinstance(done["bad"].error, WorkerLost)
    assert (done["a"].result, done["b"].result) == ("a", "b")
