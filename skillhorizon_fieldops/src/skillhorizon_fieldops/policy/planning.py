"""A wave's plan: diagnoses, reservations and bookings, twelve at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Json, Refused, Skipped
from skillhorizon_fieldops.policy.memory import CHUNK, CLASSES, Booking, Parts
from skillhorizon_fieldops.policy.reading import crews_of, read_batches, read_wave

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon_fieldops.policy.desk import Desk

RESEAT_MINUTES = 20


@attrs.frozen
class Job:
    """A job to book: its class, when, where, and [base_min, stored] of its devices."""

    id: str
    of_class: str
    wave: int
    block: str
    zone: str
    devices: list[list[int]]


def plan_wave(desk: Desk, wave: int) -> None:
    """Read a wave, diagnose its devices, reserve their parts and book their jobs; go on from what is done.

    Raises:
        Refused: when a call is not accepted.
    """
    devices = read_wave(desk, wave)
    diagnose(desk, [each for each in devices if each not in desk.current["DGN"]])
    reserve(desk, devices)
    zones = sorted({desk.devices[each].zone for each in devices})
    book(desk, [job for zone in zones for job in zone_jobs(desk, zone, wave)])


def chunks(items: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield a list in parts of twelve."""
    return ([*items[start : start + CHUNK]] for start in range(0, len(items), CHUNK))


def diagnose(desk: Desk, devices: Sequence[str]) -> None:
    """Find and record the faults of devices (R2)."""
    for part in chunks(devices):
        found = [desk.devices[each] for each in part]
        cases = [
            {"device": d.id, "model": d.model, "hw_rev": d.hw_rev, "readings": {k: [*v] for k, v in d.readings.items()}}
            for d in found
        ]
        editions = [edition for model in sorted({d.model for d in found}) for edition in desk.editions[model]]
        data: dict[str, Json] = {"cases": [*cases], "editions": [*editions]}
        entries = desk.client.script("diagnose-case", "diagnose.py", data)["entries"]
        desk.do("record_diagnosis", entries=entries)
        desk.faults.update({each["device"]: each["fault"] for each in entries})


def reserve(desk: Desk, devices: Sequence[str]) -> None:
    """Reserve the parts of the diagnosed devices that need some and have none reserved (R3)."""
    wanting = [each for each in devices if desk.card(each).family and each not in desk.current["RSV"]]
    fits = {each: fitting(desk, each) for each in wanting}
    read_batches(desk, [fit[2] for fit in fits.values()])
    for part in chunks(wanting):
        used = sorted({tuple(fits[each]) for each in part})
        parts = {fit[2] for fit in used}
        batches = sorted((each for each in desk.batches.values() if each.part in parts), key=lambda each: each.id)
        data: dict[str, Json] = {
            "wave": desk.open_wave,
            "cases": [parts_case(desk, each) for each in part],
            "batches": [each.row() for each in batches],
            "fits": [[*fit] for fit in used],
        }
        chosen = desk.client.script("select-parts", "select_parts.py", data)
        desk.do("reserve_parts", lines=chosen["lines"])
        for line in chosen["lines"]:
            withdraw(desk, line, chosen["withdrawn"][line["device"]])


def fitting(desk: Desk, device: str) -> list[Any]:
    """Return the fit of the least derated part for a diagnosed device.

    Raises:
        Skipped: when no part fits.
    """
    read, family = desk.devices[device], desk.card(device).family
    fits = [fit for fit in desk.fits[read.of_class] if fit[0] == family and fit[3] <= read.hw_rev <= fit[4]]
    if not fits:
        raise Skipped(f"no part of family '{family}' fits device '{device}'")
    return min(fits, key=lambda fit: (fit[5], fit[2]))


def parts_case(desk: Desk, device: str) -> dict[str, Json]:
    """Describe a device as `select_parts.py` takes it."""
    read, card = desk.devices[device], desk.card(device)
    need: dict[str, Json] = {"class": read.of_class, "hw_rev": read.hw_rev, "family": card.family, "qty": card.qty}
    return {"device": device, **need, "pair": read.pair, "taken": [*desk.taken(read.pair)]}


def withdraw(desk: Desk, line: dict[str, Any], units: int) -> None:
    """Note an accepted reservation, and what left its batch."""
    batch = desk.batches.get(line["batch"])
    if batch is not None:
        desk.batches[batch.id] = attrs.evolve(batch, free=batch.free - units)
    desk.reserved[line["device"]] = Parts(line["batch"], line["qty"], units)


def zone_jobs(desk: Desk, zone: str, wave: int) -> Iterator[Job]:
    """Yield the jobs of a zone's unworked devices that are not booked, in the block open in a wave."""
    block = desk.zones[zone].block(wave)
    for of_class in CLASSES:
        mine = [each for each in desk.unworked(zone) if desk.devices[each].of_class == of_class]
        job = f"{zone}.{of_class}"
        if mine and job not in desk.current["BKG"]:
            yield Job(job, of_class, wave, block, zone, [minutes_of(desk, each) for each in mine])


def rework_job(desk: Desk, device: str, *, reseat: bool) -> Job:
    """Return the job of reworking one device, in block L of the open wave."""
    read = desk.devices[device]
    base, stored = minutes_of(desk, device)
    minutes = [RESEAT_MINUTES if reseat else base, stored]
    return Job(device, read.of_class, desk.open_wave, "L", read.zone, [minutes])


def minutes_of(desk: Desk, device: str) -> list[int]:
    """Return [base_min, stored] of a diagnosed device."""
    return [desk.card(device).base_min, int(bool(desk.devices[device].stored))]


def book(desk: Desk, jobs: Sequence[Job]) -> None:
    """Book jobs with the first crews that have the minutes (R4).

    Raises:
        Refused: when a call is not accepted; the crews are read again afterwards.
    """
    try:
        for part in chunks(jobs):
            rows = desk.client.script("schedule-crew", "crew_minutes.py", crew_data(desk, part))["jobs"]
            for job, (name, crew, minutes) in zip(part, rows, strict=True):
                assign(desk, job, name, crew, minutes)
    except Refused:
        desk.crews.clear()
        raise


def crew_data(desk: Desk, jobs: Sequence[Job]) -> dict[str, Json]:
    """Describe jobs and the crews of their classes as `crew_minutes.py` takes them."""
    described: list[Json] = []
    for job in jobs:
        zone = desk.zones[job.zone]
        place: dict[str, Json] = {"block": job.block, "region": zone.region, "access_bp": zone.access_bp}
        described.append({"job": job.id, "class": job.of_class, **place, "devices": [[*each] for each in job.devices]})
    crews: list[Json] = [
        [crew, of_class, region, block, free]
        for wave, of_class, blocks in asked(jobs)
        for crew, region, block, free in crews_of(desk, wave, of_class)
        if block in blocks
    ]
    return {"jobs": described, "travel": [[*each] for each in desk.travel], "crews": crews}


def asked(jobs: Sequence[Job]) -> list[tuple[int, str, set[str]]]:
    """Return wave, class and blocks of the crews that jobs ask for; all jobs are of one wave."""
    classes = sorted({(job.wave, job.of_class) for job in jobs})
    return [(wave, name, {job.block for job in jobs if job.of_class == name}) for wave, name in classes]


def assign(desk: Desk, job: Job, name: str, crew: str, minutes: int) -> None:
    """Book one job and take its minutes off."""
    desk.do("assign_crew", job=name, crew=crew, wave=job.wave, block=job.block, minutes=minutes)
    desk.bookings[name] = Booking(job.wave, job.block)
    for row in desk.crews.get((job.wave, job.of_class), ()):
        if row[0] == crew and row[2] == job.block:
            row[3] -= minutes
