"""What operations answer, and the rejection that names an id nobody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from skillhorizon_financeops.rows import Allowance

if TYPE_CHECKING:
    from skillhorizon import Artifact, Call, Json

TICKETS = "tickets"
_TICKETS_LEFT = "SELECT granted - spent FROM allowance WHERE name = 'tickets'"


def tickets_left(call: Call) -> int:
    """Return how many tickets are left (R11)."""
    return int(call.world.sql(_TICKETS_LEFT)[0][0])


def done(call: Call, artifact: Artifact, **more: Json) -> dict[str, Json]:
    """Return an operation's answer: the version made, the clock in minutes, tickets left."""
    return {"artifact": artifact.ref, "clock": artifact.clock, "tickets_left": tickets_left(call), **more}


def again(call: Call, artifact: Artifact) -> dict[str, Json]:
    """Answer an equal submission with the version that stands."""
    return {**done(call, artifact), "clock": call.world.clock}


def duty(call: Call, obligation_id: str, status: str) -> dict[str, Json]:
    """Return an operation's answer about an obligation."""
    return {
        "obligation": obligation_id,
        "status": status,
        "clock": call.world.clock,
        "tickets_left": tickets_left(call),
    }


def allowance(call: Call, name: str) -> Allowance:
    """Return an allowance that every task has."""
    return call.world.built(Allowance, name)


def support(call: Call, artifact_id: str) -> Artifact:
    """Return the current version of an artifact on which something current stands, so that there is one.

    Raises:
        LookupError: when there is none, which the ledger rules out.
    """
    found = call.ledger.current(artifact_id)
    if found is None:
        raise LookupError(f"{artifact_id} has ended, and what stands on it has not")
    return found


def unknown(call: Call, kind: str, name: str, way_out: str) -> NoReturn:
    """Refuse an id that nothing has.

    Raises:
        Rejection: UNKNOWN_ID, always.
    """
    call.reject("UNKNOWN_ID", f"there is no {kind} {name!r}; {way_out}", object=name)
