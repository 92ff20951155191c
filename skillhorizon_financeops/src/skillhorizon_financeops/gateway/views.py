"""Views: totals of a source as an earlier stage knew them (R9)."""

from __future__ import annotations

from skillhorizon import Call, Json, operation
from skillhorizon_financeops.gateway.answers import again, done
from skillhorizon_financeops.gateway.arguments import AggregateRef, SourceId, StageNumber, Totals, Views
from skillhorizon_financeops.gateway.released import known_entities, released_source, stage_status
from skillhorizon_financeops.rows import Obligation

MINUTES = 3


@operation(makes="VW:{source_id}.{basis_stage}", again=again)
def record_view(
    call: Call, source_id: SourceId, basis_stage: StageNumber, aggregate: AggregateRef, totals: Totals
) -> dict[str, Json]:
    """Record a source's totals [[entity, count, net]] as known at a basis stage, from an aggregate version (3 minutes).

    The totals are not verified here.
    """
    source = released_source(call, source_id)
    known_entities(call, [entity for entity, _, _ in totals])
    cited = call.ledger.named(aggregate)
    if cited is None or cited.id != f"AGG:{source_id}":
        message = f"{aggregate} is no version of AGG:{source_id}; name one that was made, current or not"
        call.reject("WRONG_AGGREGATE", message, object=aggregate)
    if basis_stage < source.stage or stage_status(call.world, basis_stage) != "closed":
        message = f"stage {basis_stage} is no closed stage from {source.stage} on; a basis is one that has been closed"
        call.reject("BASIS_NOT_CLOSED", message, object=str(basis_stage))
    call.world.advance(MINUTES)
    made = call.ledger.produce(
        f"VW:{source_id}.{basis_stage}",
        {"aggregate": aggregate, "totals": totals},
        mentions={"aggregate": aggregate},
        period=basis_stage,
    )
    return done(call, made)


def due_views(call: Call, stage: int) -> list[Obligation]:
    """Return the view obligations due at a stage that are not hidden, by id."""
    found = call.world.select(Obligation, due_stage=stage)
    return [each for each in found if each.kind == "view" and each.status != "hidden"]


def check_views(call: Call, due: list[Obligation], views: Views) -> None:
    """Check that `views` are the latest versions of exactly the views due.

    Raises:
        Rejection: VIEW_MISSING for one absent or not the latest, VIEW_NOT_DUE for any other.
    """
    rest = list(views)
    for each in due:
        latest = call.ledger.last(subject := view_id(each))
        if latest is None or latest.ref not in rest:
            message = f"the latest version of {subject} is due and not listed; record it if need be, and list it"
            call.reject("VIEW_MISSING", message, object=each.obligation_id)
        rest.remove(latest.ref)
    if rest:
        message = f"{rest[0]} is not a view due at this stage, listed once; list_obligations names those due"
        call.reject("VIEW_NOT_DUE", message, object=rest[0])


def view_id(obligation: Obligation) -> str:
    """Return the artifact id of a view obligation: `view:S03-07.4/6` is met by `VW:S03-07.4`."""
    return "VW:" + obligation.obligation_id.removeprefix("view:").partition("/")[0]
