"""Readings from which R2 finds the true fault, and often a superseded edition or a plain mean another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.composer.catalogue import METRICS, STEPS, Catalogue, Edition
from skillhorizon_fieldops.rows import Reading

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_fieldops.composer.estate import Estate
    from skillhorizon_fieldops.composer.kit import Kit
    from skillhorizon_fieldops.config import FieldConfig

Span = tuple[int, int]
Spot = tuple[Span, ...]
"""A range of values for each metric, in the order of their names."""
_SKEWED_BPS, _CLOSE, _TIGHT = 4_000, 2, 3


@attrs.frozen
class Places:
    """Where readings under some editions may lie, and which fault each place tells.

    Attributes:
        turns: each metric's threshold in the edition in force.
        misleading: fault -> places where a superseded edition says another fault.
        agreeing: fault -> places where all editions say so.
    """

    turns: tuple[int, ...]
    misleading: Mapping[str, Sequence[Spot]]
    agreeing: Mapping[str, Sequence[Spot]]

    def of(self, fault: str, *, misled: bool) -> Sequence[Spot]:
        """Return the places that tell a fault, misleading ones where asked for and possible."""
        first, second = (self.misleading, self.agreeing) if misled else (self.agreeing, self.misleading)
        return first.get(fault) or second[fault]


def readings(rng: Rng, config: FieldConfig, estate: Estate, kit: Kit, catalogue: Catalogue) -> tuple[Reading, ...]:
    """Draw the readings of all devices, by device and metric."""
    tenths = METRICS[config.restoration]
    known: dict[tuple[str, int], Places] = {}
    rows: dict[str, list[Reading]] = {}
    for index, name in enumerate(estate.names):
        subject = kit.models[index], kit.revs[index]
        if subject not in known:
            known[subject] = _places(tenths, catalogue.in_range(*subject))
        places = known[subject]
        spot = rng.choice(places.of(kit.faults[index], misled=index in kit.misled))
        rows[name] = [
            Reading(name, metric, _samples(rng, config, tenths[metric], (span, turn)))
            for metric, span, turn in zip(tenths, spot, places.turns, strict=True)
        ]
    return tuple(row for name in sorted(rows) for row in rows[name])


def _places(tenths: Mapping[str, int], editions: Sequence[Edition]) -> Places:
    """Try every combination of ranges between the thresholds of the editions, the first of which is in force."""
    thresholds = [{rule.metric: rule.threshold for rule in edition.rules if rule.threshold} for edition in editions]
    spans = [_spans(tenth, sorted({each[metric] for each in thresholds})) for metric, tenth in tenths.items()]
    order = {metric: number for number, metric in enumerate(tenths)}
    misleading: dict[str, list[Spot]] = {}
    agreeing: dict[str, list[Spot]] = {}
    for spot in product(*spans):
        fault, *others = (_told(edition, order, spot) for edition in editions)
        (misleading if any(other != fault for other in others) else agreeing).setdefault(fault, []).append(spot)
    return Places(tuple(thresholds[0][metric] for metric in tenths), misleading, agreeing)


def _spans(tenth: int, thresholds: Sequence[int]) -> list[Span]:
    """Return the ranges strictly between the thresholds."""
    marks = [tenth // 2, *thresholds, tenth * STEPS]
    return [(low + 1, high - 1) for low, high in pairwise(marks)]


def _told(edition: Edition, order: Mapping[str, int], spot: Spot) -> str:
    """Return the fault that an edition finds in a place: the first rule that holds there."""
    for rule in edition.rules:
        low = spot[order[rule.metric]][0]
        if low > rule.threshold if rule.op == ">" else low < rule.threshold:
            return rule.fault
    raise AssertionError("unreachable: the last rule holds everywhere")


def _samples(rng: Rng, config: FieldConfig, tenth: int, place: tuple[Span, int]) -> tuple[int, ...]:
    (low, high), turn = place
    if not config.restoration:
        return (rng.integer(low, high),)
    beside = {high: 1, low: -1}.get(turn - 1 if turn > high else turn + 1, 0)
    if beside and rng.chance(_SKEWED_BPS):
        return tuple(rng.shuffled(list(_skewed(rng, tenth, high if beside > 0 else low, beside))))
    return tuple(rng.shuffled(list(_even(rng, tenth, rng.integer(low, high)))))


def _even(rng: Rng, tenth: int, middle: int) -> Iterator[int]:
    """Yield six values whose middle two have the sum 2 * middle, or one more."""
    apart = rng.integer(0, max(1, tenth // 20))
    yield from (middle - apart, middle + apart + rng.integer(0, 1))
    for _ in range(2):
        yield middle - apart - rng.integer(0, tenth // 6)
        yield middle + apart + 1 + rng.integer(0, tenth // 6)


def _skewed(rng: Rng, tenth: int, edge: int, side: int) -> Iterator[int]:
    """Yield six values whose middle lies just inside a threshold and whose mean lies beyond it."""
    middle = edge - side * rng.integer(0, _CLOSE)
    apart = rng.integer(0, _CLOSE)
    yield from (middle - apart, middle + apart + rng.integer(0, 1))
    for _ in range(2):
        yield middle - side * (apart + 1 + rng.integer(0, _TIGHT))
        yield middle + side * (apart + 1 + rng.integer(tenth // 2, tenth))
