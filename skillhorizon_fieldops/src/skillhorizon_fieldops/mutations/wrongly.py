"""Wrong first diagnoses, found by their tests and repaired."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Rng, Sabotage
from skillhorizon_fieldops.config import BLOCKS
from skillhorizon_fieldops.mutations.places import Places
from skillhorizon_fieldops.plan import BatchRecall, CrewChange
from skillhorizon_fieldops.truth import RESEAT_MIN, SHIFT, minutes

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

_SHARE = 4
_ARRESTER, _RECALLED = "arrester", 3
Place = tuple[int, str]
"""wave, class."""


def first_diagnoses_wrong(plan: Plan) -> Sabotage | None:
    """Diagnose up to a quarter of the devices wrong at first, as far as crews can take the rework."""
    places = Places(plan)
    wrong = _chosen(places)
    waiting = dict(wrong)

    def script(called: str, _data: Any, output: Any) -> Any:
        if called != "diagnose.py":
            return output
        entries = [{**entry, "fault": waiting.pop(entry["device"], entry["fault"])} for entry in output["entries"]]
        return {**output, "entries": entries}

    return Sabotage(script=script) if wrong else None


def _chosen(places: Places) -> dict[str, str]:
    """Draw devices, each with a wrong fault whose card takes no parts; arresters are left out, whose tests count."""
    crews = _Crews(places)
    spare = crews.spare()
    out: dict[str, str] = {}
    for name in Rng("first-diagnoses-wrong").shuffled(sorted(places.devices)):
        device, card = places.devices[name], places.card(name)
        fault, place = places.without_parts(name), (device.wave, device.device_class)
        extra = crews.alone(name, card.base_min)
        if card.family not in {None, _ARRESTER} and extra <= spare[place] and len(out) < len(places.devices) // _SHARE:
            spare[place] -= extra
            out[name] = fault
    return out


@attrs.frozen
class _Crews:
    """What the crews of a plan can take."""

    places: Places

    def at(self, name: str, base_min: int) -> int:
        """Return the minutes at a device."""
        access = self.places.sites[self.places.devices[name].zone].access_bp
        return minutes(base_min, access, stored=name in self.places.stored)

    def travel(self, zone: str) -> int:
        """Return the longest travel to a zone."""
        region = self.places.sites[zone].region
        return max(row.minutes for row in self.places.plan.facts.travel if row.destination == region)

    def alone(self, name: str, base_min: int) -> int:
        """Return the minutes of a job at one device alone."""
        return self.at(name, base_min) + self.travel(self.places.devices[name].zone)

    def spare(self) -> dict[Place, int]:
        """Return by wave and class the minutes that each block surely has left, whatever fits where.

        First fit places a job as long as all crews together hold no more than what each holds beside a largest job.
        """
        jobs, counts = self._jobs(), Counter(crew.primary_class for crew in self.places.plan.facts.crews)
        withdrawn = any(isinstance(update, CrewChange) for update in self.places.plan.updates)
        out = {}
        for (wave, own), load in self._load(jobs).items():
            longest = max(job for (_, of, _), job in jobs.items() if of == own)
            out[wave, own] = (counts[own] - withdrawn) * (SHIFT - longest) - load
        return out

    def _jobs(self) -> dict[tuple[int, str, str], int]:
        """Return (wave, class, zone) -> minutes of its job, by the longer of the true card and the wrong one."""
        out: dict[tuple[int, str, str], int] = {}
        for name, device in self.places.devices.items():
            other = self.places.cards[device.model, self.places.without_parts(name)]
            key = device.wave, device.device_class, device.zone
            base = max(self.places.card(name).base_min, other.base_min)
            out[key] = out.get(key, self.travel(device.zone)) + self.at(name, base)
        return out

    def _load(self, jobs: dict[tuple[int, str, str], int]) -> dict[Place, int]:
        """Return what the fuller block of a wave may have to take: its zones, one that moves in, reseats, a recall."""
        facts = self.places.plan.facts
        blocks = {window.zone: window.block for window in facts.windows if window.wave <= self.places.plan.waves}
        out: dict[Place, int] = {}
        for wave, own in sorted({(wave, own) for wave, own, _ in jobs}):
            mine = [(blocks[zone], job) for (due, of, zone), job in jobs.items() if (due, of) == (wave, own)]
            fuller = max(sum(job for block, job in mine if block == name) for name in BLOCKS)
            moved = max(job for _, job in mine) * (1 + _RECALLED * self._recalled(wave))
            out[wave, own] = fuller + moved + self._reseats(wave, own)
        return out

    def _recalled(self, wave: int) -> bool:
        return any(isinstance(update, BatchRecall) and update.wave == wave for update in self.places.plan.updates)

    def _reseats(self, wave: int, own: str) -> int:
        infants = [self.places.devices[name] for name in sorted(self.places.plan.truth.infants)]
        return sum(self.alone(d.device, RESEAT_MIN) for d in infants if (d.wave, d.device_class) == (wave, own))
