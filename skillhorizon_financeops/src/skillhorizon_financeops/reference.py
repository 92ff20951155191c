"""Reference data as they stand in a world: what governs now, under which keys it is watched (R1, R2, R4)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from skillhorizon import World, digest, dumps, loads
from skillhorizon_financeops.rows import COLUMNS, IdentityMap, Source
from skillhorizon_financeops.rules import Entry, selected

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

NONE = ""
"""The token of a key that nothing governs."""
_GOVERNING_CONTRACT = """
    SELECT contract_id, codes FROM contract WHERE format = ? AND from_day <= ? AND to_day >= ?
    ORDER BY rank DESC LIMIT 1"""
_VALUES = """
    SELECT account, max(rank), entity FROM account_value
    WHERE account IN (SELECT value FROM json_each(?)) AND from_day <= ? AND to_day >= ? GROUP BY account"""
_READINGS = """
    SELECT e.key, m.map_id, m.rank, e.value, v.rank, v.entity
    FROM identity_map m CROSS JOIN json_each(m.entries) e
        LEFT JOIN account_value v ON v.account = e.value AND v.from_day <= ?2 AND v.to_day >= ?2
    WHERE m.identity_source_id = ?1 AND m.from_day <= ?2 AND m.to_day >= ?2
        AND e.key IN (SELECT value FROM json_each(?3))
    ORDER BY e.key, m.rank DESC, v.rank DESC"""
_CELLS = "SELECT pos, cells FROM source_row WHERE source_id = ? ORDER BY pos"


def contract_key(format: str, day: int) -> str:
    """Return the watched key of a format on a day, such as `contract:FB/317`."""
    return f"contract:{format}/{day}"


def alias_key(identity_source_id: str, alias: str, day: int) -> str:
    """Return the watched key of an alias of an identity source on a day, such as `alias:ID-4/K07/317`."""
    return f"alias:{identity_source_id}/{alias}/{day}"


def account_key(account: str, day: int) -> str:
    """Return the watched key of an account on a day, such as `account:AC-19/317`."""
    return f"account:{account}/{day}"


def rows_key(source_id: str) -> str:
    """Return the watched key of a source's selection, such as `rows:S03-07`."""
    return f"rows:{source_id}"


def open_key(lockbox: str, stage: int, entity: str) -> str:
    """Return the watched key of an entity's open items in a list, such as `open:LB-03/5/E05`."""
    return f"open:{lockbox}/{stage}/{entity}"


def contract_of(world: World, format: str, day: int) -> tuple[str, Mapping[str, str]]:
    """Return (contract id, code meanings) of the contract that governs a format on a day, ('', {}) for none."""
    found = world.sql(_GOVERNING_CONTRACT, format, day, day)
    return (found[0][0], loads(found[0][1])) if found else (NONE, {})


def values_of(world: World, accounts: Iterable[str], day: int) -> dict[str, tuple[int, str]]:
    """Return (rank, entity) of the value that governs each account on a day, by account; the others have none."""
    found = world.sql(_VALUES, dumps(sorted(accounts)), day, day)
    return {account: (rank, entity) for account, rank, entity in found}


def readings_of(
    world: World, identity_source_id: str, day: int, aliases: Iterable[str]
) -> list[tuple[str, str, int, str, int | None, str | None]]:
    """Return every (alias, map, map's rank, account, account's rank, entity) that holds on a day (R4).

    By alias, what governs comes first; rank and entity are None where no value of the account covers the day.
    """
    return world.sql(_READINGS, identity_source_id, day, dumps(sorted(aliases)))


def parsed(texts: Iterable[str]) -> list[Any]:
    """Parse the JSON texts of several rows at once."""
    found: list[Any] = loads(f"[{','.join(texts)}]")
    return found


def cells_of(world: World, source_id: str) -> list[tuple[int, list[Any]]]:
    """Return (pos, cells) of a source's rows, by pos."""
    rows = world.sql(_CELLS, source_id)
    return [(pos, cells) for (pos, _), cells in zip(rows, parsed([text for _, text in rows]), strict=True)]


@cache
def _places(format: str) -> tuple[int, ...]:
    names = COLUMNS[format]
    return tuple(names.index(name) for name in ("order", "rev", "code", "party", "amt"))


def entries(
    format: str,
    codes: Mapping[str, str],
    cells: Iterable[tuple[int, Sequence[Any]]],
) -> list[Entry]:
    """Read a source's rows under a contract's codes; a code without meaning is of no kind."""
    order, rev, code, party, amt = _places(format)
    return [Entry(pos, row[order], row[rev], codes.get(row[code], NONE), row[party], row[amt]) for pos, row in cells]


def rows_token(source: Source, codes: Mapping[str, str], cells: Iterable[tuple[int, Sequence[Any]]]) -> str:
    """Return the digest of a source's selection under its declared policy and the governing contract's codes (R2)."""
    chosen = selected(source.conflict_policy, entries(source.format, codes, cells))
    return digest([[order, entry.pos] for order, entry in chosen.items()])


def alias_token(maps: Iterable[IdentityMap], alias: str) -> str:
    """Return the id of the map that governs an alias, '' for none.

    Args:
        maps: those of its identity source that cover the day, the greatest rank first.
        alias: the alias.
    """
    return next((each.map_id for each in maps if alias in each.entries), NONE)
