"""Calls by which a FieldOps device is doubted and worked again in the sweep, when everything else is done."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs
from courses import Course

from skillhorizon_fieldops.mutations.places import Places

if TYPE_CHECKING:
    from courses import Call

    from skillhorizon_fieldops.rows import Device

LATE, EARLY = "L", "E"
_FEW, _ENOUGH = 60, 200
"""Minutes: seven bookings of few fit into one block; enough are enough for any work."""
_VERSIONS = "SELECT id, max(version) FROM artifact GROUP BY id"


@attrs.define(eq=False)
class Reworks:
    """Makes the calls: versions are those that follow the reference's last ones."""

    course: Course

    @cached_property
    def places(self) -> Places:
        return Places(self.course.plan)

    @cached_property
    def versions(self) -> dict[str, int]:
        with self.course.world(len(self.course.calls)) as world:
            return dict(world.sql(_VERSIONS))

    @cached_property
    def devices(self) -> list[Device]:
        """The devices whose true repair takes parts, so that one without is wrong."""
        names = sorted(name for name in self.places.devices if self.places.card(name).family is not None)
        return [self.places.devices[name] for name in names]

    def next(self, artifact_id: str, more: int = 1) -> str:
        """The version that is made next, or the one after."""
        return f"{artifact_id}@{self.versions.get(artifact_id, 0) + more}"

    def doubted(self, device: Device) -> Call:
        """Another fault, whose repair takes no parts."""
        entries = (
            entry
            for number in self.course.numbers("record_diagnosis")
            for entry in self.course.said(number)["entries"]
            if entry["device"] == device.device
        )
        fault = self.places.without_parts(device.device)
        return "record_diagnosis", {"entries": [{**next(entries), "fault": fault}]}

    def booked(self, device: Device, **changes: Any) -> Call:
        crew = next(c.crew for c in self.course.plan.facts.crews if c.primary_class == device.device_class)
        wave = self.course.plan.waves + 1
        asked = {"job": device.device, "crew": crew, "wave": wave, "block": LATE, "minutes": _FEW}
        return "assign_crew", {**asked, **changes}

    def isolated(self, device: Device, block: str = LATE) -> Call:
        facts, name = self.course.plan.facts, device.device
        points = [feed.point for feed in facts.feeds if name in {feed.upstream, feed.downstream}]
        points += [stored.point for stored in facts.stored_points if stored.device == name]
        return "issue_isolation", {"zone": device.zone, "devices": [name], "block": block, "points": sorted(points)}

    def worked(self, device: Device, **changes: Any) -> Call:
        name = device.device
        cited = {
            "cause": self.next(f"DGN:{name}"),
            "permit": self.next(f"PRM:{device.zone}"),
            "booking": self.next(f"BKG:{name}"),
        }
        return "perform_work", {"device": name, **cited, **changes}

    def closed(self, device: Device) -> Call:
        return "close_isolation", {"permit": self.next(f"PRM:{device.zone}")}

    def opened(self, *devices: Device, block: str = LATE, minutes: int = _FEW) -> list[Call]:
        """Doubt devices, book and isolate them."""
        doubts = [self.doubted(device) for device in devices]
        bookings = [self.booked(device, block=block, minutes=minutes) for device in devices]
        return [*doubts, *bookings, *(self.isolated(device, block) for device in devices)]

    def failed(self, device: Device) -> list[Call]:
        """Repair a device wrong, certify that its test fails, and work on it because of that."""
        name = device.device
        result = {"device": name, "test": self.next(f"TST:{name}"), "edition": 1, "value": 0, "verdict": "fail"}
        cited = {
            "cause": self.next(f"CRT:{name}"),
            "permit": self.next(f"PRM:{device.zone}", 2),
            "booking": self.next(f"BKG:{name}", 2),
        }
        return [
            *self.opened(device, minutes=_ENOUGH),
            self.worked(device),
            self.closed(device),
            ("run_test", {"device": name}),
            ("certify_tests", {"entries": [result]}),
            self.booked(device, minutes=_ENOUGH),
            self.isolated(device),
            self.worked(device, **cited),
        ]

    def apart(self) -> list[Device]:
        """One device of each zone, none the partner of another."""
        found: dict[str, Device] = {}
        for device in self.devices:
            if device.pair not in {each.device for each in found.values()}:
                found.setdefault(device.zone, device)
        return list(found.values())
