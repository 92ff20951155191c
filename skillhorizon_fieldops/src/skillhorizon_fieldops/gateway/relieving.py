"""Asking for relief: overtime, or parts out of turn."""

from __future__ import annotations

from skillhorizon import Call, Json, operation
from skillhorizon_fieldops.gateway.answers import done
from skillhorizon_fieldops.gateway.arguments import CrewBlockName, PartId
from skillhorizon_fieldops.gateway.known import known_crew, known_part, known_wave, programme, still_open
from skillhorizon_fieldops.keys import RELEASED
from skillhorizon_fieldops.rows import Batch, Relief

OVERTIME, EXPEDITE = "overtime", "expedite"
_OVERTIME_MIN = 120
_PACKS = 4
_LASTS = 9
_EXTEND = "UPDATE crew_block SET free = free + ? WHERE crew = ? AND wave = ? AND block = ?"


@operation(makes="relief:granted", repeat=False)
def request_relief(
    call: Call, overtime: CrewBlockName | None = None, expedite: PartId | None = None
) -> dict[str, Json]:
    """Ask for one unit of relief: 120 minutes more in a crew's block, or four packs of a part; never both."""
    still_open(call)
    if (overtime is None) == (expedite is None):
        message = "ask for exactly one of overtime {crew, wave, block} and expedite (a part)"
        call.reject("unclear_relief", message, object="overtime")
    number, batch = call.world.count(Relief) + 1, None
    if overtime is not None:
        _extend(call, number, overtime)
    if expedite is not None:
        batch = _expedite(call, number, expedite)
    shown: dict[str, Json] = {} if batch is None else {"batch": batch}
    return done(call, relief={"budget": programme(call).relief, "used": number}, **shown)


def _extend(call: Call, number: int, asked: CrewBlockName) -> None:
    known_crew(call, asked.crew)
    known_wave(call, asked.wave)
    call.world.sql(_EXTEND, _OVERTIME_MIN, asked.crew, asked.wave, asked.block)
    call.world.insert(Relief(number, OVERTIME, asked.crew, asked.wave, asked.block, None, None))


def _expedite(call: Call, number: int, part: str) -> str:
    """Open a released batch of four packs that expires nine waves after the last, and return its id."""
    pack = known_part(call, part)
    batch = f"{part}-X{call.world.count(Relief, part=part) + 1}"
    units, expiry = _PACKS * pack, programme(call).waves + _LASTS
    call.world.insert(Batch(batch, part, expiry, pack, units, units, 0, 0, 0, RELEASED))
    call.world.insert(Relief(number, EXPEDITE, None, None, None, part, batch))
    return batch
