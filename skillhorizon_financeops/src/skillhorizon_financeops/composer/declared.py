"""What is declared of a task: its goals, delivery requirements and public facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Demand, Goal, Json, Requirement
from skillhorizon_financeops.composer.graph import Parts, closure, package, restatement, view_module

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon_financeops.config import FinanceConfig
    from skillhorizon_financeops.plan import AnyUpdate, PlannedView
    from skillhorizon_financeops.rows import Source

REQUIREMENTS = (
    Requirement("D1", Demand.ACHIEVEMENT, "all stages are closed, and movements and balances are true"),
    Requirement("D2", Demand.ACHIEVEMENT, "all stages are reviewed without findings"),
    Requirement("D3", Demand.ACHIEVEMENT, "all stages and the release are published with true balances"),
    Requirement("D4", Demand.ACHIEVEMENT, "all obligations are discharged with true evidence"),
    Requirement("D5", Demand.INVARIANT, "records are the task's own, and nothing was built on outdated inputs"),
)


def goals(parts: Parts) -> tuple[Goal, ...]:
    """Return one goal per source: its package and views, the closures they stand in, what restates them."""
    views: dict[str, list[PlannedView]] = {}
    for view in parts.views:
        views.setdefault(view.source_id, []).append(view)
    moved: dict[str, list[str]] = {}
    for update in parts.updates:
        for source_id in parts.truth.moved[update.id]:
            moved.setdefault(source_id, []).append(restatement(update.id))
    return tuple([_goal(s, views.get(s.source_id, []), moved.get(s.source_id, [])) for s in parts.sources])


def _goal(source: Source, views: Sequence[PlannedView], moved: Sequence[str]) -> Goal:
    name = source.source_id
    if not views:
        return Goal(f"source:{name}", name, (package(name), closure(source.stage), *moved))
    stages = sorted({source.stage, *[view.due for view in views]})
    shown = {view_module(view.subject): None for view in views}
    return Goal(f"source:{name}", name, (package(name), *shown, *[closure(stage) for stage in stages], *moved))


def resources(config: FinanceConfig) -> dict[str, int]:
    """Return what is granted at the start (tickets, reviews each) and the limit of reliefs per kind."""
    return {"reliefs": config.reliefs, "reviews": config.reviews, "tickets": config.tickets}


def brief(config: FinanceConfig) -> dict[str, Json]:
    """Return the public facts of the instruction."""
    return {"stages": config.stages, "sources_per_stage": config.width, **resources(config)}


def work(config: FinanceConfig, updates: Sequence[AnyUpdate], views: Sequence[PlannedView]) -> dict[str, int]:
    """Return the work counts of a task."""
    return {
        "decoys": sum(update.decoy for update in updates),
        "notices": len(updates),
        "packages": config.packages,
        "stages": config.stages,
        "views": len({view.subject for view in views}),
    }
