"""The world of a task: its facts as rows, its resources as allowances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_financeops.rows import NEVER, Allowance, OpeningItem, Receivable, Stage

if TYPE_CHECKING:
    from skillhorizon import World
    from skillhorizon_financeops.plan import Plan


def base(world: World) -> None:
    """Seed what all tasks share: nothing, since every table of this business is the task's own."""


def build(plan: Plan, world: World) -> None:
    """Insert the task's rows; stage 1 is open at the start, opening items are the first receivables."""
    facts = plan.facts
    for rows in (
        facts.entities,
        facts.staff,
        facts.identity_sources,
        facts.identity_maps,
        facts.account_values,
        facts.contracts,
        facts.sources,
        facts.source_rows,
        facts.opening_items,
        facts.obligations,
    ):
        if rows:
            world.insert(*rows)
    world.insert(*(Stage(stage, "open" if stage == 1 else "unopened") for stage in range(1, plan.stages + 1)))
    world.insert(*(_receivable(item) for item in facts.opening_items))
    world.insert(
        Allowance("tickets", plan.resources["tickets"], 0),
        Allowance("relief:revision", plan.resources["reliefs"], 0),
        Allowance("relief:review", plan.resources["reliefs"], 0),
    )


def _receivable(item: OpeningItem) -> Receivable:
    return Receivable(item.item, item.lockbox, item.entity, item.amount, item.day, item.due, 0, NEVER)
