"""What a wave used, and its account (R9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Call, Cursor, Json, Limit, operation, page, query
from skillhorizon_fieldops.gateway.answers import again, done, name_once
from skillhorizon_fieldops.gateway.arguments import AccountLines, LedgerPart, TotalMinutes, WaveNumber
from skillhorizon_fieldops.gateway.known import known_part, known_wave

if TYPE_CHECKING:
    from skillhorizon import World

_PARTS = """
    SELECT device, part, batch, issued, consumed, returned, scrapped FROM reservation
    WHERE wave = ? AND status <> 'void' ORDER BY device, version"""
_PART = ("device", "part", "batch", "issued", "consumed", "returned", "scrapped")
_CREWS = "SELECT job, crew, minutes FROM booking WHERE wave = ? AND status = 'used' ORDER BY job, version"
_CREW = ("job", "crew", "minutes")
_SUMS = """
    SELECT part, sum(issued), sum(consumed), sum(returned), sum(scrapped) FROM reservation
    WHERE wave = ? AND status <> 'void' GROUP BY part ORDER BY part"""
_MINUTES = "SELECT coalesce(sum(minutes), 0) FROM booking WHERE wave = ? AND status = 'used'"


@query
def get_wave_ledger(
    call: Call, wave: WaveNumber, of: LedgerPart, limit: Limit | None = None, cursor: Cursor | None = None
) -> dict[str, Json]:
    """Read what a wave used: its reservations with their units, or its used bookings with their minutes."""
    known_wave(call, wave)
    if of == "parts":
        return page(call.world.sql(_PARTS, wave), _PART, limit=limit, cursor=cursor)
    return page(call.world.sql(_CREWS, wave), _CREW, limit=limit, cursor=cursor)


def account(world: World, wave: int) -> tuple[list[list[Any]], int]:
    """Return a wave's exact account: [part, issued, consumed, returned, scrapped] by part, and crew minutes (R9)."""
    return [list(row) for row in world.sql(_SUMS, wave)], int(world.sql(_MINUTES, wave)[0][0])


@operation(makes="ACC:{wave}", again=again)
def post_account(call: Call, wave: WaveNumber, lines: AccountLines, crew_minutes: TotalMinutes) -> dict[str, Json]:
    """Post a closed wave's account: [[part, issued, consumed, returned, scrapped]], a line a part, and crew minutes."""
    known_wave(call, wave)
    parts = [part for part, _, _, _, _ in lines]
    for part in parts:
        known_part(call, part)
    name_once(call, parts)
    if wave >= call.world.clock:
        message = f"wave {wave} is not closed; its account is posted after close_wave"
        call.reject("wave_open", message, object=str(wave))
    content = {"lines": lines, "crew_minutes": crew_minutes}
    return done(call, call.ledger.produce(f"ACC:{wave}", content, period=wave).ref)
