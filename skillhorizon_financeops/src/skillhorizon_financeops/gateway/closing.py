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
    from collections.abc import Iterable, Mapping

    from skillhorizon_financeops.rules.totals import Total

MINUTES = 30
_AGGREGATES = """
    SELECT 'AGG:' || s.source_id, a.version, a.content_text
    FROM source s LEFT JOIN artifact a ON a.id = 'AGG:' || s.source_id AND a.ended IS NULL
    WHERE s.stage = ? ORDER BY s.source_id"""
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
    aggregates, totals = _aggregates(call, stage)
    due = due_views(call, stage)
    check_views(call, due, views)
    _check_roll(call, preceding, totals, movement, closing)
    call.world.advance(MINUTES)
    made = call.ledger.produce(
        f"CLS:{stage}",
        {"preparer": preparer, "views": views, "movement": movement, "closing": closing},
        cites={
            "aggregate": aggregates,
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


def _aggregates(call: Call, stage: int) -> tuple[list[tuple[str, str]], list[Total]]:
    """Return the current aggregates of a stage's sources, by source, as (id, version), and all of their totals.

    Raises:
        Rejection: OUTPUT_NOT_CURRENT, for the first source that has none.
    """
    found = call.world.sql(_AGGREGATES, stage)
    for artifact_id, version, _ in found:
        if version is None:
            message = f"{artifact_id} has no current version; make it (again) before stage {stage} is closed"
            call.reject("OUTPUT_NOT_CURRENT", message, object=artifact_id)
    contents = parsed([text for _, _, text in found])
    totals = [total for content in contents for total in content["totals"]]
    return [(artifact_id, str(version)) for artifact_id, version, _ in found], totals


def _check_roll(
    call: Call,
    preceding: Artifact | None,
    totals: Iterable[Total],
    movement: Mapping[str, int],
    closing: Mapping[str, int],
) -> None:
    opening = openings(call) if preceding is None else preceding.content["closing"]
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
