"""Runs of FieldOps in which something is wrong that no variation of one call comes to; all of it is refused.

Each names the code that the handbook's order gives: another precondition would refuse the same call, or nothing that
is delivered depends on it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from courses import Call, Course
from fieldops_reworks import EARLY, Reworks

from skillhorizon import Mutation, Sabotage
from skillhorizon_fieldops.rows import Batch
from skillhorizon_fieldops.truth import MINIMUM_BP, rating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from skillhorizon import World
    from skillhorizon.construction.workshop import Built
    from skillhorizon.model.journal import Record
    from skillhorizon.testing import Trap
    from skillhorizon_fieldops.rows import Device

NOTHING: dict[str, Any] = {"sections": [], "accounts": []}
_NOBODY, _NO_WAVE = "C999", 9_999
_MOST_MINUTES = 1_000_000
_GOLD = "gold"


def refused(built: Built, records: Sequence[Record]) -> Iterator[Trap]:
    """Yield the traps of one task; those that it has no place for are left out."""
    course = Course.of(built, records)
    for lay in LAID:
        yield from lay(course)


def strangers(course: Course) -> Iterator[Trap]:
    """Ids that nothing has."""
    reserved, booked = course.first("reserve_parts"), course.first("assign_crew")
    line = {**course.said(reserved)["lines"][0], "batch": "B999"}
    yield course.changed("unknown_object", reserved, lines=[line])
    zone = course.said(booked)["job"].partition(".")[0]
    for changes in ({"job": "Z999.head"}, {"job": f"{zone}.tail"}, {"wave": _NO_WAVE}):
        yield course.changed("unknown_object", booked, **changes)
    isolated = course.first("issue_isolation")
    elsewhere = {**course.said(isolated), "zone": "Z999"}
    yield course.refused("unknown_object", isolated, ("issue_isolation", elsewhere), culprit="Z999")
    yield course.changed("unknown_object", isolated, points=["P999"])
    yield course.changed("unknown_object", course.first("perform_work"), cause="DGN:D999@1")
    yield course.changed("unknown_object", course.first("run_test"), device="D999")
    yield course.changed("unknown_object", course.first("post_account"), wave=_NO_WAVE)
    for call in _about_strangers(course.plan.facts.crews[0].crew):
        yield course.refused("unknown_object", 0, call)


def _about_strangers(crew: str) -> Iterator[Call]:
    yield "settle_parts", {"lines": [{"device": "D999", "returned": 0, "scrapped": 0}]}
    yield "accept_section", {"section": "A99", "commissions": []}
    for named in ({"crew": _NOBODY, "wave": 1}, {"crew": crew, "wave": _NO_WAVE}):
        yield "request_relief", {"overtime": {**named, "block": EARLY}}


def twice(course: Course) -> Iterator[Trap]:
    """Objects that stand in a list twice, and a service that is commissioned although it is."""
    accepted, made = course.first("accept_section"), course.first("commission_service")
    commissions = course.said(accepted)["commissions"]
    yield course.changed("duplicate_object", accepted, commissions=[commissions[0], *commissions])
    for settled in course.numbers("settle_parts"):
        yield course.changed("duplicate_object", settled, lines=course.said(settled)["lines"] * 2)
    again = ("commission_service", {**course.said(made), "capacity": 1})
    yield course.refused("already_current", made, course.calls[made], again)


def under_way(course: Course) -> Iterator[Trap]:
    """What waits until permits are closed and parts are settled is asked for before."""
    work, reserved = course.first("perform_work"), course.first("reserve_parts")
    device = course.said(work)["device"]
    service = Reworks(course).places.carried[device][0]
    blank = {"service": service, "certificates": [], "needs": [], "capacity": 0, "load": 0, "headroom_bp": 0}
    yield course.refused("isolation_open", work, ("accept_system", NOTHING))
    yield course.refused("member_isolated", work, ("commission_service", blank))
    yield course.refused("device_isolated", work, course.calls[work], ("run_test", {"device": device}))
    yield course.refused("reservation_open", reserved, course.calls[reserved], ("accept_system", NOTHING))


def unsettled(course: Course) -> Iterator[Trap]:
    """A device with units to settle gets parts again."""
    for settled in course.numbers("settle_parts"):
        device = course.said(settled)["lines"][0]["device"]
        line = [line for at in course.numbers("reserve_parts") for line in course.said(at)["lines"]]
        own = [each for each in line if each["device"] == device]
        yield course.refused("unsettled", settled, ("reserve_parts", {"lines": own[:1]}))


def outdated(course: Course) -> Iterator[Trap]:
    """Versions are cited that have ended."""
    for number in course.numbers("commission_service"):
        needs = course.said(number)["needs"]
        older = [_first(ref) for ref in needs]
        if older != needs:
            yield course.changed("not_current", number, needs=older)
    for number in course.numbers("perform_work"):
        permit = course.said(number)["permit"]
        if permit != _first(permit):
            yield course.changed("not_current", number, permit=_first(permit))
    accepted, posted = course.last("accept_system"), course.last("post_account")
    more = {**course.said(posted), "crew_minutes": course.said(posted)["crew_minutes"] + 1}
    yield course.refused("not_current", accepted, ("post_account", more), course.calls[accepted])


def _first(ref: str) -> str:
    return f"{ref.rpartition('@')[0]}@1"


def failing(course: Course) -> Iterator[Trap]:
    """A service is commissioned on a certificate that says fail."""
    places = Reworks(course).places
    for number in course.numbers("certify_tests"):
        for entry in course.said(number)["entries"]:
            alone = [name for name in places.carried[entry["device"]] if places.members[name] == [entry["device"]]]
            if entry["verdict"] == "fail" and alone:
                with course.world(number) as world:
                    last = world.ledger.last(name := f"CRT:{entry['device']}")
                made = {"certificates": [f"{name}@{1 + (last.version if last else 0)}"], "needs": []}
                asked = course.said(course.first("commission_service", service=alone[0]))
                yield course.refused(
                    "verdict_fail", number, course.calls[number], ("commission_service", {**asked, **made})
                )


def misplaced(course: Course) -> Iterator[Trap]:
    """Blocks that are not open to a zone, and more minutes than a crew has."""
    facts = course.plan.facts
    windows = {(window.zone, window.wave, window.block) for window in facts.windows}
    number = course.first("issue_isolation")
    said = course.said(number)
    other = "E" if said["block"] == "L" else "L"
    if (said["zone"], 1, other) not in windows:
        yield course.changed("window_not_open", number, block=other)
    yield course.changed("crew_block_full", course.first("assign_crew"), minutes=_MOST_MINUTES)


def stocks(course: Course) -> Iterator[Trap]:
    """Batches that are expired, quarantined or nearly empty, or stand in for the pair partner's."""
    devices = Reworks(course).places.devices
    for number in course.numbers("reserve_parts"):
        with course.world(number) as world:
            batches = {batch.batch: batch for batch in world.select(Batch)}
            wave = world.clock
        for line in course.said(number)["lines"]:
            device, own = devices[line["device"]], batches[line["batch"]]
            if device.pair is None:
                for code, other in _unfit(batches.values(), own, wave, line["qty"]):
                    yield course.changed(code, number, lines=[{**line, "batch": other.batch}])
            else:
                yield from _partners(course, number, line, device.pair)


def _unfit(batches: Iterable[Batch], own: Batch, wave: int, qty: int) -> Iterator[tuple[str, Batch]]:
    """Yield one batch of the same part for each way in which it cannot be reserved."""
    found: dict[str, Batch] = {}
    for batch in batches:
        if batch.part == own.part:
            usable = batch.status == "released" and batch.expiry_wave >= wave
            code = "batch_unusable" if not usable else "stock_short" if batch.free < qty else ""
            found.setdefault(code, batch)
    return ((code, batch) for code, batch in found.items() if code)


def _partners(course: Course, number: int, line: dict[str, Any], partner: str) -> Iterator[Trap]:
    """Reserve what the pair partner has reserved in the same wave."""
    lines = course.said(number)["lines"]
    for other in lines:
        if other["device"] == partner:
            mixed = {**line, "batch": other["batch"]}
            yield course.refused("pair_batch", number, course.calls[number], ("reserve_parts", {"lines": [mixed]}))


def derated(course: Course) -> Iterator[Trap]:
    """A part is fitted that leaves a service too little headroom, and its figures are right."""
    places = Reworks(course).places
    for number in course.numbers("reserve_parts"):
        lines = course.said(number)["lines"]
        for line in lines:
            for batch, derate_bp in _alternates(course, number, places.devices[line["device"]], line["qty"]):
                changed = ("reserve_parts", {"lines": [{**line, "batch": batch}]})
                others = [other for other in lines if other is not line]
                calls = [("reserve_parts", {"lines": others}), changed] if others else [changed]
                yield from _short(course, number, (line["device"], derate_bp), calls)


def _alternates(course: Course, number: int, device: Device, qty: int) -> Iterator[tuple[str, int]]:
    """Yield the first expiring batch of each derated part that fits a device, with what it takes off."""
    family = Reworks(course).places.card(device.device).family
    with course.world(number) as world:
        batches = [b for b in world.select(Batch) if b.status == "released" and b.expiry_wave >= world.clock]
    for fit in course.plan.facts.fits:
        if (fit.family, fit.device_class) == (family, device.device_class) and fit.derate_bp:
            found = [each for each in batches if each.part == fit.part and each.free // each.pack * each.pack >= qty]
            if found and fit.rev_lo <= device.hw_rev <= fit.rev_hi and device.pair is None:
                yield min(found, key=lambda each: (each.expiry_wave, each.batch)).batch, fit.derate_bp


def _short(course: Course, number: int, fitted: tuple[str, int], calls: list[Call]) -> Iterator[Trap]:
    places, (name, derate_bp) = Reworks(course).places, fitted
    for service in places.carried[name]:
        made = course.first("commission_service", service=service)
        said = course.said(made)
        parts = [(places.devices[each].rated, derate_bp if each == name else 0) for each in places.members[service]]
        capacity = min(rating(*part) for part in parts)
        headroom_bp = (capacity - said["load"]) * 10_000 // said["load"]
        if headroom_bp < MINIMUM_BP[places.services[service].tier]:
            right = {**said, "capacity": capacity, "headroom_bp": headroom_bp}
            between = course.calls[number + 1 : made]
            yield course.refused("headroom_short", number, *calls, *between, ("commission_service", right))


def sweeping(course: Course) -> Iterator[Trap]:
    """Finished devices are doubted in the sweep, and worked again in ways that are not allowed."""
    reworks, end = Reworks(course), course.last("accept_system")
    first, second, *_ = apart = reworks.apart()
    yield course.refused("window_not_open", end, reworks.doubted(first), reworks.booked(first, wave=1))
    touched = [*reworks.opened(first), reworks.closed(first)]
    yield course.refused("not_current", end, *touched, course.calls[end])
    other = reworks.worked(first, permit=reworks.next(f"PRM:{second.zone}"))
    yield course.refused("wrong_provenance", end, *reworks.opened(first, second), other)
    yield course.refused("bad_cause", end, *reworks.failed(first))
    limit = course.plan.resources["permits"]
    if len(apart) > limit:
        yield course.refused("permit_limit", end, *reworks.opened(*apart[: limit + 1]))
    for device in reworks.devices:
        partner = next((each for each in reworks.devices if each.device == device.pair), None)
        if partner is not None:
            yield course.refused("n_minus_one", end, *reworks.opened(device, partner))
        if _carries_gold(reworks, device):
            yield course.refused("service_impact", end, *reworks.opened(device, block=EARLY))


def _carries_gold(reworks: Reworks, device: Device) -> bool:
    """Return whether a gold service has a member below a device."""
    places = reworks.places
    below = [service for name in places.below.get(device.device, ()) for service in places.carried[name]]
    return any(places.services[service].tier == _GOLD for service in below)


def after_the_end(course: Course) -> Iterator[Trap]:
    """The sweep is closed, and work goes on."""
    end, close = len(course.calls), ("close_wave", {"wave": course.plan.waves + 1})
    for tool in ("reserve_parts", "assign_crew", "issue_isolation"):
        yield course.refused("wave_closed", end, close, course.calls[course.first(tool)])
    relief = ("request_relief", {"expedite": course.plan.facts.batches[0].part})
    yield course.refused("wave_closed", end, close, relief)


LAID: tuple[Callable[[Course], Iterable[Trap]], ...] = (
    strangers,
    twice,
    under_way,
    unsettled,
    outdated,
    failing,
    misplaced,
    stocks,
    derated,
    sweeping,
    after_the_end,
)


def _opening_changed(world: World) -> None:
    first = world.select(Batch)[0]
    world.update(Batch, first.batch, opening=first.opening + 1, free=first.free + 1)


def _unit_lost(world: World) -> None:
    first = next(batch for batch in world.select(Batch) if batch.free)
    world.update(Batch, first.batch, free=first.free - 1)


def _forging(edit: Callable[[World], None], _plan: Any) -> Sabotage:
    return Sabotage(edit=edit, fails=frozenset({"D4"}), only=True)


FORGERIES = (
    Mutation[Any]("opening-changed", partial(_forging, _opening_changed)),
    Mutation[Any]("unit-lost", partial(_forging, _unit_lost)),
)
"""Changes of the final state past the gateway, which no call can make."""
