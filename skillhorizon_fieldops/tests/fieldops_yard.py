"""A small hand-made yard of six devices and a coordinator who works on it, for the tests of the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import After, World
from skillhorizon.testing import Handmade
from skillhorizon_fieldops.gateway import TOOLS
from skillhorizon_fieldops.plan import (
    AnyUpdate,
    BatchRecall,
    CrewChange,
    ProcedureRevision,
    ServiceBaseline,
    WindowChange,
)
from skillhorizon_fieldops.returns import ON_END
from skillhorizon_fieldops.rows import (
    TABLES,
    Batch,
    Card,
    Condition,
    Crew,
    CrewBlock,
    Device,
    Feed,
    Fit,
    History,
    Manual,
    Member,
    Need,
    Procedure,
    Programme,
    Reading,
    Rule,
    Service,
    Site,
    StoredPoint,
    Travel,
    Window,
    Zone,
)
from skillhorizon_fieldops.rules import boundary, figures, judged, value_of, work_minutes
from skillhorizon_fieldops.updates import apply

if TYPE_CHECKING:
    from collections.abc import Sequence

WAVES = 2
SWEEP = WAVES + 1
ZONES = {"Z1": 1, "Z2": 1, "Z3": 2}
WINDOWS = {"Z1": "E", "Z2": "L", "Z3": "E"}
DEVICES = [
    # device, class, model, hw_rev, zone, wave, pair, ref_service, rated, fault, infant
    Device("D1", "head", "M1", 7, "Z1", 1, None, None, 2000, "F1", 0),
    Device("D2", "mid", "M3", 3, "Z1", 1, "D3", None, 1400, "F1", 0),
    Device("D3", "mid", "M3", 4, "Z2", 1, "D2", None, 1500, "F1", 0),
    Device("D4", "edge", "M5", 7, "Z2", 1, None, None, 1200, "F3", 0),
    Device("D5", "edge", "M5", 7, "Z3", 2, None, "S1", 1100, "F2", 1),
    Device("D6", "edge", "M5", 2, "Z3", 2, None, None, 1300, "F2", 0),
]
FEEDS = [
    Feed("P1", "D1", "D2", "closed"),
    Feed("P2", "D1", "D3", "closed"),
    Feed("P3", "D3", "D4", "closed"),
    Feed("P4", "D2", "D5", "closed"),
    Feed("P5", "D2", "D6", "closed"),
    Feed("P6", "D4", "D5", "open"),
]
STORED = [StoredPoint("Q1", "D4"), StoredPoint("Q2", "D5")]
SERVICES = [
    Service("S1", "gold", 1, "A1", 600),
    Service("S2", "silver", 1, "A1", 400),
    Service("S3", "bronze", 2, "A2", 300),
]
MEMBERS = [("S1", "D1"), ("S1", "D2"), ("S2", "D3"), ("S2", "D4"), ("S3", "D5"), ("S3", "D6")]
NEEDS = [Need("S2", "S1", 2500), Need("S3", "S2", 1000)]
CREWS = [Crew("C1", "R1", "head", "mid"), Crew("C2", "R2", "mid", "edge"), Crew("C3", "R1", "edge", "head")]
PROCEDURES = [
    Procedure("head", 1, 39, 850, "min"),
    Procedure("mid", 1, 36, 900, "max"),
    Procedure("edge", 1, 44, 820, "min"),
]
CARDS: dict[str, tuple[str, str | None, int, int]] = {
    "F1": ("replace optic", "optic", 3, 45),
    "F2": ("reset", None, 0, 30),
    "F3": ("replace arrester", "arrester", 2, 40),
}
BATCHES = [
    # batch, part, expiry, pack, opening, free, held, consumed, scrapped, status
    Batch("B0", "PT1", 0, 2, 8, 8, 0, 0, 0, "released"),
    Batch("B1", "PT1", 4, 2, 8, 8, 0, 0, 0, "released"),
    Batch("B2", "PT1", 5, 2, 20, 20, 0, 0, 0, "released"),
    Batch("B3", "PT1", 3, 2, 8, 8, 0, 0, 0, "quarantined"),
    Batch("B4", "PT2", 6, 1, 9, 9, 0, 0, 0, "released"),
    Batch("B5", "PT3", 6, 2, 4, 4, 0, 0, 0, "released"),
    Batch("B6", "PT3", 7, 2, 4, 4, 0, 0, 0, "released"),
    Batch("B7", "PT1", 6, 2, 2, 2, 0, 0, 0, "released"),
]


def _manuals() -> list[Any]:
    rows: list[Any] = []
    for model in ("M1", "M3", "M5"):
        rows += [Manual(f"{model}-1", model, 3, 1, 9), Manual(f"{model}-2", model, 5, 5, 9)]
        for edition in (1, 2):
            rows += [
                Rule(f"{model}-{edition}", rank, "err_ppm", ">", 500 * edition + rank, f"F{rank}") for rank in (1, 2, 3)
            ]
        rows += [Card(model, fault, *card) for fault, card in CARDS.items()]
    return rows


def _fits() -> list[Fit]:
    rows = []
    for level in ("head", "mid", "edge"):
        rows += [Fit("optic", level, "PT1", 1, 9, 0), Fit("optic", level, "PT2", 1, 9, 1200)]
        rows.append(Fit("arrester", level, "PT3", 5, 9, 0))
    return rows


def world(*, free: int = 480) -> World:
    """Return the yard at its start."""
    made = World.empty(TABLES)
    made.govern({}, ON_END)
    made.insert(*DEVICES, *FEEDS, *STORED, *SERVICES, *NEEDS, *CREWS, *PROCEDURES, *BATCHES, *_manuals(), *_fits())
    made.insert(*(Member(service, device) for service, device in MEMBERS))
    made.insert(*(Condition(each.device, 0, None, None, None, None, None, 0, 0) for each in DEVICES))
    made.insert(*(Reading(each.device, "err_ppm", [71, 83, 79, 90, 64, 83]) for each in DEVICES))
    made.insert(*(History(each.device, 1, 12, "inspection") for each in DEVICES))
    made.insert(*(Site(f"ST{zone[1:]}", "R1", 800) for zone in ZONES))
    made.insert(*(Zone(zone, f"ST{zone[1:]}", wave) for zone, wave in ZONES.items()))
    made.insert(*(Window(zone, ZONES[zone], block, "open") for zone, block in WINDOWS.items()))
    made.insert(*(Window(zone, SWEEP, block, "open") for zone in ZONES for block in "EL"))
    made.insert(*(Travel(a, b, 5 if a == b else 20) for a in ("R1", "R2") for b in ("R1", "R2")))
    made.insert(
        *(CrewBlock(c.crew, wave, block, free, "open") for c in CREWS for wave in range(1, SWEEP + 1) for block in "EL")
    )
    made.insert(Programme("programme", "restoration", WAVES, 6, 2))
    made.advance_to(1)
    return made


RECALL = BatchRecall(id="N-01", trigger=After("arrester_tested:1", 1), wave=1)
BASELINE = ServiceBaseline(id="N-01", trigger=After("commissioned:1", 2), wave=1, change_bp=500)
WINDOW = WindowChange(id="N-01", trigger=After("isolated:1", 1), wave=1)
CREW = CrewChange(id="N-01", trigger=After("isolated:1", 1), wave=1)
REVISION = ProcedureRevision(
    id="N-01", trigger=After("passed:mid", 1), wave=1, procedure=Procedure("mid", 2, 38, 902, "max")
)


class Yard(Handmade):
    """A coordinator with a session; its methods make the right calls."""

    def __init__(self, *updates: AnyUpdate, made: World | None = None) -> None:
        super().__init__(world() if made is None else made, TOOLS, apply, updates, seed="yard")

    def device(self, name: str) -> Device:
        """Return a device."""
        return next(each for each in DEVICES if each.device == name)

    def batch(self, name: str) -> Batch:
        """Return a batch as it stands."""
        found = self.world.get(Batch, name)
        assert found is not None
        return found

    def free(self, crew: str, wave: int = 1, block: str = "E") -> int:
        """Return a crew's free minutes."""
        found = self.world.get(CrewBlock, crew, wave, block)
        assert found is not None
        return found.free

    def entry(self, device: str, fault: str = "") -> dict[str, str]:
        """Return the right diagnosis of a device, or another fault of the same edition."""
        found = self.device(device)
        edition = f"{found.model}-{2 if found.hw_rev >= 5 else 1}"
        return {"device": device, "edition": edition, "fault": fault or found.fault}

    def diagnose(self, *devices: str, fault: str = "") -> Any:
        """Record diagnoses."""
        return self.call("record_diagnosis", entries=[self.entry(device, fault) for device in devices])

    def line(self, device: str, batch: str = "", qty: int = 0) -> dict[str, Any]:
        """Return the reservation that the current diagnosis asks for."""
        family = CARDS[self.content(f"DGN:{device}")["fault"]][1]
        usual = {"optic": "B1" if device != "D3" else "B2", "arrester": "B5"}
        asked = CARDS[self.content(f"DGN:{device}")["fault"]][2]
        return {"device": device, "batch": batch or usual[str(family)], "qty": qty or asked}

    def reserve(self, device: str, batch: str = "") -> Any:
        """Reserve the parts of a device, if its diagnosis takes any."""
        if CARDS[self.content(f"DGN:{device}")["fault"]][1] is None:
            return None
        return self.call("reserve_parts", lines=[self.line(device, batch)])

    def crew(self, device: str) -> str:
        """Return a crew for a device's class."""
        return {"head": "C1", "mid": "C1", "edge": "C3"}[self.device(device).device_class]

    def need(self, *devices: str, crew: str = "C1") -> int:
        """Return the minutes that a booking of devices of a zone needs (R4)."""
        stored = {point.device for point in STORED}
        minutes = 5 if crew != "C2" else 20
        for name in devices:
            base = CARDS[self.content(f"DGN:{name}")["fault"]][3]
            minutes += work_minutes(base, 800, stored=name in stored)
        return minutes

    def book(self, job: str, wave: int = 0, block: str = "", minutes: int = 0, crew: str = "") -> Any:
        """Book a job in its zone's window with the minutes that it needs."""
        zone, _, level = job.partition(".")
        held = [d.device for d in DEVICES if (d.zone, d.device_class) == (zone, level)] or [job]
        who = crew or self.crew(held[0])
        return self.call(
            "assign_crew",
            job=job,
            crew=who,
            wave=wave or (ZONES[zone] if level else self.world.clock),
            block=block or (WINDOWS[zone] if level else "L"),
            minutes=minutes or self.need(*held, crew=who),
        )

    def plan(self, wave: int = 1) -> None:
        """Diagnose, reserve and book a wave."""
        devices = [d.device for d in DEVICES if d.wave == wave]
        self.diagnose(*devices)
        for device in devices:
            self.reserve(device)
        for job in sorted({f"{d.zone}.{d.device_class}" for d in DEVICES if d.wave == wave}):
            self.book(job)

    def points(self, *devices: str) -> list[str]:
        """Return the required points (R5)."""
        feeds = [(feed.point, feed.upstream, feed.downstream) for feed in FEEDS]
        return boundary(devices, feeds, [(point.point, point.device) for point in STORED])

    def isolation(self, zone: str, *devices: str, block: str = "") -> dict[str, Any]:
        """Return the right arguments of an isolation."""
        chosen = list(devices) or [d.device for d in DEVICES if d.zone == zone]
        return {
            "zone": zone,
            "devices": chosen,
            "block": block or WINDOWS[zone],
            "points": self.points(*chosen),
        }

    def isolate(self, zone: str, *devices: str, block: str = "") -> str:
        """Isolate devices of a zone, by default all."""
        made = self.call("issue_isolation", **self.isolation(zone, *devices, block=block))
        return str(made["made"][0])

    def working(self, device: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of work on an isolated device."""
        ledger, found = self.world.ledger, self.device(device)
        rework = ledger.current(f"BKG:{device}")
        booking = rework or ledger.current(f"BKG:{found.zone}.{found.device_class}")
        reservation = ledger.current(f"RSV:{device}")
        assert booking is not None
        arguments = {
            "device": device,
            "cause": self.ref(f"DGN:{device}"),
            "permit": self.ref(f"PRM:{found.zone}"),
            "booking": booking.ref,
        }
        if reservation is not None:
            arguments["reservation"] = reservation.ref
        return {name: value for name, value in {**arguments, **changes}.items() if value is not None}

    def perform(self, device: str, **changes: Any) -> Any:
        """Work on a device."""
        return self.call("perform_work", **self.working(device, **changes))

    def close(self, zone: str) -> Any:
        """Close a zone's permit."""
        return self.call("close_isolation", permit=self.ref(f"PRM:{zone}"))

    def settle(self, device: str, returned: int = 1, scrapped: int = 0) -> Any:
        """Settle a device's rest."""
        return self.call("settle_parts", lines=[{"device": device, "returned": returned, "scrapped": scrapped}])

    def access(self, zone: str) -> None:
        """Isolate a zone, work its devices, hand it back, settle what is left."""
        self.isolate(zone)
        worked = {d.device: self.perform(d.device) for d in DEVICES if d.zone == zone}
        self.close(zone)
        for device, made in worked.items():
            if made["rest"]:
                self.settle(device, made["rest"])

    def test(self, device: str) -> Any:
        """Test a device."""
        return self.call("run_test", device=device)

    def result(self, device: str, **changes: Any) -> dict[str, Any]:
        """Return what the device's current test says (R6)."""
        test = self.world.ledger.current(f"TST:{device}")
        assert test is not None
        edition = self.world.select(Procedure, device_class=self.device(device).device_class)[-1]
        reference = self.device(device).ref_service
        offset = 0 if reference is None else self.content(f"COM:{reference}")["offset"]
        value = value_of(test.content["samples"], edition.coef_bp, offset)
        said = {"value": value, "verdict": judged(value, edition.kind, edition.bound)}
        return {"device": device, "test": test.ref, "edition": edition.edition, **said, **changes}

    def certify(self, *devices: str, **changes: Any) -> Any:
        """Certify current tests."""
        return self.call("certify_tests", entries=[self.result(device, **changes) for device in devices])

    def prove(self, *devices: str) -> None:
        """Test and certify devices."""
        for device in devices:
            self.test(device)
            self.certify(device)

    def commissioning(self, service: str, **changes: Any) -> dict[str, Any]:
        """Return the right arguments of a commissioning (R8)."""
        found = self.world.get(Service, service)
        assert found is not None
        members = []
        for name in (device for owner, device in MEMBERS if owner == service):
            stands = self.world.get(Condition, name)
            assert stands is not None
            members.append((name, self.device(name).rated, stands.derate_bp))
        dependents = [(self.demand(need.service), need.share_bp) for need in NEEDS if need.need == service]
        right = figures([(rated, derate) for _, rated, derate in members], found.demand, dependents)
        return {
            "service": service,
            "certificates": [self.ref(f"CRT:{name}") for name, _, _ in members],
            "needs": [self.ref(f"COM:{need.need}") for need in NEEDS if need.service == service],
            "capacity": right.capacity,
            "load": right.load,
            "headroom_bp": right.headroom_bp,
            **changes,
        }

    def demand(self, service: str) -> int:
        """Return a service's demand as it stands."""
        found = self.world.get(Service, service)
        assert found is not None
        return found.demand

    def commission(self, service: str) -> Any:
        """Commission a service."""
        return self.call("commission_service", **self.commissioning(service))

    def wave_one(self) -> None:
        """Do all of wave 1 but its closing."""
        self.plan(1)
        for zone in ("Z1", "Z2"):
            self.access(zone)
        self.prove("D1", "D2", "D3", "D4")
        for service in ("S1", "S2"):
            self.commission(service)

    def end_wave(self, wave: int) -> None:
        """Close a wave and post its account."""
        self.call("close_wave", wave=wave)
        self.call("post_account", **self.account(wave))

    def account(self, wave: int, **changes: Any) -> dict[str, Any]:
        """Return the exact account of a wave (R9)."""
        sums: dict[str, list[int]] = {}
        for _, part, _, *units in self.rows("get_wave_ledger", wave=wave, of="parts"):
            sums[part] = [a + b for a, b in zip(sums.get(part, [0, 0, 0, 0]), units, strict=True)]
        minutes = sum(row[-1] for row in self.rows("get_wave_ledger", wave=wave, of="crews"))
        return {
            "wave": wave,
            "lines": [[part, *units] for part, units in sums.items()],
            "crew_minutes": minutes,
            **changes,
        }

    def rework(self, device: str, *, cause: str = "", block: str = "L", minutes: int = 0) -> Any:
        """Book, isolate, work and hand back one device again."""
        self.book(device, minutes=minutes, block=block)
        self.isolate(self.device(device).zone, device, block=block)
        changes = {"cause": cause, "reservation": None} if cause else {}
        made = self.perform(device, **changes)
        self.close(self.device(device).zone)
        return made

    def wave_two(self) -> None:
        """Do all of wave 2 but its closing: D5 is an infant."""
        self.plan(2)
        self.access("Z3")
        self.prove("D5", "D6")
        self.rework("D5", cause=self.ref("CRT:D5"))
        self.prove("D5")
        if self.world.ledger.current("CRT:D6") is None:
            self.prove("D6")
        self.commission("S3")

    def accept(self) -> Any:
        """Accept the sections and the system."""
        for section, services in (("A1", ("S1", "S2")), ("A2", ("S3",))):
            refs = [self.ref(f"COM:{service}") for service in services]
            self.call("accept_section", section=section, commissions=refs)
        return self.call("accept_system", **self.acceptance(1, 2))

    def acceptance(self, *waves: int) -> dict[str, Any]:
        """Return the arguments of the system's acceptance."""
        sections: Sequence[str] = [self.ref(f"SEC:{name}") for name in ("A1", "A2")]
        return {"sections": sections, "accounts": [self.ref(f"ACC:{wave}") for wave in waves]}
