"""Rates, lift and winner of an experiment (R7)."""

from __future__ import annotations

import attrs

CONTROL, TEST = "control", "test"
_MILLION, _WHOLE = 1_000_000, 10_000


@attrs.frozen
class Outcome:
    """What a report says: conversions per million users of each arm, the lift in basis points, and the winner."""

    rate_a_ppm: int
    rate_b_ppm: int
    lift_bp: int
    winner: str


@attrs.frozen
class Thresholds:
    """When test may win: enough conversions, enough lift, and a share of the benchmark's rate, if there is one."""

    min_conv: int
    min_lift_bp: int
    benchmark: tuple[int, int] | None = None


def outcome(conv: tuple[int, int], arms: tuple[int, int], asked: Thresholds) -> Outcome:
    """Return what the conversions and users of arms a and b come to (R7).

    >>> found = outcome((9, 13), (30_673, 30_672), Thresholds(8, 600, (310, 8_500)))
    >>> found
    Outcome(rate_a_ppm=293, rate_b_ppm=423, lift_bp=4436, winner='test')
    >>> outcome((9, 13), (30_673, 30_672), Thresholds(8, 600, (500, 8_500))).winner
    'control'
    """
    rate_a, rate_b = (count * _MILLION // max(1, users) for count, users in zip(conv, arms, strict=True))
    lift = (rate_b - rate_a) * _WHOLE // max(1, rate_a)
    wins = sum(conv) >= asked.min_conv and lift >= asked.min_lift_bp and _reaches(rate_b, asked.benchmark)
    return Outcome(rate_a, rate_b, lift, TEST if wins else CONTROL)


def _reaches(rate: int, benchmark: tuple[int, int] | None) -> bool:
    return benchmark is None or rate * _WHOLE >= benchmark[0] * benchmark[1]


def winning_rate(rate_a: int, rate_b: int, winner: str) -> int:
    """Return the rate of the arm that won.

    >>> winning_rate(293, 423, "test"), winning_rate(293, 423, "control")
    (423, 293)
    """
    return rate_b if winner == TEST else rate_a
