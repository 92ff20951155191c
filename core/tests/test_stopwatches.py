"""Wall time of work that several processes share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from skillhorizon.errors import CorruptFile, StorageError
from skillhorizon.evaluation.stopwatch import Stopwatch, kept_milliseconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def clock(*seconds: float) -> Callable[[], int]:
    left = iter(seconds)
    return lambda: int(next(left) * 10**9)


def test_processes_add_up_what_they_kept(tmp_path: Path) -> None:
    path = tmp_path / "times" / "1.ms"
    first = Stopwatch(path, clock(10, 12.5, 99))
    assert first.keep() == 2500
    assert first.milliseconds == 89_000, "lost: the process dies before it keeps that"
    second = Stopwatch(path, clock(0, 1))
    assert (second.keep(), kept_milliseconds(path)) == (3500, 3500)


def test_work_that_is_done_anew_takes_its_own_time(tmp_path: Path) -> None:
    path = tmp_path / "1.ms"
    path.write_text("9000\n")
    anew = Stopwatch(path, clock(0, 2))
    anew.forget()
    assert anew.keep() == 2000


def test_a_longer_time_stands_in_no_shorter_ones_digits(tmp_path: Path) -> None:
    path = tmp_path / "1.ms"
    path.write_text("9000000000000\n")
    anew = Stopwatch(path, clock(0, 2))
    anew.forget()
    anew.keep()
    assert kept_milliseconds(path) == 2000


def test_a_file_that_was_just_made_keeps_nothing(tmp_path: Path) -> None:
    path = tmp_path / "1.ms"
    path.touch()
    assert kept_milliseconds(path) is None


def test_a_disk_that_takes_no_time_is_told(tmp_path: Path) -> None:
    watch = Stopwatch(tmp_path / "times" / "1.ms", clock(0, 1))
    (tmp_path / "times").touch()
    with pytest.raises(StorageError, match=r"cannot write .*; free space"):
        watch.keep()


def test_without_a_file_nothing_is_kept() -> None:
    assert Stopwatch(clock=clock(0, 3)).keep() == 3000


def test_what_is_no_time_is_named(tmp_path: Path) -> None:
    path = tmp_path / "1.ms"
    assert kept_milliseconds(path) is None
    path.write_text("soon")
    with pytest.raises(CorruptFile, match=r"1\.ms holds no milliseconds"):
        Stopwatch(path)
    with pytest.raises(StorageError, match="cannot read"):
        Stopwatch(tmp_path)
