"""Twins of a task: what belongs to stages that have not opened is drawn anew, and no call may tell."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Twin
from skillhorizon_financeops.rows import COLUMNS, Source, SourceRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon import Json, Rng
    from skillhorizon_financeops.plan import Facts, Plan
    from skillhorizon_financeops.rows import IdentityMap

_MOST_ADDED = 9_999


def twins(plan: Plan, rng: Rng) -> Iterator[Twin[Plan]]:
    """Yield tasks with other rows, headers, identity maps and comparative views from a stage on, up to its opening."""
    for stage in sorted({2, plan.stages}):
        facts = _redrawn(plan.facts, stage, rng.stream(stage))
        name = f"what opens with stage {stage} and later"
        yield Twin(name=name, plan=attrs.evolve(plan, facts=facts), reveals=partial(_opens, stage))


def _opens(stage: int, tool: str, arguments: Mapping[str, Json]) -> bool:
    return tool == "close_stage" and arguments["stage"] == stage - 1


def _redrawn(facts: Facts, stage: int, rng: Rng) -> Facts:
    headers = {source.source_id: source for source in facts.sources}
    late = {each.identity_source_id for each in facts.identity_sources if each.released_stage >= stage}
    return attrs.evolve(
        facts,
        sources=tuple(_header(each) if each.stage >= stage else each for each in facts.sources),
        source_rows=tuple(
            _row(rng, headers[row.source_id].format, row) if headers[row.source_id].stage >= stage else row
            for row in facts.source_rows
        ),
        identity_maps=tuple(_map(rng, m) if m.identity_source_id in late else m for m in facts.identity_maps),
        obligations=tuple(each for each in facts.obligations if each.due_stage is None or each.due_stage < stage),
    )


def _header(source: Source) -> Source:
    """Return a source on another day of its stage, read by the other policy."""
    other = "first" if source.conflict_policy == "latest_revision" else "latest_revision"
    return attrs.evolve(source, day=source.day + 1, conflict_policy=other)


def _row(rng: Rng, source_format: str, row: SourceRow) -> SourceRow:
    cells: list[Any] = list(row.cells)
    cells[COLUMNS[source_format].index("amt")] += rng.integer(1, _MOST_ADDED)
    return row._replace(cells=tuple(cells))


def _map(rng: Rng, identity_map: IdentityMap) -> IdentityMap:
    accounts = rng.shuffled(sorted(identity_map.entries.values()))
    return attrs.evolve(identity_map, entries=dict(zip(identity_map.entries, accounts, strict=True)))
