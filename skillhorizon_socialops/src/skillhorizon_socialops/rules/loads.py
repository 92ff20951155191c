"""What audiences still carry of earlier publications (R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LOOKBACK = 2_880
"""Publications of so many minutes count."""
STEP = 480
_WHOLE = 10_000


def decayed(weight: int, steps: int, retention_bp: int) -> int:
    """Return what is left of a weight after some steps, rounded down at each.

    >>> decayed(210, 6, 8000), decayed(420, 2, 8000), decayed(180, 0, 8000)
    (54, 268, 180)
    """
    for _ in range(steps):
        weight = weight * retention_bp // _WHOLE
    return weight


def load(clock: int, made: Iterable[tuple[int, int]], retention_bp: int) -> int:
    """Return an audience's load at a minute from its publications (at, weight) within the lookback.

    >>> made = [(3300, 210), (5220, 420), (5760, 180)]
    >>> load(6180, made, 8000), load(6180, made, 7500)
    (502, 452)
    """
    carried = 0
    for at, weight in made:
        carried += decayed(weight, (clock - at) // STEP, retention_bp)
    return carried
