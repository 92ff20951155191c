"""Wall time that several commands share: a measurement, kept apart from the journals, which must be equal."""

from __future__ import annotations

import os
from time import monotonic_ns
from typing import TYPE_CHECKING

from skillhorizon.errors import CorruptFile, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TIMES = "times"
"""The folder of a run that holds them: `run.ms`, and `TASK/TRIAL.ms` of executions that can be gone on with."""
_WIDTH = 15
"""Digits: thirty thousand years."""


class Stopwatch:
    """Adds this process's time to what earlier ones kept.

    Args:
        path: the file that keeps it, in milliseconds; None keeps nothing.
        clock: nanoseconds that only go forward.

    Raises:
        CorruptFile, StorageError: when the file cannot be read.
    """

    def __init__(self, path: Path | None = None, clock: Callable[[], int] = monotonic_ns) -> None:
        self._path, self._clock, self._start = path, clock, clock()
        self._earlier = (kept_milliseconds(path) if path is not None else None) or 0

    def forget(self) -> None:
        """Leave out what earlier processes kept: their work is done anew."""
        self._earlier = 0

    @property
    def milliseconds(self) -> int:
        """The time so far, earlier processes included."""
        return self._earlier + (self._clock() - self._start) // 1_000_000

    def keep(self) -> int:
        """Write down the time so far and return it: whoever is killed now has lost none of it.

        Raises:
            StorageError: when the disk does not take it.
        """
        so_far = self.milliseconds
        if self._path is not None:
            _write(self._path, so_far)
        return so_far


def _write(path: Path, milliseconds: int) -> None:
    """Write in place: one write of always the same width, which no kill tears, and no file for each turn."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            os.write(file, b"%*d\n" % (_WIDTH, milliseconds))
        finally:
            os.close(file)
    except OSError as error:
        raise StorageError(
            f"cannot write {path}: {error.strerror}; free space, then give the same command again: "
            "what was done is kept"
        ) from error


def kept_milliseconds(path: Path) -> int | None:
    """Return the time that a file keeps, None when there is none, or the process died while it made it.

    Raises:
        CorruptFile: when it holds no time.
        StorageError: when it cannot be read.
    """
    try:
        data = path.read_bytes()
        return int(data) if data else None
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise CorruptFile(f"{path} holds no milliseconds ({error}); delete it: the time before is lost") from error
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}; check the path and its permissions") from error
