"""Publishing reviewed stages, and the release."""

from __future__ import annotations

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_financeops.gateway.answers import again, done, support
from skillhorizon_financeops.gateway.arguments import Balances, ReviewRef, StageNumber
from skillhorizon_financeops.gateway.released import known_entities, last_stage
from skillhorizon_financeops.rows import Obligation
from skillhorizon_financeops.rules import ENTITIES

STAGE_MINUTES, RELEASE_MINUTES = 10, 15


@operation(makes="PUB:{stage}", again=again)
def publish_stage(call: Call, stage: StageNumber, review: ReviewRef) -> dict[str, Json]:
    """Publish a stage whose current review has no findings, after the stage before it (10 minutes)."""
    current = call.ledger.current(f"RVW:{stage}")
    if current is None or current.ref != review or current.content["findings"]:
        message = f"{review} is not a current review of stage {stage} without findings; have the stage reviewed first"
        call.reject("REVIEW_NOT_PASSED", message, object=review)
    if stage > 1:
        call.ledger.require(f"PUB:{stage - 1}", "PREVIOUS_UNPUBLISHED")
    closure = support(call, f"CLS:{stage}")
    call.world.advance(STAGE_MINUTES)
    made = call.ledger.produce(f"PUB:{stage}", {}, cites={"review": current.ref, "closure": closure.ref}, period=stage)
    return done(call, made)


@operation(makes="REL:release", again=again)
def publish_release(call: Call, balances: Balances) -> dict[str, Json]:
    """Publish the release once every stage is published: the last stage's closing balances (15 minutes)."""
    known_entities(call, sorted(balances))
    published = _published(call)
    for each in call.world.select(Obligation, status="open"):
        message = f"obligation {each.obligation_id} is open; discharge it first"
        call.reject("OPEN_OBLIGATION", message, object=each.obligation_id)
    closing = support(call, f"CLS:{last_stage(call.world)}").content["closing"]
    for entity in ENTITIES:
        if balances.get(entity) != closing[entity]:
            message = f"the balance of entity {entity} is not the closing balance of the last stage; give that (R8)"
            call.reject("BALANCES_DO_NOT_TIE", message, object=entity)
    call.world.advance(RELEASE_MINUTES)
    made = call.ledger.produce(
        "REL:release", {"balances": balances}, cites={"publication": [each.ref for each in published]}
    )
    call.ledger.happened("released", "release")
    return done(call, made)


def _published(call: Call) -> list[Artifact]:
    """Return the current publications of all stages.

    Raises:
        Rejection: STAGE_UNPUBLISHED, for the first stage that has none.
    """
    current = {each.period: each for each in call.ledger.live("PUB")}
    for stage in range(1, last_stage(call.world) + 1):
        if stage not in current:
            message = f"stage {stage} has no current publication; review and publish it first"
            call.reject("STAGE_UNPUBLISHED", message, object=f"PUB:{stage}")
    return [current[stage] for stage in sorted(current)]
