"""Reviewing a closed stage: who may, and what they find (R10)."""

from __future__ import annotations

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_financeops.gateway.allowances import spend_review
from skillhorizon_financeops.gateway.answers import done
from skillhorizon_financeops.gateway.arguments import ClosureRef, StaffId, StageNumber
from skillhorizon_financeops.gateway.duties import conflict
from skillhorizon_financeops.gateway.released import known_staff
from skillhorizon_financeops.rows import Citations, Source
from skillhorizon_financeops.rules import Citation, Package, findings

MINUTES = 20


def reviewed(call: Call, review: Artifact) -> dict[str, Json]:
    """Answer with a review; one with findings is a failed call."""
    found: list[list[str]] = review.content["findings"]
    if found:
        message = f"stage {review.subject} has findings; put the packages right, close it anew and review again (R10)"
        call.failed("REVIEW_FINDINGS", message, object=found[0][0])
    return {**done(call, review, findings=found), "clock": call.world.clock}


@operation(makes="RVW:{stage}", again=reviewed)
def review_stage(call: Call, stage: StageNumber, closure: ClosureRef, reviewer: StaffId) -> dict[str, Json]:
    """Have a stage's closure reviewed; findings [[source_id, code]] make the review fail (20 minutes)."""
    staff = known_staff(call, reviewer)
    current = call.ledger.current(f"CLS:{stage}")
    if current is None or current.ref != closure:
        message = f"{closure} is not the current closure of stage {stage}; close the stage and name that version"
        call.reject("CLOSURE_NOT_CURRENT", message, object=closure)
    barrier = conflict(call, stage, current, reviewer)
    if barrier is not None:
        message = f"{reviewer} may not review stage {stage} because of {barrier}; name somebody who prepared neither"
        call.reject("DUTY_CONFLICT", f"{message} and reviews no neighbouring stage", object=reviewer)
    last = call.ledger.last(f"RVW:{stage}")
    spend_review(call, staff, f"RVW:{stage}@{1 if last is None else last.version + 1}")
    call.world.advance(MINUTES)
    made = call.ledger.produce(
        f"RVW:{stage}",
        {"reviewer": reviewer, "findings": stage_findings(call, stage)},
        cites={"closure": current.ref},
        period=stage,
    )
    return reviewed(call, made)


def stage_findings(call: Call, stage: int) -> list[list[str]]:
    """Return [source_id, code] of what a review finds in a stage's packages, in that order (R10)."""
    sources = {each.source_id: each for each in call.world.select(Source, stage=stage)}
    return [
        [each.subject, code]
        for each in call.ledger.live("NRM", period=stage)
        for code in findings(_package(call, sources[each.subject], each))
    ]


def _package(call: Call, source: Source, normalized: Artifact) -> Package:
    """Return a package beside what governs it: a live normalization's cites hold the governing records."""
    content = normalized.content
    entries = call.world.get(Citations, source.source_id, normalized.version)
    cites = [(cite.role, cite.ref.split(":")[1].split("/"), cite.token or "") for cite in call.ledger.cites(normalized)]
    return Package(
        contract_id=content["contract_id"],
        identity_source_id=content["identity_source_id"],
        policy=content["conflict_policy"],
        declared_identity=source.identity_source_id,
        declared_policy=source.conflict_policy,
        governing_contract=next(token for role, _, token in cites if role == "contract"),
        records=[(alias, entity) for _, alias, entity, _ in content["records"]],
        citations=[Citation(*entry) for entry in ([] if entries is None else entries.entries)],
        maps={parts[1]: token for role, parts, token in cites if role == "alias"},
        ranks={parts[0]: int(token) for role, parts, token in cites if role == "account"},
    )
