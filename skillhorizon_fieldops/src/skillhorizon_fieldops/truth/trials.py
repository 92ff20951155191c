"""What a test measures, and what follows from it (R6): samples out of the task's draws, values, verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import draws

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon import Rng
    from skillhorizon_fieldops.rows import Procedure

Sample = tuple[int, int]
"""raw value, ambient temperature in degrees."""
_ABOVE, _BELOW, _SPREAD = (55, 70), (28, 60), 10
_WARM, _EXTREME_BPS, _EXTREME, _USUAL = 20, 3_000, (20, 25), 25
_COLDEST, _HOTTEST = -5, 45
_SAMPLES = 6
_OFFSET = (5, 25)


def offset(seed_text: str, service: str, version: int) -> int:
    """Return the offset that the commissioning COM:service@version brings."""
    return draws(seed_text, f"COM:{service}", version).integer(*_OFFSET)


def samples(rng: Rng, first: Procedure, *, sound: bool) -> tuple[Sample, ...]:
    """Return the six samples of a test; `first` is edition 1 of the class, `sound` whether the device is restored."""
    above = sound == (first.kind == "min")
    target = first.bound + rng.integer(*_ABOVE) if above else first.bound - rng.integer(*_BELOW)
    if rng.chance(_EXTREME_BPS):
        hot = rng.integer(*_EXTREME) if above else -rng.integer(*_EXTREME)
    else:
        hot = rng.integer(-_USUAL, _USUAL)
    return tuple(_sample(rng, first, target, hot) for _ in range(_SAMPLES))


def _sample(rng: Rng, first: Procedure, target: int, hot: int) -> Sample:
    ambient = min(_HOTTEST, max(_COLDEST, _WARM + hot + rng.integer(-1, 1)))
    corrected = target + rng.integer(-_SPREAD, _SPREAD)
    return -(-corrected * 10_000 // (10_000 + first.coef_bp * (ambient - _WARM))), ambient


def value(taken: Iterable[Sample], procedure: Procedure, offset: int) -> int:
    """Return a test's value: each sample corrected, the lowest and the highest dropped, the rest's mean.

    >>> from skillhorizon_fieldops.rows import Procedure
    >>> taken = [(836, 44), (829, 43), (841, 44), (826, 45), (833, 44), (838, 43)]
    >>> value(taken, Procedure("head", 1, 39, 850, "min"), 12)
    898
    """
    corrected = sorted(raw * (10_000 + procedure.coef_bp * (amb - _WARM)) // 10_000 - offset for raw, amb in taken)
    return mean(corrected[1:-1])


def mean(values: Sequence[int]) -> int:
    """Return the whole mean, rounded down."""
    return sum(values) // len(values)


def passes(found: int, procedure: Procedure) -> bool:
    """Whether a value passes."""
    return found >= procedure.bound if procedure.kind == "min" else found <= procedure.bound
