"""What audiences have seen: publications as they happened, their decayed loads, and lineages (R4, R5)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LOOKBACK_MIN = 2_880
_STEP_MIN = 480
_WHOLE = 10_000
_place = attrgetter("at", "post", "call")
"""What publications are ordered by."""


class Run(NamedTuple):
    """A publication that happened: when, of which post, and in which call (0 before the task)."""

    at: int
    post: str
    weight: int
    call: int


def remaining(weight: int, steps: int, retention_bp: int) -> int:
    """Return what is left of a weight after some steps of 480 minutes.

    >>> remaining(210, 6, 8_000), remaining(420, 2, 8_000), remaining(180, 0, 8_000)
    (54, 268, 180)
    """
    for _ in range(steps):
        weight = weight * retention_bp // _WHOLE
    return weight


def load(runs: Iterable[Run], minute: int, retention_bp: int) -> int:
    """Return what an audience still carries of its publications.

    >>> seen = [Run(3_300, "x", 210, 0), Run(5_220, "y", 420, 0), Run(5_760, "z", 180, 0)]
    >>> load(seen, 6_180, 8_000), load(seen, 6_180, 7_500)
    (502, 452)
    """
    carried = 0
    for at, _, weight, _ in runs:
        carried += remaining(weight, (minute - at) // _STEP_MIN, retention_bp)
    return carried


class Exposure:
    """The publications that reached each audience, seed and house posts included, by (at, post)."""

    def __init__(self, reached: Mapping[str, Iterable[Run]]) -> None:
        self._runs = {audience: sorted(runs, key=_place) for audience, runs in reached.items()}
        self._minutes = {audience: [run.at for run in runs] for audience, runs in self._runs.items()}

    def window(self, audience: str, minute: int, call: int) -> list[Run]:
        """Return an audience's publications of the last 2,880 minutes that happened before a call (R5)."""
        minutes = self._minutes[audience]
        first, last = bisect_left(minutes, minute - LOOKBACK_MIN), bisect_right(minutes, minute)
        return [run for run in self._runs[audience][first:last] if run.call < call]

    def last(self, audience: str, minute: int, call: int) -> int | None:
        """Return when an audience was last reached before a call."""
        place = bisect_right(self._minutes[audience], minute)
        return next((run.at for run in reversed(self._runs[audience][:place]) if run.call < call), None)


def lineage(upstream: Iterable[Iterable[Run]]) -> list[str]:
    """Return the posts of each upstream's publications by (at, post), one element per publication (R4).

    >>> one = [Run(300, "d", 1, 3), Run(100, "a", 1, 1), Run(900, "d", 1, 9)]
    >>> lineage([one, one[:1]])
    ['a', 'd', 'd', 'd']
    """
    return [run.post for runs in upstream for run in sorted(runs, key=_place)]
