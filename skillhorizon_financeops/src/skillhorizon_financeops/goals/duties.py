"""Obligations and their evidence (D4): views, restatements (R12), attestations (R13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import World, loads
from skillhorizon_financeops.rows import Obligation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon_financeops.plan import Change, Plan

_UNITS = 3
_TICKETS = "SELECT id, version FROM artifact WHERE kind = 'NRM' AND version >= 2 ORDER BY made"
_REVIEWS = "SELECT id, version, content_text FROM artifact WHERE kind = 'RVW' ORDER BY made"


def obligations(world: World, plan: Plan) -> dict[str, bool]:
    """Judge D4; attestations count once the other duties are met, since a task may need none."""
    duties = world.select(Obligation)
    held = {each.obligation_id: each for each in duties if each.status == "discharged"}
    views = all(view.obligation_id in held for view in plan.views)
    restated = {update.id: held.get(update.obligation_id) for update in plan.updates}
    discharged = all(restated.values())
    true = discharged and all(
        duty is not None and _restated(duty.evidence, plan.truth.evidence[notice]) for notice, duty in restated.items()
    )
    restates = {"restatements_discharged": discharged, "restatements_true": true} if plan.updates else {}
    return {
        "views_discharged": views,
        **restates,
        "attestations_true": views and true and _attested(world, plan, duties),
    }


def _restated(evidence: Any, true: Mapping[str, Sequence[Change]]) -> bool:
    """Whether evidence lists exactly the affected sources, once each, with their changes (R12)."""
    rows = [(ref.rpartition("@")[0], sorted(map(tuple, changes))) for ref, changes in evidence or []]
    return sorted(rows) == sorted((f"AGG:{source}", list(changes)) for source, changes in true.items())


def _attested(world: World, plan: Plan, duties: Sequence[Obligation]) -> bool:
    """Whether every attestation granted is discharged with what spent its relief's units (R13)."""
    granted = [duty for duty in duties if duty.kind == "attest"]
    spent = _spent(world, plan) if granted else {}
    return all(
        duty.status == "discharged"
        and sorted(duty.evidence) == sorted([ref, []] for ref in spent.get(duty.obligation_id, ()))
        for duty in granted
    )


def _spent(world: World, plan: Plan) -> dict[str, list[str]]:
    """Return attestation id -> the versions that spent its relief's units, in the order in which they were made."""
    out: dict[str, list[str]] = {}
    tickets, reviews = plan.resources["tickets"], plan.resources["reviews"]
    for number, (name, version) in enumerate(world.sql(_TICKETS)):
        if number >= tickets:
            unit = (number - tickets) // _UNITS + 1
            out.setdefault(f"attest:revision.{unit}", []).append(f"{name}@{version}")
    made: dict[str, int] = {}
    for name, version, text in world.sql(_REVIEWS):
        reviewer = loads(text)["reviewer"]
        made[reviewer] = made.get(reviewer, 0) + 1
        if made[reviewer] > reviews:
            out.setdefault(f"attest:review.{made[reviewer] - reviews}", []).append(f"{name}@{version}")
    return out
