"""Judges a final state: one goal per brief, and the delivery requirements D1-D5; reads only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Finding, Report, World
from skillhorizon_socialops.goals.briefs import brief_finding
from skillhorizon_socialops.goals.delivery import calendar, inputs, limits, updates, waves
from skillhorizon_socialops.goals.judgement import Judgement
from skillhorizon_socialops.goals.state import State

if TYPE_CHECKING:
    from skillhorizon_socialops.plan import Plan

__all__ = ["check"]


def check(world: World, plan: Plan) -> Report:
    """Judge a world by its plan: each goal with its conditions, then each requirement, in the plan's order."""
    judgement = Judgement.of(plan, State.of(world))
    answered = (Finding("D1", updates(judgement)),) if plan.updates else ()
    requirements = (
        *answered,
        Finding("D2", calendar(judgement)),
        Finding("D3", limits(judgement)),
        Finding("D4", inputs(world, judgement)),
        Finding("D5", waves(judgement)),
    )
    return Report(tuple(brief_finding(judgement, brief.brief_id) for brief in plan.facts.briefs), requirements)
