"""Settling what work left of a reservation (R3)."""

from __future__ import annotations

from skillhorizon import Call, Ended, Json, operation
from skillhorizon_fieldops.gateway.answers import done, name_once
from skillhorizon_fieldops.gateway.arguments import Settlement, Settlements
from skillhorizon_fieldops.gateway.known import known_device
from skillhorizon_fieldops.keys import RELEASED
from skillhorizon_fieldops.returns import UNSETTLED, settle
from skillhorizon_fieldops.rows import Batch, Reservation


@operation(makes="settle:{lines.device}", repeat=False)
def settle_parts(call: Call, lines: Settlements) -> dict[str, Json]:
    """Settle the units that work left of up to twelve reservations: [{device, returned, scrapped}]."""
    for line in lines:
        known_device(call, line.device)
    name_once(call, (line.device for line in lines))
    for line in lines:
        _settled(call, line)
    return done(call)


def _settled(call: Call, line: Settlement) -> None:
    """Settle one reservation.

    Raises:
        Rejection: nothing_to_settle, settlement_mismatch.
    """
    artifact = call.ledger.current(f"RSV:{line.device}")
    found = None if artifact is None else call.world.get(Reservation, line.device, artifact.version)
    if artifact is None or found is None or found.status != UNSETTLED:
        message = f"{line.device} has no consumed reservation with units left; settle after work, once"
        call.reject("nothing_to_settle", message, object=line.device)
    rest, released = found.issued - found.consumed, call.world.built(Batch, found.batch).status == RELEASED
    if (line.returned, line.scrapped) != ((rest, 0) if released else (0, rest)):
        message = (
            f"the units of {line.device} do not add up; the whole rest (withdrawn less quantity) is returned if its "
            "batch is released, else scrapped (R3)"
        )
        call.reject("settlement_mismatch", message, object=line.device)
    settle(call.world, found)
    call.ledger.end(artifact.id, how=Ended.HISTORIC)
