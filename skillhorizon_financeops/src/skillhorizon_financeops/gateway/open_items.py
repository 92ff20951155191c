"""The open items of lockboxes, kept up as normalizations and matches are made (R6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, World, digest, dumps
from skillhorizon_financeops.gateway.released import last_opened
from skillhorizon_financeops.reference import open_key
from skillhorizon_financeops.rows import NEVER, Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

TERM = 150
"""Days from an item's day until it is due."""
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
_SELL = """
    INSERT INTO receivable (item, lockbox, entity, amount, day, due, stage, closed_at)
    SELECT json_extract(e.value, '$[0]'), ?, json_extract(e.value, '$[2]'), json_extract(e.value, '$[3]'), ?, ?, ?, ?
    FROM json_each(?, '$.records') e WHERE json_extract(e.value, '$[3]') > 0"""
_SOLD = "SELECT item, entity, amount FROM receivable WHERE lockbox = ? AND stage = ?"
_UNSELL = "DELETE FROM receivable WHERE lockbox = ? AND stage = ?"
_SETTLE = """
    INSERT INTO settlement (source_id, item, stage, amount)
    SELECT ?, json_extract(e.value, '$[1]') item, ?,
        sum(json_extract(e.value, '$[2]') + json_extract(e.value, '$[3]') + json_extract(e.value, '$[4]'))
    FROM json_each(?, '$.lines') e GROUP BY item"""
_SETTLED = "SELECT item, amount FROM settlement WHERE source_id = ?"
_UNSETTLE = "DELETE FROM settlement WHERE source_id = ?"
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


def record_sales(world: World, source: Source, made: Artifact) -> None:
    """Take a version of a sales source's records as its lockbox's items; sources without lockbox have none."""
    box, stage, day = source.lockbox, source.stage, source.day
    if box is None or source.kind != "sales":
        return
    before = _sold(world, box, stage) if made.version > 1 else {}
    if before:
        world.sql(_UNSELL, box, stage)
    world.sql(_SELL, box, day, day + TERM, stage, NEVER, made.content_text)
    if made.version == 1:
        return
    after = _sold(world, box, stage)
    _close(world, after)
    changed = _changed(before, after)
    touched = {sold[item][0] for sold in (before, after) for item in changed if item in sold}
    _refresh(world, box, stage, touched)


def _sold(world: World, lockbox: str, stage: int) -> dict[str, tuple[str, int]]:
    """Return entity and amount of what a stage's sales brought to a lockbox, by item."""
    return {item: (entity, amount) for item, entity, amount in world.sql(_SOLD, lockbox, stage)}


def _changed(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Return the items that stand in one of both alone or differ, in order."""
    return sorted([item for item in {*before, *after} if before.get(item) != after.get(item)])


def _close(world: World, items: Collection[str]) -> None:
    """Set, for each item, the stage whose match leaves nothing open of it."""
    world.sql(_CLOSE, NEVER, dumps(sorted(items)))


def record_match(world: World, lockbox: str, made: Artifact) -> None:
    """Take a version of a remittance's match as what it settles."""
    source_id, stage = made.subject, made.period
    before = dict(world.sql(_SETTLED, source_id)) if made.version > 1 else {}
    if before:
        world.sql(_UNSETTLE, source_id)
    world.sql(_SETTLE, source_id, stage, made.content_text)
    changed = _changed(before, dict(world.sql(_SETTLED, source_id)))
    _close(world, changed)
    if last_opened(world) > stage:
        _refresh(world, lockbox, stage, {entity for (entity,) in world.sql(_ENTITIES, dumps(changed))})


def _refresh(world: World, lockbox: str, stage: int, entities: Collection[str]) -> None:
    """Give the watched lists of later stages their present tokens, for the entities touched."""
    for later in range(stage + 1, last_opened(world) + 1):
        prefix = open_key(lockbox, later, "")
        watched = {key.removeprefix(prefix) for key, _ in world.ledger.watched(prefix)}
        tokens = entity_tokens(open_items(world, lockbox, later), watched & set(entities))
        for entity, token in tokens.items():
            world.ledger.changed(open_key(lockbox, later, entity), token)
