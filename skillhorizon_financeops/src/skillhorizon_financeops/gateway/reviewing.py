"""Reviewing a closed stage: who may, and what they find (R10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_financeops.gateway.allowances import spend_review
from skillhorizon_financeops.gateway.answers import done
from skillhorizon_financeops.gateway.arguments import ClosureRef, StaffId, StageNumber
from skillhorizon_financeops.gateway.duties import conflict
from skillhorizon_financeops.gateway.released import known_staff
from skillhorizon_financeops.reference import around_account, around_alias, contract_key, parsed
from skillhorizon_financeops.rows import Source
from skillhorizon_financeops.rules import Package, findings

if TYPE_CHECKING:
    from collections.abc import Mapping

MINUTES = 20
_PACKAGES = """
    SELECT a.subject, a.content_text, c.entries
    FROM artifact a JOIN citation c ON c.source_id = a.subject AND c.version = a.version
    WHERE a.kind = 'NRM' AND a.period = ? AND a.ended IS NULL ORDER BY a.id"""
_TOKENS = """
    SELECT c.ref, c.token FROM artifact a JOIN cite c ON c.id = a.id AND c.version = a.version
    WHERE a.kind = 'NRM' AND a.period = ? AND a.ended IS NULL"""


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
    tokens = dict(call.world.sql(_TOKENS, stage))
    rows = call.world.sql(_PACKAGES, stage)
    contents, citations = parsed([content for _, content, _ in rows]), parsed([entries for _, _, entries in rows])
    return [
        [subject, code]
        for at, (subject, _, _) in enumerate(rows)
        for code in findings(_package(sources[subject], contents[at], citations[at], tokens))
    ]


def _package(source: Source, content: Json, entries: list[Any], tokens: Mapping[str, str]) -> Package:
    """Return a package beside what governs it: a live normalization's cites hold the governing records."""
    day, identity = source.day, content["identity_source_id"]
    before, after = around_alias(identity, day)
    head, tail = around_account(day)
    return Package(
        contract_id=content["contract_id"],
        identity_source_id=identity,
        policy=content["conflict_policy"],
        declared_identity=source.identity_source_id,
        declared_policy=source.conflict_policy,
        governing_contract=tokens[contract_key(source.format, day)],
        records=[(alias, entity) for _, alias, entity, _ in content["records"]],
        citations=entries,
        maps={alias: tokens[f"{before}{alias}{after}"] for alias, _, _, _, _ in entries},
        ranks={account: int(tokens[f"{head}{account}{tail}"]) for _, _, account, _, _ in entries},
    )
