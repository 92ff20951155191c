"""Discharging what notices and reliefs oblige to: restatements and attestations (R12, R13)."""

from __future__ import annotations

from skillhorizon import Call, Json, dumps, operation
from skillhorizon_financeops.gateway.answers import duty, unknown
from skillhorizon_financeops.gateway.arguments import EvidenceRows, ObligationId
from skillhorizon_financeops.gateway.released import known_entities
from skillhorizon_financeops.rows import Obligation

MINUTES = 2


@operation(makes="{obligation_id}", repeat=False)
def discharge_obligation(call: Call, obligation_id: ObligationId, evidence: EvidenceRows) -> dict[str, Json]:
    """Give evidence [[version, [[entity, change]]]] of a restatement or attestation, replacing earlier (2 minutes)."""
    found = call.world.get(Obligation, obligation_id)
    if found is None or found.status == "hidden":
        unknown(call, "obligation", obligation_id, "list_obligations names them")
    known_entities(call, [entity for _, changes in evidence for entity, _ in changes])
    if found.kind == "view":
        message = f"{obligation_id} is a view; the closing of the stage where it is due discharges it"
        call.reject("NOT_DISCHARGEABLE", message, object=obligation_id)
    for version, _ in evidence:
        _check_version(call, found, version)
    if found.status == "discharged" and dumps(found.evidence) == dumps(evidence):
        return duty(call, obligation_id, "discharged")
    call.world.advance(MINUTES)
    call.world.update(Obligation, obligation_id, status="discharged", evidence=evidence)
    if found.kind == "restate":
        call.ledger.resolve(obligation_id.removeprefix("restate:"))
    return duty(call, obligation_id, "discharged")


def _check_version(call: Call, obligation: Obligation, ref: str) -> None:
    found = call.ledger.named(ref)
    if found is None:
        message = f"{ref} is no version that was made; name those that the obligation is about"
        call.reject("EVIDENCE_INVALID", message, object=ref)
    if obligation.kind == "restate" and not (found.kind == "AGG" and found.live):
        message = f"{ref} is not a current aggregate; a restatement's evidence names current AGG versions (R12)"
        call.reject("EVIDENCE_INVALID", message, object=ref)
