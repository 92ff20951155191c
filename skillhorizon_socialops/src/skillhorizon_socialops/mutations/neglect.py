"""Faults of neglect: what updates ask for is not done, deployments are left out, waves stay open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Sabotage
from skillhorizon_socialops.mutations.places import Places

if TYPE_CHECKING:
    from skillhorizon import Json, Step
    from skillhorizon_socialops.plan import Plan


def correction_ignored(plan: Plan) -> Sabotage | None:
    """Never credit again after the last correction."""
    corrections = Places(plan).corrections
    if not corrections:
        return None
    last = corrections[-1]
    report = f"report:{last.brief}"

    def skip(step: Step) -> bool:
        return step.module == report and step.update == last.id

    return Sabotage(skip=skip, fails=frozenset({f"brief:{last.brief}", "D1", "D2", "D5"}))


def notice_unacknowledged(plan: Plan) -> Sabotage | None:
    """Acknowledge the last notice with other briefs than it affects."""
    if not plan.updates:
        return None
    last, first = plan.updates[-1].id, plan.facts.briefs[0].brief_id

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        if tool != "acknowledge_update" or said["notice_id"] != last:
            return said
        affected: list[Json] = [] if said["affected_briefs"] else [first]
        return {**said, "affected_briefs": affected}

    return Sabotage(arguments=arguments, fails=frozenset({"D1", "D5"}), only=plan.updates[-1].kind != _RELEASING)


_RELEASING = "conversion_correction"
"""The kind whose corrective post is released once it is acknowledged."""


def final_wave_open(plan: Plan) -> Sabotage:
    """Leave the final wave open."""
    close = f"close:{plan.waves}"
    return Sabotage(skip=lambda step: step.module == close, fails=frozenset({"D5"}), only=True)


def deployment_omitted(plan: Plan) -> Sabotage:
    """Leave out one deployment of the final wave."""
    brief = plan.facts.briefs[-1].brief_id
    deploy = f"deploy:{brief}"
    fails = frozenset({f"brief:{brief}", "D2", "D5"})
    return Sabotage(skip=lambda step: step.module == deploy, fails=fails, only=True)
