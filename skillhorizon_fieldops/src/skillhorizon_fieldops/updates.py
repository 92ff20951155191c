"""How a planned update changes the world: its object is found when it fires, by its kind's public rule."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, assert_never

from skillhorizon import Ended, Notice, World
from skillhorizon_fieldops.config import BLOCKS, CLASSES
from skillhorizon_fieldops.keys import (
    OPEN,
    QUARANTINED,
    WITHDRAWN,
    batch_key,
    block_key,
    demand_key,
    window_key,
)
from skillhorizon_fieldops.plan import (
    AnyUpdate,
    BatchRecall,
    CrewChange,
    ProcedureRevision,
    ServiceBaseline,
    WindowChange,
)
from skillhorizon_fieldops.rows import Batch, Booking, Condition, CrewBlock, DemandChange, Service, Window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillhorizon import Json

MOST_REACHED = 8
"""Commissionings that a baseline may end, the service's own included."""
_WHOLE = 10_000
_NEVER_ISOLATED = """
    SELECT z.zone FROM zone z
    WHERE z.wave = ?1 AND NOT EXISTS (SELECT 1 FROM event e WHERE e.name = 'isolated:' || ?1 AND e.subject = z.zone)"""
_HELD = """
    SELECT 1 FROM holding h JOIN artifact a ON a.id = 'BKG:' || h.job AND a.version = h.version
    WHERE h.device = d.device AND h.used = 0 AND a.ended IS NULL"""
_WHOLLY_BOOKED = f"""
    {_NEVER_ISOLATED}
        AND EXISTS (SELECT 1 FROM device d WHERE d.zone = z.zone)
        AND NOT EXISTS (SELECT 1 FROM device d WHERE d.zone = z.zone AND NOT EXISTS ({_HELD}))
    ORDER BY z.zone LIMIT 1"""  # noqa: S608  # fixed texts
_BOOKED = f"""
    {_NEVER_ISOLATED} AND EXISTS (SELECT 1 FROM device d WHERE d.zone = z.zone AND EXISTS ({_HELD}))
    ORDER BY z.zone LIMIT 1"""  # noqa: S608  # fixed texts
_UNCITED = """
    SELECT a.id FROM artifact a JOIN device d ON d.device = a.subject AND d.device_class = ?
    WHERE a.kind = 'CRT' AND a.ended IS NULL AND json_extract(a.content_text, '$.verdict') = 'pass'
        AND NOT EXISTS (
            SELECT 1 FROM cite c JOIN artifact m ON m.id = c.id AND m.version = c.version
            WHERE c.ref = a.id AND c.token = CAST(a.version AS TEXT) AND m.kind = 'COM' AND m.ended IS NULL)
    ORDER BY a.id"""
_STANDS_ON = """
    SELECT c.ref, a.id FROM artifact a JOIN cite c ON c.id = a.id AND c.version = a.version
    WHERE a.kind IN ('COM', 'CRT', 'TST') AND a.ended IS NULL AND c.token IS NOT NULL
        AND c.role IN ('certificate', 'need', 'reference', 'test')"""
_UNCHANGED = """
    SELECT a.subject FROM artifact a LEFT JOIN demand_change d ON d.service = a.subject
    WHERE a.kind = 'COM' AND a.ended IS NULL AND d.service IS NULL ORDER BY a.subject"""


def apply(update: AnyUpdate, world: World, subject: str) -> Notice | None:
    """Change the world as the update says and announce it.

    Args:
        update: the planned update.
        world: changed in place.
        subject: the device, service or zone whose event completed the trigger.

    Returns:
        The notice; None where the kind's rule finds no object, so that the update lapses.
    """
    body = _body(update, world, subject)
    return None if body is None else Notice(update.id, update.kind, body)


def _body(update: AnyUpdate, world: World, subject: str) -> Mapping[str, Json] | None:
    match update:
        case BatchRecall():
            return _recall(world, subject)
        case ServiceBaseline():
            return _baseline(update, world)
        case WindowChange():
            return _change_window(update, world)
        case CrewChange():
            return _change_crew(update, world)
        case ProcedureRevision():
            return _revise(update, world)
        case _:
            assert_never(update)


def _recall(world: World, device: str) -> dict[str, Json] | None:
    """Quarantine the batch installed in the device just tested."""
    stands = world.get(Condition, device)
    if stands is None or stands.batch is None:
        return None
    world.update(Batch, stands.batch, status=QUARANTINED)
    world.ledger.changed(batch_key(stands.batch), QUARANTINED)
    return {"batch": stands.batch, "part": stands.part, "status": QUARANTINED}


def _baseline(update: ServiceBaseline, world: World) -> dict[str, Json] | None:
    """Change the demand of the unchanged service whose commissioning carries most others, eight at most."""
    name = most_carrying(world)
    service = None if name is None else world.get(Service, name)
    if service is None:
        return None
    demand = service.demand * (_WHOLE + update.change_bp) // _WHOLE
    world.update(Service, service.service, demand=demand)
    world.insert(DemandChange(service.service, world.ledger.index, demand))
    world.ledger.changed(demand_key(service.service), str(demand))
    return {"service": service.service, "demand": demand}


def most_carrying(world: World) -> str | None:
    """Return the service with most commissionings on its own, itself included and eight at most, then the lowest id."""
    users: dict[str, list[str]] = defaultdict(list)
    for ref, user in world.sql(_STANDS_ON):
        users[ref].append(user)
    counts = {service: _carried(users, f"COM:{service}") for (service,) in world.sql(_UNCHANGED)}
    fitting = {service: count for service, count in counts.items() if count <= MOST_REACHED}
    return min(fitting, key=lambda service: (-fitting[service], service), default=None)


def _carried(users: Mapping[str, list[str]], start: str) -> int:
    """Count the commissionings that stand on one, itself included; counting ends above the most that may be ended."""
    seen, queue, count = {start}, [start], 0
    while queue and count <= MOST_REACHED:
        artifact_id = queue.pop()
        count += artifact_id.startswith("COM:")
        fresh = [user for user in users.get(artifact_id, ()) if user not in seen]
        seen.update(fresh)
        queue.extend(fresh)
    return count


def _first_booking(world: World, zone: str) -> Booking | None:
    """Return a zone's current booking of the first class that has one: head, mid, edge."""
    for device_class in CLASSES:
        job = f"{zone}.{device_class}"
        current = world.ledger.current(f"BKG:{job}")
        if current is not None:
            return world.get(Booking, job, current.version)
    return None


def _booking_of(world: World, text: str, wave: int) -> tuple[str, Booking] | None:
    found = world.sql(text, wave)
    booking = _first_booking(world, found[0][0]) if found else None
    return None if booking is None else (found[0][0], booking)


def _change_window(update: WindowChange, world: World) -> dict[str, Json] | None:
    """Withdraw a booked window of a zone that was never isolated; the other block of that wave opens."""
    found = _booking_of(world, _WHOLLY_BOOKED, update.wave)
    if found is None:
        return None
    zone, booking = found
    wave, other = booking.wave, next(block for block in BLOCKS if block != booking.block)
    world.update(Window, zone, wave, booking.block, status=WITHDRAWN)
    if world.get(Window, zone, wave, other) is None:
        world.insert(Window(zone, wave, other, OPEN))
    world.update(Window, zone, wave, other, status=OPEN)
    world.ledger.changed(window_key(zone, wave, other), OPEN)
    world.ledger.changed(window_key(zone, wave, booking.block), WITHDRAWN)
    return {"zone": zone, "wave": wave, "withdrawn": booking.block, "opened": other}


def _change_crew(update: CrewChange, world: World) -> dict[str, Json] | None:
    """Withdraw the crew booked for a zone that was never isolated from both blocks of the booking's wave."""
    found = _booking_of(world, _BOOKED, update.wave)
    if found is None:
        return None
    _, booking = found
    for block in BLOCKS:
        world.update(CrewBlock, booking.crew, booking.wave, block, status=WITHDRAWN)
        world.ledger.changed(block_key(booking.crew, booking.wave, block), WITHDRAWN)
    return {"crew": booking.crew, "wave": booking.wave}


def _revise(update: ProcedureRevision, world: World) -> dict[str, Json]:
    """Put a new edition in force; passing certificates of the class that no current commissioning cites end."""
    row = update.procedure
    world.insert(row)
    world.ledger.end(*(name for (name,) in world.sql(_UNCITED, row.device_class)), how=Ended.STALE)
    return {
        "class": row.device_class,
        "edition": row.edition,
        "coef_bp": row.coef_bp,
        "limit": row.bound,
        "limit_kind": row.kind,
    }
