"""Tickets, reviewers' capacity and relief (R11, R13)."""

from __future__ import annotations

from skillhorizon import Call, Json, operation
from skillhorizon_financeops.gateway.answers import TICKETS, allowance, duty, tickets_left
from skillhorizon_financeops.gateway.arguments import ReliefKind, StageNumber
from skillhorizon_financeops.gateway.duties import conflict
from skillhorizon_financeops.rows import Allowance, Obligation, Spending, Staff

MINUTES = 240
TICKETS_PER_RELIEF = 3


def spend_ticket(call: Call, version: str) -> None:
    """Spend a ticket on a normalization's version (R11).

    Raises:
        Rejection: NO_TICKETS.
    """
    tickets = allowance(call, TICKETS)
    if tickets.spent >= tickets.granted:
        message = f"{version} would cost a ticket and none is left; request relief of kind revision while there is some"
        call.reject("NO_TICKETS", message, object=version)
    number = tickets.spent + 1
    call.world.update(Allowance, TICKETS, spent=number)
    call.world.insert(Spending("revision", "", number, version))
    over = number - (tickets.granted - TICKETS_PER_RELIEF * allowance(call, "relief:revision").spent)
    _reopen(call, "revision", -(-over // TICKETS_PER_RELIEF))


def spend_review(call: Call, reviewer: Staff, version: str) -> None:
    """Spend one of a reviewer's reviews on a review's version.

    Raises:
        Rejection: NO_CAPACITY.
    """
    if reviewer.left < 1:
        message = f"{reviewer.staff} has no review left; name another reviewer or request relief of kind review"
        call.reject("NO_CAPACITY", message, object=reviewer.staff)
    number = reviewer.granted - reviewer.left + 1
    call.world.update(Staff, reviewer.staff, left=reviewer.left - 1)
    call.world.insert(Spending("review", reviewer.staff, number, version))
    _reopen(call, "review", number - (reviewer.granted - allowance(call, "relief:review").spent))


def _reopen(call: Call, kind: str, relief: int) -> None:
    """Open again the attestation whose relief's units are being spent."""
    if relief < 1:
        return
    name = f"attest:{kind}.{relief}"
    found = call.world.get(Obligation, name)
    if found is not None and found.status == "discharged":
        call.world.update(Obligation, name, status="open")


@operation(makes="relief:{kind}", repeat=False)
def request_relief(call: Call, kind: ReliefKind, stage: StageNumber | None = None) -> dict[str, Json]:
    """Ask for relief when an allowance is spent: 3 tickets, or one review more for each of the staff (240 minutes).

    Kind review names the stage that nobody can review. Each relief opens an obligation to attest its use.
    """
    if kind == "revision":
        _check_tickets(call)
    else:
        _check_reviewers(call, stage)
    limit = allowance(call, f"relief:{kind}")
    if limit.spent >= limit.granted:
        message = f"all {limit.granted} reliefs of kind {kind} have been granted; go on with what is left"
        call.reject("RELIEF_EXHAUSTED", message, object=f"relief:{kind}")
    call.world.advance(MINUTES)
    call.world.update(Allowance, limit.name, spent=limit.spent + 1)
    if kind == "revision":
        call.world.update(Allowance, TICKETS, granted=allowance(call, TICKETS).granted + TICKETS_PER_RELIEF)
    else:
        for each in call.world.select(Staff):
            call.world.update(Staff, each.staff, granted=each.granted + 1, left=each.left + 1)
    name = f"attest:{kind}.{limit.spent + 1}"
    call.world.insert(Obligation(name, "attest", None, "open", None))
    return duty(call, name, "open")


def _check_tickets(call: Call) -> None:
    if tickets_left(call):
        message = "tickets are left; relief of kind revision is granted when none is"
        call.reject("RELIEF_NOT_NEEDED", message, object="relief:revision")


def _check_reviewers(call: Call, stage: int | None) -> None:
    closure = None if stage is None else call.ledger.current(f"CLS:{stage}")
    if stage is None or closure is None:
        message = "relief of kind review names a stage whose closure is current; close the stage first"
        call.reject("RELIEF_NOT_NEEDED", message, object="relief:review")
    for each in call.world.select(Staff):
        if each.left and conflict(call, stage, closure, each.staff) is None:
            message = f"a reviewer without conflict has a review left for stage {stage}; list_staff shows who has"
            call.reject("RELIEF_NOT_NEEDED", message, object=closure.id)
