"""Other ways that are as good: an alternate part where headroom allows, another crew, the sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Sabotage, Step
from skillhorizon_fieldops.config import CLASSES
from skillhorizon_fieldops.mutations import course
from skillhorizon_fieldops.mutations.places import Places
from skillhorizon_fieldops.truth import MINIMUM_BP, figures, rating

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan
    from skillhorizon_fieldops.rows import Batch, Fit

_ARRESTER = "arrester"
_LOWER_REVS = 5


def alternate_part(plan: Plan) -> Sabotage | None:
    """Fit a derated part where every service keeps its headroom, whatever demands become."""
    places = Places(plan)
    for name, device in places.devices.items():
        card = places.card(name)
        if _alone(places, name):
            fit = next(f for f in plan.facts.fits if _alternate(f, str(card.family), device.device_class))
            batch = _first_expiring(plan, fit.part, card.qty, device.wave)
            if batch is not None and _roomy(places, name, fit.derate_bp):
                return Sabotage(script=_choosing(name, batch))
    return None


def _alone(places: Places, name: str) -> bool:
    """Whether nobody else of a device's wave, nor a partner or a recall, may take the part that it leaves."""
    if places.card(name).family in {None, _ARRESTER} or places.devices[name].pair is not None:
        return False
    own = _regular(places, name)
    return sum(_regular(places, other) == own for other in places.devices) == 1


def _regular(places: Places, name: str) -> tuple[str | None, str, bool, int]:
    """Return what tells apart the regular parts that a wave takes."""
    device = places.devices[name]
    return places.card(name).family, device.device_class, device.hw_rev <= _LOWER_REVS, device.wave


def _alternate(fit: Fit, family: str, device_class: str) -> bool:
    return (fit.family, fit.device_class) == (family, device_class) and fit.derate_bp > 0


def _first_expiring(plan: Plan, part: str, qty: int, wave: int) -> Batch | None:
    """Return the usable batch of a part that nobody else takes."""
    usable = [
        batch
        for batch in plan.facts.batches
        if (batch.part, batch.status) == (part, "released")
        and batch.expiry_wave >= wave
        and batch.free >= _packed(qty, batch.pack)
    ]
    return min(usable, key=lambda batch: (batch.expiry_wave, batch.batch), default=None)


def _packed(qty: int, pack: int) -> int:
    return -(-qty // pack) * pack


def _roomy(places: Places, name: str, derate_bp: int) -> bool:
    demands = course.highest_demands(places)
    shares = {(need.service, need.need): need.share_bp for need in places.plan.facts.needs}
    for service in places.carried[name]:
        ratings = [rating(places.devices[m].rated, derate_bp if m == name else 0) for m in places.members[service]]
        own = [(demands[other], shares[other, service]) for other in places.dependents.get(service, ())]
        found = figures(ratings, demands[service], own)
        if found.headroom_bp < MINIMUM_BP[places.services[service].tier]:
            return False
    return True


def _choosing(name: str, batch: Batch) -> Any:
    def script(called: str, _data: Any, output: Any) -> Any:
        if called != "select_parts.py" or all(line["device"] != name for line in output["lines"]):
            return output
        lines = [{**line, "batch": batch.batch} if line["device"] == name else line for line in output["lines"]]
        qty = next(line["qty"] for line in lines if line["device"] == name)
        return {"lines": lines, "withdrawn": {**output["withdrawn"], name: _packed(qty, batch.pack)}}

    return script


def other_crew(plan: Plan) -> Sabotage | None:
    """Have the first job of the first wave done by another qualified crew, with its own travel."""
    places = Places(plan)
    zone = min(zone.zone for zone in plan.facts.zones if zone.wave == 1)
    own = [device for device in places.devices.values() if device.zone == zone]
    device_class = min((device.device_class for device in own), key=CLASSES.index)
    crews = [crew for crew in plan.facts.crews if device_class in {crew.primary_class, crew.other_class}]
    # The last by id is what first fit takes last.
    other = max(crews, key=lambda crew: (crew.other_class == device_class, crew.crew))
    region, bases = places.sites[zone].region, {crew.crew: crew.region for crew in plan.facts.crews}
    travel = {(row.origin, row.destination): row.minutes for row in plan.facts.travel}

    def script(called: str, _data: Any, output: Any) -> Any:
        if called != "crew_minutes.py":
            return output
        jobs = [[*job] for job in output["jobs"]]
        for job in jobs:
            if job[0] == f"{zone}.{device_class}":
                job[2] += travel[other.region, region] - travel[bases[job[1]], region]
                job[1] = other.crew
        return {**output, "jobs": jobs}

    return Sabotage(script=script)


def zone_in_the_sweep(plan: Plan) -> Sabotage:
    """Leave one booked zone of the last wave to the sweep."""
    zone = max(zone.zone for zone in plan.facts.zones if zone.wave == plan.waves)
    left = [False]

    def skip(step: Step) -> bool:
        first = not left[0] and step.module == f"access:{zone}" and not step.update
        left[0] = left[0] or first
        return first

    return Sabotage(skip=skip)
