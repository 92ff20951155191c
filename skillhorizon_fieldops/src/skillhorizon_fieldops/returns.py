"""What goes back when a reservation or a booking ends: units to their batch, minutes to their crew (R1, R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Ended, World
from skillhorizon_fieldops.keys import RELEASED
from skillhorizon_fieldops.rows import Batch, Booking, Reservation

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HELD, UNSETTLED, SETTLED, VOID = "held", "unsettled", "settled", "void"
"""States of a reservation; void: replaced or left unused."""
BOOKED, USED, RETURNED = "booked", "used", "returned"
"""States of a booking."""

_TO_FREE = "UPDATE batch SET held = held - ?, free = free + ? WHERE batch = ?"
_TO_SCRAP = "UPDATE batch SET held = held - ?, scrapped = scrapped + ? WHERE batch = ?"
_MINUTES_BACK = "UPDATE crew_block SET free = free + ? WHERE crew = ? AND wave = ? AND block = ?"


def settle(world: World, reservation: Reservation) -> None:
    """Settle what a reservation has not consumed: returned if its batch is released, else scrapped (R3)."""
    rest, batch = reservation.issued - reservation.consumed, world.get(Batch, reservation.batch)
    usable = batch is not None and batch.status == RELEASED
    world.sql(_TO_FREE if usable else _TO_SCRAP, rest, rest, reservation.batch)
    gone = {"returned": rest} if usable else {"scrapped": rest}
    world.update(Reservation, reservation.device, reservation.version, status=SETTLED, **gone)


def put_back(world: World, reservation: Reservation) -> None:
    """Return all units of a reservation that is replaced or left unused; its wave's account leaves it out (R9)."""
    world.sql(_TO_FREE, reservation.issued, reservation.issued, reservation.batch)
    world.update(Reservation, reservation.device, reservation.version, status=VOID)


def release(world: World, booking: Booking) -> None:
    """Return the minutes of a booking that nothing was worked under (R4)."""
    world.sql(_MINUTES_BACK, booking.minutes, booking.crew, booking.wave, booking.block)
    world.update(Booking, booking.job, booking.version, status=RETURNED)


def reservation_ended(world: World, artifact: Artifact) -> None:
    """Settle a reservation that went stale; put back one that ended unused in another way."""
    found = world.get(Reservation, artifact.subject, artifact.version)
    if found is None or found.status != HELD:
        return
    if artifact.ended_as == Ended.STALE:
        settle(world, found)
    else:
        put_back(world, found)


def booking_ended(world: World, artifact: Artifact) -> None:
    """Return the minutes of a booking that ended unused."""
    found = world.get(Booking, artifact.subject, artifact.version)
    if found is not None and found.status == BOOKED:
        release(world, found)


ON_END: Mapping[str, Callable[[World, Artifact], None]] = {"RSV": reservation_ended, "BKG": booking_ended}
"""What happens to what an artifact held when it ends, by kind."""
