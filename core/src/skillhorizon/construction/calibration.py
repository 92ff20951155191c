"""Moving the scale knob until the measured workload falls into the band (protocol, section 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon.model.workload import Band

MOST_PROBES = 8


@attrs.frozen
class Probe:
    """One measured knob value."""

    knob: int
    tokens: int


def calibrate(
    measure: Callable[[int], int], bounds: tuple[int, int], target: int, band: Band, *, step: int = 1
) -> Probe | None:
    """Find the knob whose workload lies in the band, nearest to the target.

    Args:
        measure: knob -> measured L_ref in tokens; each call is a reference run.
        bounds: lowest and highest knob.
        target: L_ref aimed at.
        band: where L_ref must lie.
        step: the knob moves in steps of this size from the lower bound.

    Returns:
        The best probe, or None when none of at most 8 falls into the band.

    >>> from skillhorizon.model.workload import Band
    >>> calibrate(lambda knob: 1000 * knob, (5, 40), 12_400, Band("x", 10_000, 20_000))
    Probe(knob=12, tokens=12000)
    """
    low, high = bounds
    found: dict[int, Probe] = {}
    guess = low + (high - low) // (2 * step) * step
    while len(found) < MOST_PROBES:
        found[guess] = Probe(guess, measure(guess))
        guess = _next(sorted(found.values(), key=lambda p: p.knob), bounds, target, step)
        if guess in found:
            break
    fitting = [probe for probe in found.values() if probe.tokens in band]
    return min(fitting, key=lambda p: (abs(p.tokens - target), p.knob), default=None)


def _next(probes: list[Probe], bounds: tuple[int, int], target: int, step: int) -> int:
    """Return the next knob by a secant inside the bracket; one already probed when there is none better."""
    low, high = bounds
    below = [p for p in probes if p.tokens <= target]
    above = [p for p in probes if p.tokens > target]
    if not below or not above:
        edge = probes[0] if not below else probes[-1]
        aimed = edge.knob * target // max(1, edge.tokens)
        aimed = min(aimed, edge.knob - step) if not below else max(aimed, edge.knob + step)
    else:
        left, right = below[-1], above[0]
        if right.knob - left.knob <= step:
            return left.knob
        rise = (target - left.tokens) * (right.knob - left.knob)
        aimed = left.knob + rise // max(1, right.tokens - left.tokens)
        aimed = max(left.knob + step, min(right.knob - step, aimed))
    return max(low, min(high, low + (aimed - low) // step * step))
