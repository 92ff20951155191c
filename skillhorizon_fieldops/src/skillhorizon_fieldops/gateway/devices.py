"""Reading devices and zones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Call, Cursor, Json, Limit, loads, page, query, query_page
from skillhorizon_fieldops.gateway.arguments import DeviceId, DeviceStatus, WaveNumber, ZoneId
from skillhorizon_fieldops.gateway.known import condition_of, known_device, known_wave, known_zone
from skillhorizon_fieldops.gateway.status import DEVICE_STANDING, DEVICE_STATUS, current_of, statuses
from skillhorizon_fieldops.rows import Device, History, Isolation, Reading, Site, StoredPoint, Window

if TYPE_CHECKING:
    from skillhorizon import World

ZONE_PAGE = 4
"""Device rows on a page of a zone."""
_COLUMNS = ("device", "zone", "class", "status")
_ROW = (
    "device",
    "class",
    "model",
    "hw_rev",
    "pair",
    "ref_service",
    "rated",
    "status",
    "current",
    "installed",
    "readings",
    "feeds",
    "stored",
    "services",
)
_FEEDS = """
    SELECT point, upstream, downstream, normal FROM feed WHERE upstream = ?
    UNION SELECT point, upstream, downstream, normal FROM feed WHERE downstream = ? ORDER BY point"""
_SERVICES = "SELECT service FROM member WHERE device = ? ORDER BY service"
_IN_ZONE = "SELECT device FROM device WHERE zone = ? ORDER BY device"
_BOOKINGS = """
    SELECT a.id || '@' || a.version, b.crew, b.wave, b.block, b.minutes,
        (SELECT json_group_array(device) FROM
            (SELECT device FROM holding WHERE job = b.job AND version = b.version AND used = 0 ORDER BY device))
    FROM artifact a JOIN booking b ON b.job = a.subject AND b.version = a.version
    WHERE a.ended IS NULL AND a.id IN (
        SELECT 'BKG:' || ?1 || '.' || level.value FROM json_each('["head","mid","edge"]') level
        UNION ALL SELECT 'BKG:' || device FROM device WHERE zone = ?1)
    ORDER BY a.id"""


@query
def list_devices(
    call: Call,
    wave: WaveNumber | None = None,
    zone: ZoneId | None = None,
    status: DeviceStatus | None = None,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List devices of a wave or a zone, or of one status: rework, else open, worked, tested or certified."""
    if wave is not None:
        known_wave(call, wave)
    if zone is not None:
        known_zone(call, zone)
    text = f"SELECT d.device, d.zone, d.device_class, {DEVICE_STATUS} AS status FROM {DEVICE_STANDING}"  # noqa: S608  # fixed texts
    chosen = {"d.wave": wave, "d.zone": zone, "status": status}
    return query_page(call, text, _COLUMNS, chosen, order="d.device", limit=limit, cursor=cursor)


def _facts(world: World, device: Device) -> dict[str, Json]:
    """Return what is fixed about a device besides its own columns."""
    name = device.device
    return {
        "readings": {each.metric: each.samples for each in world.select(Reading, device=name)},
        "feeds": [list(feed) for feed in world.sql(_FEEDS, name, name)],
        "stored": [each.point for each in world.select(StoredPoint, device=name)],
        "services": [service for (service,) in world.sql(_SERVICES, name)],
    }


def _described(call: Call, device: Device, status: str) -> dict[str, Json]:
    stands = condition_of(call, device.device)
    return {
        "device": device.device,
        "class": device.device_class,
        "model": device.model,
        "hw_rev": device.hw_rev,
        "pair": device.pair,
        "ref_service": device.ref_service,
        "rated": device.rated,
        "status": status,
        "current": current_of(call, device.device) if stands.diagnosed is not None or stands.works else [],
        "installed": None if stands.part is None else [stands.part, stands.batch, stands.derate_bp],
        **_facts(call.world, device),
    }


def _windows(world: World, zone: str) -> list[Json]:
    return [[each.wave, each.block, each.status] for each in world.select(Window, zone=zone)]


@query
def get_device(call: Call, device: DeviceId) -> dict[str, Json]:
    """Read one device: its facts, where it stands, and its history."""
    found = known_device(call, device)
    isolation = call.world.get(Isolation, device)
    history = call.world.select(History, device=device)
    return {
        **_described(call, found, statuses(call, [device])[device]),
        "zone": found.zone,
        "wave": found.wave,
        "permit": None if isolation is None else isolation.permit,
        "windows": _windows(call.world, found.zone),
        "history": [[each.weeks, each.action] for each in history],
    }


@query
def get_zone(call: Call, zone: ZoneId, cursor: Cursor | None = None) -> dict[str, Json]:
    """Read one zone: site, windows, current bookings with the devices still to work, permit, four devices a page."""
    found = known_zone(call, zone)
    site, permit = call.world.get(Site, found.site), call.ledger.current(f"PRM:{zone}")
    shown = page(call.world.sql(_IN_ZONE, zone), ("device",), limit=ZONE_PAGE, cursor=cursor)
    return {
        "zone": zone,
        "site": found.site,
        "region": None if site is None else site.region,
        "access_bp": None if site is None else site.access_bp,
        "wave": found.wave,
        "windows": _windows(call.world, zone),
        "bookings": [[*row, loads(devices)] for *row, devices in call.world.sql(_BOOKINGS, zone)],
        "permit": None if permit is None else permit.ref,
        "devices": {**shown, "columns": list(_ROW), "rows": _zone_rows(call, [name for (name,) in shown["rows"]])},
    }


def _zone_rows(call: Call, devices: list[str]) -> list[Json]:
    status = statuses(call, devices)
    described: list[dict[str, Any]] = [_described(call, known_device(call, name), status[name]) for name in devices]
    return [[each[column] for column in _ROW] for each in described]
