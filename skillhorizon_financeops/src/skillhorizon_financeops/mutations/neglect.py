"""Faults in what updates and obligations ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Json, Sabotage, Step
from skillhorizon_financeops.mutations.places import goal, goals_from

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan, PlannedView

_ALL = ("D1", "D2", "D3", "D4")


def restated_view(plan: Plan) -> Sabotage | None:
    """Record today's totals in a view of what an earlier stage knew."""
    for view in plan.views:
        today = plan.truth.sources[view.source_id].totals
        if plan.truth.views[view.subject] != today:
            return _showing(view, [list(total) for total in today])
    return None


def _showing(view: PlannedView, totals: list[list[Any]]) -> Sabotage:
    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        mine = tool == "record_view" and (said["source_id"], said["basis_stage"]) == (view.source_id, view.basis)
        return {**said, "totals": totals} if mine else said

    return Sabotage(arguments=arguments, fails=frozenset({goal(view.source_id)}), only=True)


def package_not_remade(plan: Plan) -> Sabotage | None:
    """Leave one package as it is after a notice ended it."""
    for update in plan.updates:
        for source_id in plan.truth.evidence[update.id]:
            stage = next(source.stage for source in plan.facts.sources if source.source_id == source_id)
            return _without((f"package:{source_id}", update.id), {*goals_from(plan, stage), *_ALL})
    return None


def _without(left_out: tuple[str, str], fails: set[str]) -> Sabotage:
    return Sabotage(skip=lambda step: (step.module, step.update) == left_out, fails=frozenset(fails))


def near_miss_in_evidence(plan: Plan) -> Sabotage | None:
    """List a source in a restatement's evidence that the notice does not reach."""
    for update in plan.updates:
        for near in plan.truth.near[update.id]:
            if near not in plan.truth.moved[update.id]:
                return _listing(update.obligation_id, near)
    return None


def _listing(obligation_id: str, near: str) -> Sabotage:
    seen = {"ref": f"AGG:{near}@1"}

    def observation(tool: str, said: dict[str, Json], data: Any) -> Any:
        if tool == "submit_aggregate" and said["source_id"] == near:
            seen["ref"] = data["artifact"]
        return data

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        mine = tool == "discharge_obligation" and said["obligation_id"] == obligation_id
        return {**said, "evidence": [*said["evidence"], [seen["ref"], []]]} if mine else said

    return Sabotage(observation=observation, arguments=arguments, fails=frozenset({"D4"}), only=True)


def release_withheld(plan: Plan) -> Sabotage | None:
    """Never publish the release: its balances are refused; no notice waits for it."""
    if any(update.trigger.event == "released" for update in plan.updates):
        return None

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        if tool != "publish_release":
            return said
        return {**said, "balances": {entity: amount + 1 for entity, amount in said["balances"].items()}}

    return Sabotage(arguments=arguments, fails=frozenset({"D3"}), only=True)


def last_notice_unhandled(plan: Plan) -> Sabotage | None:
    """Do nothing that the last notice asks for."""
    if not plan.updates or not plan.truth.evidence[plan.updates[-1].id]:
        return None
    last = plan.updates[-1]
    first = min(s.stage for s in plan.facts.sources if s.source_id in plan.truth.evidence[last.id])

    def skip(step: Step) -> bool:
        return step.update == last.id

    return Sabotage(skip=skip, fails=frozenset({*goals_from(plan, first), *_ALL}))
