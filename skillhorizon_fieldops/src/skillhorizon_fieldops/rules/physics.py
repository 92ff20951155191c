"""What a test measures: six samples around a target that no procedure's edition and no offset judges otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from skillhorizon import Rng

PASS, FAIL = "pass", "fail"
SAMPLES = 6
_ABOVE, _BELOW = (55, 70), (28, 60)
_MISLEADING_BP = 3_000
_MISLEADING, _HOTTEST = (20, 25), 25
_COLDEST_AMBIENT, _MIDDLE_AMBIENT, _HOTTEST_AMBIENT = -5, 20, 45
_SPREAD = 10
_WHOLE = 10_000


class Edition(Protocol):
    """A procedure's edition: its coefficient in basis points a degree, its limit, and the limit's kind."""

    @property
    def coef_bp(self) -> int:
        """Temperature coefficient."""

    @property
    def bound(self) -> int:
        """Limit."""

    @property
    def kind(self) -> str:
        """`min` or `max`."""


def samples(rng: Rng, first: Edition, *, passes: bool) -> list[list[int]]:
    """Return six [raw, ambient degrees] samples of a test that passes or fails.

    The ambient temperature makes raw readings look like the other verdict in three of ten tests.

    Args:
        rng: the draws of that version of the test.
        first: the first edition of the class's procedure.
        passes: whether the device is sound.
    """
    above = passes == (first.kind == "min")
    target = first.bound + (rng.integer(*_ABOVE) if above else -rng.integer(*_BELOW))
    if rng.chance(_MISLEADING_BP):
        hot = rng.integer(*_MISLEADING) if above else -rng.integer(*_MISLEADING)
    else:
        hot = rng.integer(-_HOTTEST, _HOTTEST)
    return [_sample(rng, first.coef_bp, target, hot) for _ in range(SAMPLES)]


def _sample(rng: Rng, coef_bp: int, target: int, hot: int) -> list[int]:
    ambient = min(_HOTTEST_AMBIENT, max(_COLDEST_AMBIENT, _MIDDLE_AMBIENT + hot + rng.integer(-1, 1)))
    corrected = target + rng.integer(-_SPREAD, _SPREAD)
    return [-(-corrected * _WHOLE // (_WHOLE + coef_bp * (ambient - _MIDDLE_AMBIENT))), ambient]
