"""Totals of a source and the roll-forward of a stage (R7, R8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Total = tuple[str, int, int]
"""(entity, count, net minor units)."""

ENTITIES = tuple(f"E{n:02}" for n in range(1, 13))
"""The twelve entities."""


def record_totals(records: Iterable[tuple[str, int]]) -> list[Total]:
    """Return (entity, count, net) of sales records given as (entity, minor), by entity (R7).

    >>> record_totals([("E05", 10901), ("E08", -1849), ("E05", 99)])
    [('E05', 2, 11000), ('E08', 1, -1849)]
    """
    amounts: dict[str, list[int]] = {}
    for entity, minor in records:
        amounts.setdefault(entity, []).append(minor)
    return [(entity, len(found), sum(found)) for entity, found in sorted(amounts.items())]


def match_totals(settled: Iterable[tuple[str, int]], entities: Mapping[str, str]) -> list[Total]:
    """Return (entity, receipts, net) of a remittance, by the receipt's entity (R7).

    Args:
        settled: (pay, applied + discount + writeoff) of each line and (pay, amount) of each on-account row.
        entities: the entity of each receipt, by payment id.

    >>> settled = [("Q4071", 10000), ("Q4072", 4000), ("Q4072", 2000), ("Q4073", 700)]
    >>> match_totals(settled, {"Q4071": "E05", "Q4072": "E05", "Q4073": "E05"})
    [('E05', 3, -16700)]
    """
    nets = dict.fromkeys(entities.values(), 0)
    for pay, amount in settled:
        nets[entities[pay]] -= amount
    counts = list(entities.values())
    return [(entity, counts.count(entity), nets[entity]) for entity in sorted(nets)]


def roll(opening: Mapping[str, int], totals: Iterable[Total]) -> tuple[dict[str, int], dict[str, int]]:
    """Return (movement, closing) of a stage for all twelve entities (R8).

    >>> movement, closing = roll(dict.fromkeys(ENTITIES, 100), [("E05", 3, -16700), ("E05", 1, 700)])
    >>> movement["E05"], closing["E05"], closing["E12"]
    (-16000, -15900, 100)
    """
    movement = dict.fromkeys(ENTITIES, 0)
    for entity, _, net in totals:
        movement[entity] += net
    return movement, {entity: opening[entity] + movement[entity] for entity in ENTITIES}
