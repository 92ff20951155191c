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
    """Return the minutes that a booking's devices and its crew's way take by the current diagnoses (R4)."""
    site = call.world.built(Site, call.world.built(Zone, zone).site)
    way = call.world.built(Travel, call.world.built(Crew, booking.crew).region, site.region)
    held = call.world.sql(_HELD, booking.job, booking.version)
    return way.minutes + sum(
        work_minutes(_base(call, device, model, diagnosed), site.access_bp, stored=bool(stored))
        for device, model, diagnosed, stored in held
    )


def _base(call: Call, device: str, model: str, diagnosed: str) -> int:
    if reseats(call, device):
        return RESEAT_MIN
    return call.world.built(Card, model, diagnosed).base_min
