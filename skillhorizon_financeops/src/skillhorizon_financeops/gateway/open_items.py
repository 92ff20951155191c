"""The open items of lockboxes, kept up as normalizations and matches are made (R6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skillhorizon import World, digest, dumps
from skillhorizon_financeops.gateway.released import last_opened
from skillhorizon_financeops.reference import open_key
from skillhorizon_financeops.rows import NEVER, Receivable, Settlement, Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from skillhorizon_financeops.gateway.arguments import Line

TERM = 150
"""Days from an item's day until it is due."""
Given = Sequence[tuple[str, str, str, int]]
"""order, alias, entity and minor units of records."""
OpenRow = tuple[str, str, int, int, int, int]
"""item, entity, amount, open, day, due."""
# The unary plus keeps SQLite from walking all items of earlier stages instead of those that are not settled.
_LIST = """
    SELECT r.item, r.entity, r.amount,
        r.amount - coalesce((SELECT sum(s.amount) FROM settlement s WHERE s.item = r.item AND s.stage < ?), 0),
        r.day, r.due
    FROM receivable r WHERE r.lockbox = ? AND r.closed_at >= ? AND +r.stage < ? ORDER BY r.item"""
_CLOSE = """
    UPDATE receivable SET closed_at = coalesce((
        SELECT min(s.stage) FROM settlement s WHERE s.item = receivable.item AND receivable.amount <= (
            SELECT sum(t.amount) FROM settlement t WHERE t.item = s.item AND t.stage <= s.stage)), ?)
    WHERE item IN (SELECT value FROM json_each(?))"""
_ENTITIES = "SELECT DISTINCT entity FROM receivable WHERE item IN (SELECT value FROM json_each(?))"


def open_items(world: World, lockbox: str, stage: int) -> list[OpenRow]:
    """Return the list of (lockbox, stage): what is open before the stage's own match, by item (R6)."""
    return world.sql(_LIST, stage, lockbox, stage, stage)


def entity_tokens(items: Iterable[OpenRow], entities: Iterable[str]) -> dict[str, str]:
    """Return the digest of some entities' parts of a list, by entity."""
    parts: dict[str, list[OpenRow]] = {entity: [] for entity in sorted(set(entities))}
    for item in items:
        if item[1] in parts:
            parts[item[1]].append(item)
    return {entity: digest(part) for entity, part in parts.items()}


def record_sales(world: World, source: Source, version: int, records: Given) -> None:
    """Take a version of a sales source's records as its lockbox's items; sources without lockbox have none."""
    if source.lockbox is None or source.kind != "sales":
        return
    box, stage, day, due = source.lockbox, source.stage, source.day, source.day + TERM
    after = {
        order: Receivable(order, box, entity, minor, day, due, stage, NEVER)
        for order, _, entity, minor in records
        if minor > 0
    }
    if version == 1:
        world.insert(*after.values())
        return
    before = {each.item: each for each in world.select(Receivable, lockbox=source.lockbox, stage=source.stage)}
    for item in before:
        world.delete(Receivable, item)
    world.insert(*after.values())
    _close(world, after)
    both = (before, after)
    changed = {item for item in {*before, *after} if len({_value(rows.get(item)) for rows in both}) > 1}
    touched = {rows[item].entity for rows in both for item in changed if item in rows}
    _refresh(world, source.lockbox, source.stage, touched)


def _value(item: Receivable | None) -> tuple[str, int] | None:
    return None if item is None else (item.entity, item.amount)


def _close(world: World, items: Collection[str]) -> None:
    """Set, for each item, the stage whose match leaves nothing open of it."""
    world.sql(_CLOSE, NEVER, dumps(sorted(items)))


def record_match(world: World, source: Source, lockbox: str, lines: Iterable[Line]) -> None:
    """Take a version of a remittance's match as what it settles."""
    before = {row.item: row for row in world.select(Settlement, source_id=source.source_id)}
    after = _settlements(source, lines)
    for item in before:
        world.delete(Settlement, source.source_id, item)
    world.insert(*after.values())
    changed = sorted([item for item in {*before, *after} if before.get(item) != after.get(item)])
    _close(world, changed)
    if last_opened(world) > source.stage:
        _refresh(world, lockbox, source.stage, {entity for (entity,) in world.sql(_ENTITIES, dumps(changed))})


def _settlements(source: Source, lines: Iterable[Line]) -> Mapping[str, Settlement]:
    sums: dict[str, int] = {}
    for line in lines:
        sums[line.item] = sums.get(line.item, 0) + line.settled
    return {item: Settlement(source.source_id, item, source.stage, amount) for item, amount in sums.items()}


def _refresh(world: World, lockbox: str, stage: int, entities: Collection[str]) -> None:
    """Give the watched lists of later stages their present tokens, for the entities touched."""
    for later in range(stage + 1, last_opened(world) + 1):
        prefix = open_key(lockbox, later, "")
        watched = {key.removeprefix(prefix) for key, _ in world.ledger.watched(prefix)}
        tokens = entity_tokens(open_items(world, lockbox, later), watched & set(entities))
        for entity, token in tokens.items():
            world.ledger.changed(open_key(lockbox, later, entity), token)
