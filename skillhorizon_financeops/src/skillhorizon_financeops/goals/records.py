"""Records kept straight (D5): tables hold the seed plus fired notices, and nothing was built on outdated inputs."""

from __future__ import annotations

from bisect import insort
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import World, dumps
from skillhorizon_financeops.plan import (
    AccountReassigned,
    AnyUpdate,
    ContractSuperseded,
    Facts,
    MapSuperseded,
    Plan,
    SourceAmended,
)
from skillhorizon_financeops.rows import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from skillhorizon_financeops.rows import SourceRow

_ROWS = """
    SELECT json_group_array(source_id), json_group_array(pos), json_group_array(added_version), group_concat(cells)
    FROM source_row"""
_place = attrgetter("source_id", "pos")
_OUTDATED = """
    SELECT 1 FROM artifact AS user
        JOIN cite AS c ON c.id = user.id AND c.version = user.version
        JOIN artifact AS used ON used.id = c.ref AND used.version = CAST(c.token AS INTEGER)
    WHERE user.kind IN ('MAT', 'AGG', 'CLS', 'RVW', 'PUB', 'REL') AND c.token IS NOT NULL
        AND (used.made > user.made OR used.ended < user.made)
    LIMIT 1"""


def records(world: World, plan: Plan, fired: Sequence[str]) -> dict[str, bool]:
    """Judge D5; what the body of call c read was made by then and had not ended before."""
    updates = [update for update in plan.updates if update.id in fired]
    amended = [row for update in updates if isinstance(update, SourceAmended) for row in update.rows]
    return {
        "tables_kept": all(_kept(world, rows) for rows in _tables(plan.facts, updates))
        and _sources_kept(world, _sources(plan.facts, amended)),
        "rows_kept": _rows_kept(world, plan.facts.source_rows, amended),
        "inputs_current": not world.sql(_OUTDATED),
    }


def _kept(world: World, rows: Sequence[Any]) -> bool:
    """Whether a table holds exactly these rows; every key lies within a row's first two fields, as worlds sort."""
    if not rows:
        return True
    first, second, *_ = (field.name for field in attrs.fields(type(rows[0])))
    return world.select(type(rows[0])) == sorted(rows, key=attrgetter(first, second))


def _tables(facts: Facts, updates: Sequence[AnyUpdate]) -> Iterator[list[Any]]:
    yield list(facts.entities)
    yield list(facts.identity_sources)
    yield list(facts.opening_items)
    yield [*facts.identity_maps, *(u.overlay for u in updates if isinstance(u, MapSuperseded))]
    yield [*facts.account_values, *(u.value for u in updates if isinstance(u, AccountReassigned))]
    yield [*facts.contracts, *(u.contract for u in updates if isinstance(u, ContractSuperseded))]


def _sources(facts: Facts, amended: Iterable[SourceRow]) -> list[Source]:
    versions: dict[str, int] = {}
    for row in amended:
        versions[row.source_id] = max(row.added_version, versions.get(row.source_id, 0))
    return [
        attrs.evolve(source, version=versions[source.source_id]) if source.source_id in versions else source
        for source in facts.sources
    ]


def _sources_kept(world: World, true: Sequence[Source]) -> bool:
    """Whether the table of sources holds exactly these, which are sorted."""
    names = [field.name for field in attrs.fields(Source)]
    return world.contents([Source]) == [_columns(true, names)]


def _rows_kept(world: World, seed: Iterable[SourceRow], amended: Iterable[SourceRow]) -> bool:
    """Whether the table of rows holds exactly the seed, which is sorted, and these, their cells as canonical JSON."""
    true = list(seed)
    for row in amended:
        insort(true, row, key=_place)
    [(sources, places, versions, cells)] = world.sql(_ROWS)
    found = sources, places, versions, f"[{cells or ''}]"
    return found == _columns(true, ("source_id", "pos", "added_version", "cells"))


def _columns(rows: Iterable[Any], names: Iterable[str]) -> tuple[str, ...]:
    """Return each column as JSON, as SQLite tells those of a table, which it reads in the order of its key."""
    return tuple([dumps([*map(attrgetter(name), rows)]) for name in names])
