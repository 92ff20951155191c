"""Closing a wave (R1)."""

from __future__ import annotations

from skillhorizon import Call, Ended, Json, operation
from skillhorizon_fieldops.gateway.answers import done
from skillhorizon_fieldops.gateway.arguments import WaveNumber
from skillhorizon_fieldops.gateway.known import sweep

_SHOWN = 100
_PERMIT = "SELECT permit FROM isolation ORDER BY permit LIMIT 1"
_UNSETTLED = "SELECT device FROM reservation WHERE status = 'unsettled' ORDER BY device LIMIT 1"
_UNCOMMISSIONED = """
    SELECT s.service FROM service s LEFT JOIN artifact a ON a.id = 'COM:' || s.service AND a.ended IS NULL
    WHERE a.id IS NULL ORDER BY s.service LIMIT 1"""
_UNWORKED = """
    SELECT d.device FROM device d JOIN condition c ON c.device = d.device
    WHERE d.wave <= ? AND c.works = 0 ORDER BY d.device"""
_UNUSED = """
    SELECT a.id FROM artifact a JOIN reservation r ON r.device = a.subject AND r.version = a.version
    WHERE a.kind = 'RSV' AND a.period = ?1 AND a.ended IS NULL AND r.status = 'held'
    UNION ALL SELECT a.id FROM artifact a JOIN booking b ON b.job = a.subject AND b.version = a.version
    WHERE a.kind = 'BKG' AND a.period = ?1 AND a.ended IS NULL AND b.status = 'booked' ORDER BY 1"""
_USED = """
    SELECT a.id FROM artifact a JOIN booking b ON b.job = a.subject AND b.version = a.version
    WHERE a.kind = 'BKG' AND a.period = ? AND a.ended IS NULL AND b.status = 'used' ORDER BY a.id"""


@operation(makes="wave:{wave}", repeat=False)
def close_wave(call: Call, wave: WaveNumber) -> dict[str, Json]:
    """Close the open wave: unused reservations and bookings of it end, and the next wave opens."""
    last = sweep(call)
    if wave != call.world.clock or wave > last:
        message = f"wave {wave} is not open; get_brief names the open one"
        call.reject("wave_not_open", message, object=str(wave))
    _check_clear(call, wave, last)
    call.ledger.end(*(name for (name,) in call.world.sql(_UNUSED, wave)), how=Ended.VOID)
    call.ledger.end(*(name for (name,) in call.world.sql(_USED, wave)), how=Ended.HISTORIC)
    unworked: list[Json] = [device for (device,) in call.world.sql(_UNWORKED, wave)]
    call.world.advance_to(wave + 1)
    return done(
        call,
        unworked=unworked[:_SHOWN],
        unworked_count=len(unworked),
        open_wave=wave + 1 if wave < last else None,
    )


def _check_clear(call: Call, wave: int, last: int) -> None:
    """Check that nothing stands open in the wave (R1).

    Raises:
        Rejection: wave_not_clear.
    """
    reasons = [
        (_PERMIT, "permit {} is open; close_isolation it first"),
        (_UNSETTLED, "{} has units to settle; settle_parts them first"),
    ]
    if wave == last:
        reasons.append((_UNCOMMISSIONED, "service {} is not current; the sweep closes once all are"))
    for text, told in reasons:
        found = call.world.sql(text)
        if found:
            call.reject("wave_not_clear", told.format(found[0][0]), object=found[0][0])
