"""Judges a final state: one goal per device, and the delivery requirements D1-D5; reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Finding, Report, World
from skillhorizon_fieldops.goals.cases import case_finding
from skillhorizon_fieldops.goals.delivery import accounts, isolations, limits, services, system
from skillhorizon_fieldops.goals.judgement import Judgement
from skillhorizon_fieldops.goals.state import State

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

__all__ = ["check"]


def check(world: World, plan: Plan) -> Report:
    """Judge a world by its plan: each goal with its conditions, then each requirement, in the plan's order."""
    state = State.of(world)
    judgement = Judgement.of(plan, state)
    requirements = (
        Finding("D1", services(judgement)),
        Finding("D2", isolations(state)),
        Finding("D3", accounts(judgement)),
        Finding("D4", limits(world, plan)),
        Finding("D5", system(state)),
    )
    return Report(tuple(case_finding(judgement, device) for device in plan.facts.devices), requirements)
