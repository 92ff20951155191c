"""Which fault a device has (R2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from skillhorizon_fieldops.rows import Manual, Rule


def told(rules: Iterable[Rule], levels: Mapping[str, int]) -> str:
    """Return the fault of the first rule by rank that holds; `levels` holds one value per metric.

    Raises:
        LookupError: when no rule holds.
    """
    for rule in sorted(rules, key=lambda rule: rule.rank):
        level = levels[rule.metric]
        if level > rule.threshold if rule.op == ">" else level < rule.threshold:
            return rule.fault
    raise LookupError("no rule holds; the last one of an edition always does")


def level(samples: Sequence[int]) -> int:
    """Return a metric's value: of six readings the middle two's half sum, else the one reading.

    >>> level((71, 83, 79, 90, 64, 83)), level((398, 421, 412, 405, 430, 409)), level((7,))
    (81, 410, 7)
    """
    ordered, half = sorted(samples), len(samples) // 2
    return (ordered[half - 1] + ordered[half]) // 2 if len(samples) > 1 else ordered[0]


def diagnose(
    manuals: Iterable[Manual],
    rules: Mapping[str, Sequence[Rule]],
    hw_rev: int,
    readings: Mapping[str, Sequence[int]],
) -> tuple[str, str]:
    """Return (edition, fault) of a device under its model's manuals: the edition in range with the highest issue."""
    edition = max((m for m in manuals if m.rev_lo <= hw_rev <= m.rev_hi), key=lambda m: m.issue).edition
    return edition, told(rules[edition], {metric: level(values) for metric, values in readings.items()})
