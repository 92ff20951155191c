"""Historical views and closures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Skipped

if TYPE_CHECKING:
    from skillhorizon_financeops.policy.desk import Desk


def record_view(desk: Desk, subject: str) -> None:
    """Record what the basis stage reported of a source when it first closed (R9).

    Raises:
        Refused: when the call is not accepted.
        Skipped: when the basis stage never closed, or without that source.
    """
    source_id, _, basis = subject.partition(".")
    desk.client.need(f"closing:{basis}")
    known = [made for closing, made in desk.reported.get(source_id, ()) if closing <= int(basis)]
    if not known:
        raise Skipped(f"stage {basis} closed without source '{source_id}'")
    aggregate, totals = known[-1].aggregate, list(known[-1].totals)
    desk.client.call("record_view", source_id=source_id, basis_stage=int(basis), aggregate=aggregate, totals=totals)


def close(desk: Desk, stage: int) -> None:
    """Roll the balances forward over a stage and close it with the views due (R8).

    Raises:
        Refused: when a call is not accepted.
        Skipped: when a package or view of the stage, or the closure before, is missing.
    """
    client = desk.client
    opening = desk.opening if stage == min(desk.opened) else client.need(f"closing:{stage - 1}")
    totals = [row for each in desk.packages[stage] for row in desk.made_of(each).totals]
    views = [client.need(f"VW:{subject}") for subject in desk.due[stage]]
    result = client.script("close-stage", "roll.py", {"opening": opening, "totals": totals})
    client.call(
        "close_stage",
        stage=stage,
        preparer=preparer(desk, stage),
        views=views,
        movement=result["movement"],
        closing=result["closing"],
    )
    client.keep(f"closing:{stage}", result["closing"])
    if stage not in desk.closed:
        desk.closed.add(stage)
        desk.report(stage)


def preparer(desk: Desk, stage: int) -> str:
    """Return who prepares a stage's closure: the staff in turn, so that everyone stays free for most reviews."""
    names = sorted(desk.staff)
    return names[stage % len(names)]
