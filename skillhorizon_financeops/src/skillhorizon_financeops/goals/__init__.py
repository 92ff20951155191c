"""Judges a final state: one goal per source, and the delivery requirements D1-D5; reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Finding, Report, World
from skillhorizon_financeops.goals.balances import accounting, release, review
from skillhorizon_financeops.goals.duties import obligations
from skillhorizon_financeops.goals.packages import source_findings
from skillhorizon_financeops.goals.records import records
from skillhorizon_financeops.goals.state import State

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan

__all__ = ["check"]


def check(world: World, plan: Plan) -> Report:
    """Judge a world by its plan: each goal with its conditions, then each requirement, in the plan's order."""
    state = State.of(world)
    requirements = (
        Finding("D1", accounting(state, plan)),
        Finding("D2", review(state, plan)),
        Finding("D3", release(state, plan, state.fired)),
        Finding("D4", obligations(world, plan)),
        Finding("D5", records(world, plan, state.fired)),
    )
    return Report(source_findings(state, plan), requirements)
