"""Closing a stage: its roll-forward, its due views, and the opening of the next (R8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_financeops.gateway.answers import again, done
from skillhorizon_financeops.gateway.arguments import Balances, StaffId, StageNumber, Views
from skillhorizon_financeops.gateway.released import known_entities, known_staff, stage_status
from skillhorizon_financeops.gateway.views import check_views, due_views
from skillhorizon_financeops.reference import parsed
from skillhorizon_financeops.rows import Entity, Obligation, Stage
from skillhorizon_financeops.rules import ENTITIES, roll

if TYPE_CHECKING:
    from collections.abc import Mapping

MINUTES = 30
_SOURCES = "SELECT source_id FROM source WHERE stage = ? ORDER BY source_id"
_OPEN_DUE = "UPDATE obligation SET status = 'open' WHERE due_stage = ? AND kind = 'view' AND status = 'hidden'"


@operation(makes="CLS:{stage}", again=again)
def close_stage(
    call: Call, stage: StageNumber, preparer: StaffId, views: Views, movement: Balances, closing: Balances
) -> dict[str, Json]:
    """Close a stage, or close it anew: views due, movement and closing balance of every entity (30 minutes)."""
    known_staff(call, preparer)
    known_entities(call, sorted({*movement, *closing}))
    status = stage_status(call.world, stage)
    if status not in ("open", "closed"):
        message = f"stage {stage} is not open; the open stage is closed next, closed ones may be closed anew"
        call.reject("STAGE_NOT_OPEN", message, object=str(stage))
    preceding = call.ledger.require(f"CLS:{stage - 1}", "PRECEDING_NOT_CURRENT") if stage > 1 else None
    aggregates = _aggregates(call, stage)
    due = due_views(call, stage)
    check_views(call, due, views)
    _check_roll(call, preceding, aggregates, movement, closing)
    call.world.advance(MINUTES)
    made = call.ledger.produce(
        f"CLS:{stage}",
        {"preparer": preparer, "views": views, "movement": movement, "closing": closing},
        cites={
            "aggregate": [each.ref for each in aggregates],
            "view": views,
            "preceding": [] if preceding is None else [preceding.ref],
        },
        period=stage,
    )
    for each in due:
        call.world.update(Obligation, each.obligation_id, status="discharged", evidence=made.ref)
    if call.ledger.happened("stage_closed", str(stage)):
        _open_next(call, stage)
    return done(call, made)


def _aggregates(call: Call, stage: int) -> list[Artifact]:
    """Return the current aggregates of a stage's sources, by source.

    Raises:
        Rejection: OUTPUT_NOT_CURRENT, for the first source that has none.
    """
    current = {each.subject: each for each in call.ledger.live("AGG", period=stage)}
    sources = [source_id for (source_id,) in call.world.sql(_SOURCES, stage)]
    for source_id in sources:
        if source_id not in current:
            message = f"AGG:{source_id} has no current version; make it (again) before stage {stage} is closed"
            call.reject("OUTPUT_NOT_CURRENT", message, object=f"AGG:{source_id}")
    return [current[source_id] for source_id in sources]


def _check_roll(
    call: Call,
    preceding: Artifact | None,
    aggregates: list[Artifact],
    movement: Mapping[str, int],
    closing: Mapping[str, int],
) -> None:
    opening = openings(call) if preceding is None else preceding.content["closing"]
    contents = parsed([each.content_text for each in aggregates])
    totals = [total for content in contents for total in content["totals"]]
    moved, closed = roll(opening, totals)
    for entity in ENTITIES:
        if (movement.get(entity), closing.get(entity)) != (moved[entity], closed[entity]):
            message = f"movement or closing of entity {entity} does not tie to the stage's aggregates; roll anew (R8)"
            call.reject("CLOSURE_DOES_NOT_TIE", message, object=entity)


def openings(call: Call) -> dict[str, int]:
    """Return the opening balance of each entity before stage 1, in minor units."""
    return {each.entity: each.opening for each in call.world.select(Entity)}


def _open_next(call: Call, stage: int) -> None:
    """After a stage's first closing, open the next one: its sources, identity sources and comparative views."""
    call.world.update(Stage, stage, status="closed")
    if stage_status(call.world, stage + 1):
        call.world.update(Stage, stage + 1, status="open")
        call.world.sql(_OPEN_DUE, stage + 1)
