"""How large arms are (R3), and which of them wins (R7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable

_WHOLE, _MILLION = 10_000, 1_000_000
TEST, CONTROL = "test", "control"


@attrs.frozen
class Sizes:
    """People who may be reached, held out, and shown either arm."""

    eligible: int
    holdout: int
    arm_a: int
    arm_b: int


def sizes(reach: int, suppressed: Iterable[int], holdout_bp: int, split_bp: int) -> Sizes:
    """Divide an audience; `suppressed` has one count per suppress row.

    >>> sizes(68_240, [41, 38], 1_000, 5_000)
    Sizes(eligible=68161, holdout=6816, arm_a=30673, arm_b=30672)
    """
    eligible = reach - sum(suppressed)
    holdout = eligible * holdout_bp // _WHOLE
    shown = eligible - holdout
    arm_b = shown * split_bp // _WHOLE
    return Sizes(eligible, holdout, shown - arm_b, arm_b)


@attrs.frozen
class Thresholds:
    """What a test arm must reach: orders of both arms, lift, and share of the benchmark's rate."""

    min_conv: int
    min_lift_bp: int
    benchmark_bp: int


@attrs.frozen
class Verdict:
    """Rates per million, lift in basis points, and the winner."""

    rate_a_ppm: int
    rate_b_ppm: int
    lift_bp: int
    winner: str

    @property
    def best_ppm(self) -> int:
        """The winning arm's rate."""
        return self.rate_b_ppm if self.winner == TEST else self.rate_a_ppm


def verdict(conv: tuple[int, int], arms: tuple[int, int], asked: Thresholds, benchmark_ppm: int | None) -> Verdict:
    """Decide an experiment.

    Args:
        conv: orders of arms a and b.
        arms: people shown each.
        asked: the brief's thresholds.
        benchmark_ppm: the rate to compare with, None without a benchmark row.

    >>> verdict((9, 13), (30_673, 30_672), Thresholds(8, 500, 8_500), 310)
    Verdict(rate_a_ppm=293, rate_b_ppm=423, lift_bp=4436, winner='test')
    """
    rate_a, rate_b = (conv[arm] * _MILLION // arms[arm] for arm in (0, 1))
    lift = (rate_b - rate_a) * _WHOLE // max(1, rate_a)
    wins = sum(conv) >= asked.min_conv and lift >= asked.min_lift_bp
    if benchmark_ppm is not None:
        wins = wins and rate_b * _WHOLE >= benchmark_ppm * asked.benchmark_bp
    return Verdict(rate_a, rate_b, lift, TEST if wins else CONTROL)
