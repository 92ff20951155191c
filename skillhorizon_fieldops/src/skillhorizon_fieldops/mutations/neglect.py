"""Faults in what updates ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Sabotage
from skillhorizon_fieldops.mutations import course
from skillhorizon_fieldops.mutations.places import ALL_SERVICES_AND_SYSTEM, Places
from skillhorizon_fieldops.plan import BatchRecall

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon import Json
    from skillhorizon_fieldops.plan import Plan


def need_outdated(plan: Plan) -> Sabotage | None:
    """Cite a need that a baseline had recommissioned at the version before."""
    places = Places(plan)
    for _, need in course.baselines(places):
        for service in places.dependents.get(need, ()):
            fails = places.referring.get(service, ())
            return Sabotage(arguments=_citing(service, f"COM:{need}"), fails=_losing(fails))
    return None


def _citing(service: str, need: str) -> Any:
    def older(ref: str) -> str:
        name, _, version = ref.rpartition("@")
        return f"{name}@{int(version) - 1}" if name == need and int(version) > 1 else ref

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        mine = tool == "commission_service" and said["service"] == service
        return {**said, "needs": [older(ref) for ref in said["needs"]]} if mine else said

    return arguments


def references_not_retested(plan: Plan) -> Sabotage | None:
    """Recommission a service after its baseline changed, but leave the tests that refer to it as they are."""
    places = Places(plan)
    for update, service in course.baselines(places):
        left = course.tested(places, service, update.wave)
        if left:
            return _left_out(update.id, left)
    return None


def recalled_unit_kept(plan: Plan) -> Sabotage | None:
    """Leave the work that a recall ended as it is."""
    places = Places(plan)
    for update in plan.updates:
        if isinstance(update, BatchRecall):
            return _left_out(update.id, [course.recalled(places, update)])
    return None


def _left_out(update: str, cases: Iterable[str]) -> Sabotage:
    """Skip the steps of all cases that an update asks for; `cases` are some of them."""
    return Sabotage(
        skip=lambda step: step.update == update and step.module.startswith("case:"),
        fails=_losing(cases),
    )


def _losing(cases: Iterable[str]) -> frozenset[str]:
    return frozenset({*(f"case:{name}" for name in cases), *ALL_SERVICES_AND_SYSTEM})
