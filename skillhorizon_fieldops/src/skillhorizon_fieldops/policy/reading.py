"""What the policy reads: the brief, a wave's zones and services, manuals, batches, crews and procedures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import listed
from skillhorizon_fieldops.policy.memory import Batch, Card, Device, Service, Zone

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon_fieldops.policy.desk import Desk

PARTS_A_CALL = 4


def read_brief(desk: Desk) -> None:
    """Read waves, sections and travel times."""
    brief = desk.client.call("get_brief")
    desk.waves, desk.open_wave = brief["waves"], brief["open_wave"]
    desk.sections, desk.travel = brief["sections"], brief["travel"]


def read_wave(desk: Desk, wave: int) -> list[str]:
    """Read the zones and services of a wave that were not read yet, and their manuals; return the wave's devices."""
    rows = listed(desk.client, "list_devices", wave=wave)
    services = listed(desk.client, "list_services", wave=wave)
    for zone in sorted({row["zone"] for row in rows} - desk.zones.keys()):
        read_zone(desk, zone)
    for row in services:
        if row["service"] not in desk.services:
            read_service(desk, row["service"])
    found = [row["device"] for row in rows]
    for model in sorted({desk.devices[each].model for each in found} - desk.editions.keys()):
        read_manual(desk, model)
    return found


def read_zone(desk: Desk, zone: str) -> None:
    """Read a zone with all of its devices."""
    rows: list[dict[str, Any]] = []
    more: dict[str, str] = {}
    while True:
        data = desk.client.call("get_zone", zone=zone, **more)
        page = data["devices"]
        rows += tabled(page)
        if page["next"] is None:
            break
        more = {"cursor": page["next"]}
    desk.devices.update({row["device"]: Device.of(zone, row) for row in rows})
    windows = {(wave, block): status for wave, block, status in data["windows"]}
    devices = tuple(sorted(row["device"] for row in rows))
    desk.zones[zone] = Zone(zone, data["region"], data["access_bp"], data["wave"], windows, devices)
    desk.waiting.add(zone)


def read_service(desk: Desk, service: str) -> None:
    """Read a service; demands are those of now."""
    data = desk.client.call("get_service", service=service)
    needs, dependents = tabled(data["needs"]), tabled(data["dependents"])
    desk.demands[service] = data["demand"]
    desk.demands.update({row["service"]: row["demand"] for row in (*needs, *dependents)})
    desk.services[service] = Service(
        service,
        data["tier"],
        data["section"],
        [[row["device"], row["rated"]] for row in tabled(data["members"])],
        [row["service"] for row in needs],
        [[row["service"], row["share_bp"]] for row in dependents],
    )
    desk.follow("COM", service)


def read_manual(desk: Desk, model: str) -> None:
    """Read a model's editions with their rules, its cards, and the parts that fit its class."""
    data = desk.client.call("get_manual", model=model)
    rules: dict[str, list[list[Any]]] = {}
    for row in tabled(data["rules"]):
        line = [row["rank"], row["metric"], row["op"], row["threshold"], row["fault"]]
        rules.setdefault(row["edition"], []).append(line)
    editions = tabled(data["editions"])
    desk.editions[model] = [{"model": model, **row, "rules": rules[row["edition"]]} for row in editions]
    for row in tabled(data["cards"]):
        desk.cards[model, row["fault"]] = Card(row["family"], row["qty"], row["base_min"])
    of_class = data["class"]
    fits = [[r["family"], of_class, r["part"], r["rev_lo"], r["rev_hi"], r["derate_bp"]] for r in tabled(data["fits"])]
    desk.fits[of_class] = fits


def read_batches(desk: Desk, parts: Iterable[str]) -> None:
    """Read the batches of parts, four parts a call."""
    names = sorted(set(parts))
    for start in range(0, len(names), PARTS_A_CALL):
        for row in listed(desk.client, "list_batches", parts=[*names[start : start + PARTS_A_CALL]]):
            columns = ("batch", "part", "expiry_wave", "pack", "free", "status")
            desk.batches[row["batch"]] = Batch(*(row[name] for name in columns))


def crews_of(desk: Desk, wave: int, of_class: str) -> list[list[Any]]:
    """Return [crew, region, block, free] of the crews whose primary class it is, read again when in doubt."""
    if (wave, of_class) not in desk.crews:
        rows = listed(desk.client, "list_crews", wave=wave, device_class=of_class)
        desk.crews[wave, of_class] = [
            [row["crew"], row["region"], row["block"], row["free"]]
            for row in rows
            if row["primary"] == of_class and row["status"] == "open"
        ]
    return desk.crews[wave, of_class]


def procedures_of(desk: Desk, of_class: str) -> list[list[Any]]:
    """Return [class, edition, coef_bp, limit, kind] of the editions of a class's procedure."""
    if of_class not in desk.procedures:
        rows = tabled(desk.client.call("get_procedure", device_class=of_class)["editions"])
        columns = ("edition", "coef_bp", "limit", "kind")
        desk.procedures[of_class] = [[of_class, *(row[name] for name in columns)] for row in rows]
    return desk.procedures[of_class]


def tabled(part: dict[str, Any]) -> list[dict[str, Any]]:
    """Return rows by column name."""
    return [dict(zip(part["columns"], row, strict=True)) for row in part["rows"]]
