"""Where in a plan a mutation applies, and how its source is recognised in a script's input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_financeops.truth import Book, Replay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillhorizon_financeops.plan import Plan
    from skillhorizon_financeops.rows import Contract, Source


def goal(source_id: str) -> str:
    """Return the id of a source's goal."""
    return f"source:{source_id}"


def goals_from(plan: Plan, stage: int) -> set[str]:
    """Return the goals of all sources of a stage and later ones."""
    return {goal(source.source_id) for source in plan.facts.sources if source.stage >= stage}


def quiet_sales(plan: Plan) -> list[Source]:
    """Return the sales sources, those first that no update moves and no planned view shows."""
    stirred = {name for moved in plan.truth.moved.values() for name in moved} | {v.source_id for v in plan.views}
    sales = [source for source in plan.facts.sources if source.kind == "sales"]
    return sorted(sales, key=lambda source: (source.source_id in stirred, source.source_id))


def contracts(plan: Plan) -> dict[str, Contract]:
    """Return all contracts by id, those of updates included."""
    brought = [update.contract for update in plan.updates if hasattr(update, "contract")]
    return {contract.contract_id: contract for contract in (*plan.facts.contracts, *brought)}


def final_replay(plan: Plan) -> Replay:
    """Return a replay under final knowledge, with all stages open."""
    facts = plan.facts
    book = Book(facts.contracts, facts.identity_maps, facts.account_values)
    for row in facts.source_rows:
        book.rows[row.source_id] = (*book.rows.get(row.source_id, ()), row)
    for update in plan.updates:
        book.learn(update)
    replay = Replay(book, facts.sources, facts.opening_items)
    for _ in range(plan.stages):
        replay.open_stage()
    return replay


def normalizes(script: str, data: Mapping[str, Any], source_id: str) -> bool:
    """Whether a script's run reads the rows of a source into records."""
    if script != "normalize.py":
        return False
    order = data["columns"].index("order")
    return any(row[order][1:5] == source_id[1:3] + source_id[4:6] for row in data["rows"][:1])
