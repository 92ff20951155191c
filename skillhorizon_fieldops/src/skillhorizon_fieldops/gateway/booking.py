"""Booking crews (R1, R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import attrs

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_fieldops.config import CLASSES
from skillhorizon_fieldops.gateway.answers import done, unknown
from skillhorizon_fieldops.gateway.arguments import Block, CrewId, Job, Minutes, WaveNumber
from skillhorizon_fieldops.gateway.diagnosing import stands
from skillhorizon_fieldops.gateway.known import known_crew, known_device, known_wave, known_zone, still_open
from skillhorizon_fieldops.gateway.status import REWORK, statuses
from skillhorizon_fieldops.keys import OPEN, block_key, window_key
from skillhorizon_fieldops.returns import BOOKED, release
from skillhorizon_fieldops.rows import Booking, Crew, CrewBlock, Holding, Window

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNWORKED = """
    SELECT d.device FROM device d JOIN condition c ON c.device = d.device
    WHERE d.zone = ? AND d.device_class = ? AND c.works = 0 ORDER BY d.device"""
_CHARGE = "UPDATE crew_block SET free = free - ? WHERE crew = ? AND wave = ? AND block = ?"


@operation(makes="BKG:{job}", repeat=False)
def assign_crew(
    call: Call, job: Job, crew: CrewId, wave: WaveNumber, block: Block, minutes: Minutes
) -> dict[str, Json]:
    """Book a crew's minutes in a block for a zone's unworked devices of a class, or for one device's rework."""
    still_open(call)
    zone, device_class = _place(call, job)
    worker = known_crew(call, crew)
    known_wave(call, wave)
    devices = _held(call, job, zone, device_class)
    same = _unused(call, job, devices, {"crew": crew, "wave": wave, "block": block, "minutes": minutes})
    if same is not None:
        return done(call, same)
    diagnoses = [call.ledger.require(f"DGN:{device}", "not_current").ref for device in devices]
    _check_window(call, zone if "." in job else "", wave, block)
    _check_crew(call, worker, device_class, job)
    _return_unused(call, job)
    _charge(call, CrewBlock(crew, wave, block, minutes, OPEN))
    made = _booked(call, Booking(job, 0, crew, wave, block, minutes, BOOKED), zone, diagnoses)
    call.world.insert(*(Holding(device, job, made.version, 0) for device in devices))
    return done(call, made.ref)


def _place(call: Call, job: str) -> tuple[str, str]:
    """Return the zone and the class of a job.

    Raises:
        Rejection: unknown_object.
    """
    zone, dot, device_class = job.partition(".")
    if not dot:
        device = known_device(call, job)
        return device.zone, device.device_class
    if device_class not in CLASSES:
        unknown(call, "job", job, f"name a zone and one of {', '.join(CLASSES)}, or a device")
    return known_zone(call, zone).zone, device_class


def _held(call: Call, job: str, zone: str, device_class: str) -> list[str]:
    """Return the devices that a job books: the unworked ones of a class in a zone, or one to rework (R1).

    Raises:
        Rejection: no_work.
    """
    if "." in job:
        found = [device for (device,) in call.world.sql(_UNWORKED, zone, device_class)]
        told = f"zone {zone} has no unworked device of class {device_class}"
    else:
        found = [job] if statuses(call, [job])[job] == REWORK else []
        told = f"{job} needs no rework; unworked devices are booked as zone.class"
    if not found:
        call.reject("no_work", f"{told} (R1)", object=job)
    return found


def _unused(call: Call, job: str, devices: Sequence[str], content: Mapping[str, Json]) -> str | None:
    """Return the current booking that says the same and holds all devices unused, so that it stays."""
    found = stands(call, f"BKG:{job}", content)
    if found is None:
        return None
    unused = {each.device for each in call.world.select(Holding, job=job, version=found.version) if not each.used}
    return found.ref if unused.issuperset(devices) else None


def _check_window(call: Call, zone: str, wave: int, block: str) -> None:
    """Check the wave, and the zone's window unless it is rework (R1).

    Raises:
        Rejection: window_not_open.
    """
    if wave < call.world.clock:
        _window_not_open(call, f"{wave}.{block}", f"wave {wave} is closed; book in the open wave or a later one (R1)")
    if zone:
        found = call.world.get(Window, zone, wave, block)
        if found is None or found.status != OPEN:
            message = f"zone {zone} has no open window in block {block} of wave {wave}; get_zone names its windows"
            _window_not_open(call, f"{zone}/{wave}.{block}", message)


def _window_not_open(call: Call, name: str, message: str) -> NoReturn:
    call.reject("window_not_open", message, object=name)


def _check_crew(call: Call, crew: Crew, device_class: str, job: str) -> None:
    if device_class not in (crew.primary_class, crew.other_class):
        message = f"crew {crew.crew} works neither primarily nor otherwise on {device_class}, the class of {job}"
        call.reject("crew_not_qualified", f"{message}; list_crews names those that do", object=crew.crew)


def _return_unused(call: Call, job: str) -> None:
    """Return the minutes of the booking that this one replaces, if nothing was worked under it."""
    current = call.ledger.current(f"BKG:{job}")
    found = None if current is None else call.world.get(Booking, job, current.version)
    if found is not None and found.status == BOOKED:
        release(call.world, found)


def _charge(call: Call, wanted: CrewBlock) -> None:
    """Charge the minutes that are wanted of a crew's block.

    Raises:
        Rejection: crew_block_full, also when the block is withdrawn.
    """
    key = (wanted.crew, wanted.wave, wanted.block)
    found = call.world.get(CrewBlock, *key)
    if found is None or found.status != OPEN or found.free < wanted.free:
        message = f"crew {wanted.crew} does not have {wanted.free} minutes free in block {wanted.block} of wave"
        call.reject("crew_block_full", f"{message} {wanted.wave}; list_crews shows what is", object=wanted.crew)
    call.world.sql(_CHARGE, wanted.free, *key)


def _booked(call: Call, row: Booking, zone: str, diagnoses: Sequence[str]) -> Artifact:
    keys = {"block": (block_key(row.crew, row.wave, row.block), OPEN)}
    if "." in row.job:
        keys["window"] = (window_key(zone, row.wave, row.block), OPEN)
    content: dict[str, Json] = {
        "crew": row.crew,
        "wave": row.wave,
        "block": row.block,
        "minutes": row.minutes,
        "devices": [ref.rpartition("@")[0].removeprefix("DGN:") for ref in diagnoses],
    }
    made = call.ledger.produce(
        f"BKG:{row.job}", content, cites=keys, mentions={"diagnosis": diagnoses}, period=row.wave
    )
    call.world.insert(attrs.evolve(row, version=made.version))
    return made
