"""What stands against isolating a set of devices (R1, R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Artifact, Call, dumps
from skillhorizon_fieldops.gateway.known import programme
from skillhorizon_fieldops.keys import OPEN
from skillhorizon_fieldops.rows import Isolation, Window
from skillhorizon_fieldops.rules import boundary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon_fieldops.rows import Zone

_UNBOOKED = """
    SELECT d.device FROM device d JOIN condition c ON c.device = d.device
    WHERE d.wave = ? AND c.works = 0 AND NOT EXISTS (
        SELECT 1 FROM artifact a LEFT JOIN holding h
            ON h.device = d.device AND h.job = a.subject AND h.version = a.version AND h.used = 0
        WHERE a.id = 'BKG:' || d.zone || '.' || d.device_class
            AND a.version = (SELECT max(version) FROM artifact WHERE id = a.id)
            AND (a.ended_as = 'stale' OR (a.ended IS NULL AND h.device IS NOT NULL)))
    ORDER BY d.device"""
_BOOKED = """
    SELECT h.device, a.id FROM holding h
    JOIN booking b ON b.job = h.job AND b.version = h.version
    JOIN artifact a ON a.id = 'BKG:' || h.job AND a.version = h.version
    WHERE h.device IN (SELECT value FROM json_each(?)) AND h.used = 0
        AND b.wave = ? AND b.block = ? AND a.ended IS NULL"""
_PERMITS = "SELECT count(DISTINCT zone) FROM isolation"
_INTERRUPTED = """
    WITH RECURSIVE below(device) AS (
        SELECT f.downstream FROM feed f
        WHERE f.upstream IN (SELECT value FROM json_each(?1)) AND f.normal = 'closed'
        UNION SELECT f.downstream FROM below JOIN feed f ON f.upstream = below.device AND f.normal = 'closed')
    SELECT m.service FROM below JOIN member m ON m.device = below.device
    JOIN service s ON s.service = m.service AND s.tier = 'gold'
    JOIN artifact a ON a.id = 'COM:' || m.service AND a.ended IS NULL
    WHERE below.device NOT IN (SELECT value FROM json_each(?1)) ORDER BY m.service LIMIT 1"""
_FEEDS = """
    SELECT point, upstream, downstream FROM feed WHERE upstream IN (SELECT value FROM json_each(?1))
    UNION SELECT point, upstream, downstream FROM feed WHERE downstream IN (SELECT value FROM json_each(?1))"""
_STORED = "SELECT point, device FROM stored_point WHERE device IN (SELECT value FROM json_each(?))"


def check_free(call: Call, zone: str, devices: Iterable[str]) -> None:
    """Check that neither the devices are isolated nor the zone has an open permit (R5).

    Raises:
        Rejection: already_isolated.
    """
    isolated = {each.device: each.permit for each in call.world.select(Isolation, zone=zone)}
    if isolated:
        culprit = next((device for device in devices if device in isolated), zone)
        permit = next(iter(isolated.values()))
        message = f"zone {zone} has the open permit {permit}; close_isolation it before another is issued"
        call.reject("already_isolated", message, object=culprit)


def check_planned(call: Call, zone: Zone, block: str) -> None:
    """Check that unworked devices may be isolated: in a window, once their wave is booked as a whole (R1).

    Raises:
        Rejection: window_not_open, wave_unbooked.
    """
    wave = call.world.clock
    window = call.world.get(Window, zone.zone, wave, block)
    if window is None or window.status != OPEN:
        message = f"zone {zone.zone} has no open window in block {block} of the open wave {wave}; get_zone names them"
        call.reject("window_not_open", message, object=f"{zone.zone}/{wave}.{block}")
    missing = [device for (device,) in call.world.sql(_UNBOOKED, zone.wave)]
    if missing:
        message = f"unworked devices of wave {zone.wave} have no booking; assign_crew for all of them first (R1)"
        call.reject("wave_unbooked", message, object=missing[0], devices=missing[:100])


def bookings_of(call: Call, devices: Sequence[str], wave: int, block: str) -> list[Artifact]:
    """Return the bookings that hold the devices unused in a block of a wave, each once.

    Raises:
        Rejection: not_booked, for the first device that none holds.
    """
    held = dict(call.world.sql(_BOOKED, dumps(devices), wave, block))
    for device in devices:
        if device not in held:
            message = f"{device} is held by no unused booking in block {block} of wave {wave}; assign_crew it there"
            call.reject("not_booked", message, object=device)
    found = (call.ledger.current(artifact_id) for artifact_id in sorted(set(held.values())))
    return [each for each in found if each is not None]


def check_pairs(call: Call, chosen: Iterable[tuple[Any, ...]]) -> None:
    """Check that no pair partner is isolated or in the set (R5).

    Args:
        call: the running call.
        chosen: (device, pair partner or None, works).

    Raises:
        Rejection: n_minus_one.
    """
    rows = list(chosen)
    names = {device for device, _, _ in rows}
    for device, partner, _ in rows:
        if partner is not None and (partner in names or call.world.get(Isolation, partner) is not None):
            message = f"{device} and its pair partner {partner} are never isolated together; wait for the other (R5)"
            call.reject("n_minus_one", message, object=device)


def check_permits(call: Call, zone: str) -> None:
    """Check that another permit may be open at once.

    Raises:
        Rejection: permit_limit.
    """
    limit = programme(call).permits
    if call.world.sql(_PERMITS)[0][0] >= limit:
        call.reject("permit_limit", f"{limit} permits are open; close one before the next is issued", object=zone)


def check_services(call: Call, devices: Sequence[str]) -> None:
    """Check that rework in block E interrupts no gold service in operation (R5).

    Raises:
        Rejection: service_impact.
    """
    found = call.world.sql(_INTERRUPTED, dumps(devices))
    if found:
        service = found[0][0]
        message = f"gold service {service} is in operation and has a member below this set; rework it in block L (R5)"
        call.reject("service_impact", message, object=service)


def required_points(call: Call, devices: Sequence[str]) -> list[str]:
    """Return the points that isolate a set of devices (R5)."""
    names = dumps(devices)
    return boundary(devices, call.world.sql(_FEEDS, names), call.world.sql(_STORED, names))
