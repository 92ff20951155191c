"""Truth against a slow, obvious reading of the same rules, on many seeds."""

from __future__ import annotations

import fieldops_oracle as oracle
import pytest

from skillhorizon import Rng, draws
from skillhorizon_fieldops import truth
from skillhorizon_fieldops.composer import compose
from skillhorizon_fieldops.composer.updates import CYCLES
from skillhorizon_fieldops.config import PROFILES, FieldConfig
from skillhorizon_fieldops.plan import Plan, ProcedureRevision

CELLS = [(scenario, profile) for scenario in CYCLES for profile in PROFILES]


def composed(seed: int) -> Plan:
    scenario, profile = CELLS[seed % len(CELLS)]
    services = 6 + seed % 7
    return compose(FieldConfig(scenario, profile, services, 16_000, updates="more"), Rng("oracle", seed))


def assert_faults(plan: Plan, data: dict[str, list[oracle.Row]]) -> None:
    rules = {m.edition: [r for r in plan.facts.rules if r.edition == m.edition] for m in plan.facts.manuals}
    for device in data["devices"]:
        manuals = [m for m in plan.facts.manuals if m.model == device["model"]]
        readings = {r.metric: r.samples for r in plan.facts.readings if r.device == device["device"]}
        _, fault = truth.diagnose(manuals, rules, device["hw_rev"], readings)
        assert fault == oracle.fault(data, device) == device["fault"] == plan.truth.faults[device["device"]]


def assert_places(plan: Plan, data: dict[str, list[oracle.Row]]) -> None:
    access = {
        zone.zone: next(s.access_bp for s in plan.facts.sites if s.site == zone.site) for zone in plan.facts.zones
    }
    stored = {point.device for point in plan.facts.stored_points}
    for device in data["devices"]:
        name = device["device"]
        assert set(plan.truth.upstream[name]) == oracle.upstream(data, name)
        base = oracle.card(data, device)["base_min"]
        found = truth.minutes(base, access[device["zone"]], stored=name in stored)
        assert found == oracle.minutes(data, device, base)


def assert_tests(plan: Plan, data: dict[str, list[oracle.Row]], rng: Rng) -> None:
    editions = [*plan.facts.procedures, *(u.procedure for u in plan.updates if isinstance(u, ProcedureRevision))]
    first = {row.device_class: row for row in plan.facts.procedures}
    for device in data["devices"]:
        version, good, offset = rng.integer(1, 4), rng.chance(5_000), rng.integer(0, 25)
        taken = truth.samples(
            draws(plan.truth.seed_text, f"TST:{device['device']}", version), first[device["device_class"]], sound=good
        )
        base = oracle.row(data["procedures"], device_class=device["device_class"], edition=1)
        assert list(taken) == oracle.samples(plan.truth.seed_text, base, device["device"], version, good)
        for edition in (e for e in editions if e.device_class == device["device_class"]):
            row = {"coef_bp": edition.coef_bp, "bound": edition.bound, "kind": edition.kind}
            value = truth.value(taken, edition, offset)
            assert value == oracle.value(list(taken), row, offset)
            assert truth.passes(value, edition) == oracle.passes(value, row) == good


def assert_figures(plan: Plan, data: dict[str, list[oracle.Row]], rng: Rng) -> None:
    rated = {device.device: device.rated for device in plan.facts.devices}
    demands = {service.service: service.demand for service in plan.facts.services}
    derates = {device: 1_200 for device in rated if rng.chance(3_000)}
    for service in data["services"]:
        name = service["service"]
        members = [m.device for m in plan.facts.members if m.service == name]
        dependents = [(demands[n.service], n.share_bp) for n in plan.facts.needs if n.need == name]
        ratings = [truth.rating(rated[m], derates.get(m, 0)) for m in members]
        found = truth.figures(ratings, service["demand"], dependents)
        assert (found.capacity, found.load, found.headroom_bp) == oracle.figures(data, service, derates)


def assert_accounts(plan: Plan, rng: Rng) -> None:
    issues: list[oracle.Row] = []
    for batch in plan.facts.batches[:12]:
        consumed = rng.integer(0, 4)
        issues.append(
            {
                "part": batch.part,
                "issued": consumed + rng.integer(0, 3),
                "consumed": consumed,
                "scrapped": rng.chance(3_000),
            }
        )
    booked = [rng.integer(10, 90) for _ in range(5)]
    found = truth.account([truth.Issue(**issue) for issue in issues], booked)
    assert (list(found.lines), found.crew_minutes) == oracle.account(issues, booked)


@pytest.mark.parametrize("seed", range(200))
def test_truth_agrees_with_the_slow_reading(seed: int) -> None:
    plan = composed(seed)
    data, rng = oracle.tables(plan), Rng("oracle-draws", seed)
    assert_faults(plan, data)
    assert_places(plan, data)
    assert_tests(plan, data, rng)
    assert_figures(plan, data, rng)
    assert_accounts(plan, rng)
