"""Reference data as they stand in a world: what governs now, under which keys it is watched (R1, R2, R4)."""

from __future__ import annotations

from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from skillhorizon import World, digest, dumps, loads
from skillhorizon_financeops.rows import COLUMNS, IdentityMap, Source
from skillhorizon_financeops.rules import selected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

NONE = ""
"""The token of a key that nothing governs."""
_GOVERNING_CONTRACT = """
    SELECT contract_id, codes FROM contract WHERE format = ? AND from_day <= ? AND to_day >= ?
    ORDER BY rank DESC LIMIT 1"""
_VALUES = """
    SELECT account, max(rank), entity FROM account_value
    WHERE account IN (SELECT value FROM json_each(?)) AND from_day <= ? AND to_day >= ? GROUP BY account"""
_READINGS = """
    SELECT e.key, m.map_id, e.value, v.rank, v.entity, m.rank
    FROM identity_map m CROSS JOIN json_each(m.entries) e
        LEFT JOIN account_value v ON v.account = e.value AND v.from_day <= ?2 AND v.to_day >= ?2
    WHERE m.identity_source_id = ?1 AND m.from_day <= ?2 AND m.to_day >= ?2
        AND e.key IN (SELECT value FROM json_each(?3))
    ORDER BY e.key, m.rank DESC, v.rank DESC"""
_CELLS = "SELECT pos, cells FROM source_row WHERE source_id = ? ORDER BY pos"


def contract_key(format: str, day: int) -> str:
    """Return the watched key of a format on a day, such as `contract:FB/317`."""
    return f"contract:{format}/{day}"


def around_alias(identity_source_id: str, day: int) -> tuple[str, str]:
    """Return what is around an alias of an identity source in its watched key of a day, as in `alias:ID-4/K07/317`."""
    return f"alias:{identity_source_id}/", f"/{day}"


def around_account(day: int) -> tuple[str, str]:
    """Return what is around an account in its watched key of a day, as in `account:AC-19/317`."""
    return "account:", f"/{day}"


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


Reading = tuple[str, str, str, int | None, str | None, int]
"""alias, map, account, account's rank, entity, map's rank; no account's rank and entity where no value covers a day."""


def readings_of(world: World, identity_source_id: str, day: int, aliases: Iterable[str]) -> list[Reading]:
    """Return every reading of some aliases that holds on a day, by alias, what governs first; see `rules.resolve`."""
    return world.sql(_READINGS, identity_source_id, day, dumps(sorted(aliases)))


def parsed(texts: Iterable[str]) -> list[Any]:
    """Parse the JSON texts of several rows at once."""
    found: list[Any] = loads(f"[{','.join(texts)}]")
    return found


class Feed(NamedTuple):
    """A source's rows by column, in ascending position."""

    positions: Sequence[int]
    orders: Sequence[str]
    revisions: Sequence[int]
    codes: Sequence[str]
    parties: Sequence[str]
    amounts: Sequence[int]

    def chosen(self, policy: str, codes: Mapping[str, str]) -> dict[str, int]:
        """Return the index of each included order's row (R2); a code that a contract does not know is of no kind."""
        return selected(policy, self.orders, self.revisions, [*map(codes.get, self.codes)])


_NO_ROWS = Feed((), (), (), (), (), ())


@cache
def _columns(format: str) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return what takes order, rev, code, party and amt of a format's columns."""
    return itemgetter(*map(COLUMNS[format].index, ("order", "rev", "code", "party", "amt")))


def feed_of(world: World, source: Source) -> Feed:
    """Return a source's rows."""
    rows = world.sql(_CELLS, source.source_id)
    if not rows:
        return _NO_ROWS
    positions, texts = zip(*rows)  # noqa: B905  # rows of one statement
    return Feed(positions, *_columns(source.format)([*zip(*parsed(texts))]))  # noqa: B905  # rows of one format


def rows_token(source: Source, codes: Mapping[str, str], feed: Feed) -> str:
    """Return the digest of a source's selection under its declared policy and the governing contract's codes (R2)."""
    positions = feed.positions
    return digest([(order, positions[at]) for order, at in feed.chosen(source.conflict_policy, codes).items()])


def alias_token(maps: Iterable[IdentityMap], alias: str) -> str:
    """Return the id of the map that governs an alias, '' for none.

    Args:
        maps: those of its identity source that cover the day, the greatest rank first.
        alias: the alias.
    """
    return next((each.map_id for each in maps if alias in each.entries), NONE)
