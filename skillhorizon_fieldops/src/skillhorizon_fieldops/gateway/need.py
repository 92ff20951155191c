"""How many minutes a booking needs (R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_fieldops.gateway.status import reseats
from skillhorizon_fieldops.rows import Card, Crew, Site, Travel, Zone
from skillhorizon_fieldops.rules import RESEAT_MIN, work_minutes

if TYPE_CHECKING:
    from skillhorizon import Call
    from skillhorizon_fieldops.rows import Booking

_HELD = """
    SELECT d.device, d.model, c.diagnosed, EXISTS (SELECT 1 FROM stored_point p WHERE p.device = d.device)
    FROM holding h JOIN device d ON d.device = h.device JOIN condition c ON c.device = h.device
    WHERE h.job = ? AND h.version = ?"""


def booking_need(call: Call, booking: Booking, zone: str) -> int:
    """Return the minutes that a booking's devices and its crew's way take by the current diagnoses (R4).

    Raises:
        LookupError: when the world was built without a site, a card or a way.
    """
    place = call.world.get(Zone, zone)
    site = None if place is None else call.world.get(Site, place.site)
    crew = call.world.get(Crew, booking.crew)
    if site is None or crew is None:
        raise LookupError(f"the world has no site of {zone!r} or no crew {booking.crew!r}; build it from its plan")
    way = call.world.get(Travel, crew.region, site.region)
    if way is None:
        raise LookupError(f"the world has no way from {crew.region} to {site.region}; build it from its plan")
    held = call.world.sql(_HELD, booking.job, booking.version)
    return way.minutes + sum(
        work_minutes(_base(call, device, model, diagnosed), site.access_bp, stored=bool(stored))
        for device, model, diagnosed, stored in held
    )


def _base(call: Call, device: str, model: str, diagnosed: str) -> int:
    if reseats(call, device):
        return RESEAT_MIN
    card = call.world.get(Card, model, diagnosed)
    if card is None:
        raise LookupError(f"the world has no card of {diagnosed!r} for {model}; build it from its plan")
    return card.base_min
