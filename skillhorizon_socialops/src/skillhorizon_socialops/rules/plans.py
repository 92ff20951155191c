"""Sizing the holdout and the arms of an experiment (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable

_WHOLE = 10_000


@attrs.frozen
class Split:
    """How many users may be reached, how many are held out, and how many each arm gets."""

    eligible: int
    holdout: int
    arm_a: int
    arm_b: int


def split(segments: Iterable[tuple[int, int]], taken: int, holdout_bp: int, split_bp: int) -> Split:
    """Split the users of some segments (R3).

    Args:
        segments: (size, lapsed_bp) of each audience.
        taken: users in both audiences, and conversions of the suppress credits.
        holdout_bp: the share held out.
        split_bp: the share of the rest that arm b gets.

    >>> split([(42_000, 10_000), (31_500, 10_000)], 5_260 + 41 + 38, 1_000, 5_000)
    Split(eligible=68161, holdout=6816, arm_a=30673, arm_b=30672)
    """
    eligible = sum(size * lapsed // _WHOLE for size, lapsed in segments) - taken
    holdout = eligible * holdout_bp // _WHOLE
    arm_b = (eligible - holdout) * split_bp // _WHOLE
    return Split(eligible, holdout, eligible - holdout - arm_b, arm_b)
