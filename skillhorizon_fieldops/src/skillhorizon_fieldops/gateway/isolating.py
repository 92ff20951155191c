"""Isolating devices of a zone, and handing them back (R1, R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Artifact, Call, Ended, Json, dumps, operation
from skillhorizon_fieldops.gateway.answers import cited, done, name_once, unknown
from skillhorizon_fieldops.gateway.arguments import Block, Devices, PermitRef, Points, ZoneId
from skillhorizon_fieldops.gateway.isolation_checks import (
    bookings_of,
    check_free,
    check_pairs,
    check_permits,
    check_planned,
    check_services,
    required_points,
)
from skillhorizon_fieldops.gateway.known import known_zone, still_open
from skillhorizon_fieldops.gateway.touching import touch
from skillhorizon_fieldops.rows import Isolation, Permit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from skillhorizon_fieldops.rows import Zone

_SET = """
    SELECT d.device, d.pair, c.works FROM device d JOIN condition c ON c.device = d.device
    WHERE d.zone = ? AND d.device IN (SELECT value FROM json_each(?)) ORDER BY d.device"""
_POINT = "SELECT 1 FROM feed WHERE point = ?1 UNION SELECT 1 FROM stored_point WHERE point = ?1"


@operation(makes="PRM:{zone}", repeat=False)
def issue_isolation(call: Call, zone: ZoneId, devices: Devices, block: Block, points: Points) -> dict[str, Json]:
    """Isolate devices of a zone in a block of the open wave: the points to open are those of R5."""
    wave, place = still_open(call), known_zone(call, zone)
    chosen = _chosen(call, zone, devices)
    required = required_points(call, devices)
    needless = [point for point in points if point not in required]
    _check_known(call, needless)
    name_once(call, devices)
    name_once(call, points)
    check_free(call, zone, devices)
    unworked = [device for device, _, works in chosen if not works]
    if unworked:
        check_planned(call, place, block)
    bookings = bookings_of(call, devices, wave, block)
    check_pairs(call, chosen)
    check_permits(call, zone)
    if not unworked and block == "E":
        check_services(call, devices)
    if needless:
        message = f"point {needless[0]} does not isolate this set; give feeds with one end in it, and its stored points"
        call.reject("point_not_applicable", f"{message} (R5)", object=needless[0])
    made = _issued(call, place, (devices, block, points), bookings)
    call.world.insert(Permit(zone, made.version, wave, block, int(len(points) == len(required))))
    return done(call, made.ref)


def _chosen(call: Call, zone: str, devices: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return (device, pair partner, works) of the set.

    Raises:
        Rejection: unknown_object, for the first that is not the zone's.
    """
    found = call.world.sql(_SET, zone, dumps(devices))
    names = {row[0] for row in found}
    for device in devices:
        if device not in names:
            unknown(call, f"device of zone {zone}", device, "get_zone names its devices")
    return found


def _check_known(call: Call, points: Sequence[str]) -> None:
    for point in points:
        if not call.world.sql(_POINT, point):
            unknown(call, "point", point, "get_device names a device's feeds and stored points")


def _issued(
    call: Call, zone: Zone, asked: tuple[Sequence[str], str, Sequence[str]], bookings: Collection[Artifact]
) -> Artifact:
    devices, block, points = asked
    made = call.ledger.produce(
        f"PRM:{zone.zone}",
        {"devices": devices, "block": block, "points": points},
        mentions={"booking": [each.ref for each in bookings]},
        period=call.world.clock,
    )
    call.world.insert(*(Isolation(device, zone.zone, made.ref) for device in devices))
    call.ledger.freeze(*bookings)
    touch(call, devices)
    call.ledger.happened(f"isolated:{zone.wave}", zone.zone)
    return made


@operation(makes="close:{permit.subject}", repeat=False)
def close_isolation(call: Call, permit: PermitRef) -> dict[str, Json]:
    """Close a permit: its devices are restored."""
    found = cited(call, permit, "PRM")
    devices: list[str] = found.content["devices"]
    call.ledger.end(found.id, how=Ended.HISTORIC)
    for device in devices:
        call.world.delete(Isolation, device)
    touch(call, devices)
    return done(call)
