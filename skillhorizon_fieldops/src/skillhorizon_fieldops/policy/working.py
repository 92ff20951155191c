"""Work in the field: isolating, working, handing back; rework, and settling the parts left over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Json, Refused
from skillhorizon_fieldops.policy.memory import Parts, Permit
from skillhorizon_fieldops.policy.planning import book, chunks, reserve, rework_job, zone_jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from skillhorizon_fieldops.policy.desk import Desk


def work_zone(desk: Desk, zone: str) -> None:
    """Reserve again what is not current, then isolate, work and hand back the zone's unworked devices.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when something the work needs is not current.
    """
    reserve(desk, desk.unworked(zone))
    by_block: dict[str, dict[str, str]] = {}
    for device in desk.unworked(zone):
        job = f"{zone}.{desk.devices[device].of_class}"
        desk.ref("BKG", job)
        by_block.setdefault(desk.bookings[job].block, {})[device] = job
    for block in sorted(by_block):
        work_under_permit(desk, zone, by_block[block], block)
    hand_back(desk, zone)


def rebook(desk: Desk, zone: str) -> None:
    """Book the jobs of a zone that are not booked, in the block that is open now."""
    book(desk, [*zone_jobs(desk, zone, desk.open_wave)])


def rework(desk: Desk, device: str, *, reseat: bool) -> None:
    """Work a device again, alone, in block L; parts are reserved unless it is reseated.

    Raises:
        Refused: when a call is not accepted.
    """
    zone = desk.devices[device].zone
    hand_back(desk, zone)
    if not reseat:
        reserve(desk, [device])
    if device not in desk.current["BKG"]:
        book(desk, [rework_job(desk, device, reseat=reseat)])
    work_under_permit(desk, zone, {device: device}, desk.bookings[device].block)


def replace(desk: Desk, device: str) -> None:
    """Replace the parts of work that a recall ended.

    Raises:
        Refused: when a call is not accepted.
    """
    settle(desk, [device])
    rework(desk, device, reseat=False)


def work_under_permit(desk: Desk, zone: str, jobs: Mapping[str, str], block: str) -> None:
    """Isolate devices of a zone, work those not worked yet under the permit, and hand them back.

    Args:
        desk: the policy's memory.
        zone: the zone.
        jobs: the booked job of each device.
        block: the block of those bookings.
    """
    permit = desk.permits.get(zone)
    if permit is None or not permit.safe or not jobs.keys() <= {*permit.devices}:
        hand_back(desk, zone)
        permit = isolate(desk, zone, sorted(jobs), block)
    for device in sorted(jobs):
        perform(desk, device, jobs[device], permit)
    hand_back(desk, zone)


def isolate(desk: Desk, zone: str, devices: list[str], block: str) -> Permit:
    """Lock the boundary and the stored energy of devices (R5)."""
    read = [desk.devices[each] for each in devices]
    feeds = sorted({(point, start, end) for each in read for point, start, end, _ in each.feeds})
    stored = [[point, each.id] for each in read for point in each.stored]
    data: dict[str, Json] = {"devices": [*devices], "feeds": [[*feed] for feed in feeds], "stored": [*stored]}
    points = desk.client.script("plan-isolation", "isolation_points.py", data)["points"]
    desk.do("issue_isolation", zone=zone, devices=[*devices], block=block, points=points)
    desk.permits[zone] = Permit(desk.current["PRM"][zone], devices)
    return desk.permits[zone]


def perform(desk: Desk, device: str, job: str, permit: Permit) -> None:
    """Work one device under a permit: by its diagnosis, or by the failing certificate of poor work.

    Raises:
        Refused: when the call is not accepted; a permit that lacks a point is then issued again.
        Skipped: when something the work needs is not current.
    """
    failure = desk.failed.get(device)
    reseat = failure is not None and failure.indicator == "absent" and desk.worked(device)
    cause = failure.certificate if failure is not None and reseat else desk.ref("DGN", device)
    inputs: dict[str, Json] = {"cause": cause, "permit": permit.ref, "booking": desk.ref("BKG", job)}
    if desk.card(device).family and not reseat:
        inputs["reservation"] = desk.ref("RSV", device)
    try:
        answer = desk.do("perform_work", device=device, **inputs)
    except Refused as refusal:
        permit.safe = refusal.code != "energy_present"
        raise
    if not reseat:
        fitted(desk, device, answer["rest"])
    finished(desk, device, job)


def fitted(desk: Desk, device: str, rest: int) -> None:
    """Note which batch a device now has, and what is left over of its reservation."""
    desk.installed.pop(device, None)
    if desk.card(device).family:
        parts = desk.reserved.pop(device)
        desk.current["RSV"].pop(device, None)
        desk.installed[device] = parts.batch
        if rest:
            desk.rests[device] = Parts(parts.batch, parts.qty, parts.qty + rest)


def finished(desk: Desk, device: str, job: str) -> None:
    """Note that a device was worked; a rework booking is used up."""
    desk.begun.add(device)
    desk.failed.pop(device, None)
    if job == device:
        desk.current["BKG"].pop(job, None)


def hand_back(desk: Desk, zone: str) -> None:
    """Close a zone's permit if one is open."""
    permit = desk.permits.get(zone)
    if permit is not None:
        desk.do("close_isolation", permit=permit.ref)
        del desk.permits[zone]


def settle(desk: Desk, devices: Iterable[str]) -> None:
    """Settle what the work of devices left over, twelve at a time (R3)."""
    for part in chunks(sorted(desk.rests.keys() & {*devices})):
        rests = [(each, desk.rests[each]) for each in part]
        data: dict[str, Json] = {
            "lines": [
                {"device": each, "withdrawn": rest.withdrawn, "used": rest.qty, "status": desk.status(rest.batch)}
                for each, rest in rests
            ]
        }
        lines = desk.client.script("execute-work", "settle.py", data)["lines"]
        desk.do("settle_parts", lines=lines)
        for each in part:
            del desk.rests[each]
