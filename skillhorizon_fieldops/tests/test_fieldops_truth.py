"""What is true: worked examples of the specification, and what changes tell at which call."""

from __future__ import annotations

import attrs
import pytest

from skillhorizon import Rng, draws
from skillhorizon_fieldops import truth
from skillhorizon_fieldops.composer import compose
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.plan import Plan, ProcedureRevision, ServiceBaseline
from skillhorizon_fieldops.rows import Manual, Procedure, Rule
from skillhorizon_fieldops.truth import Changes, Fired

EXAMPLE = ((836, 44), (829, 43), (841, 44), (826, 45), (833, 44), (838, 43))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return compose(FieldConfig("restoration", "radial", 90, 16_000, updates="more"), Rng("truth", 1))


def test_the_edition_in_range_with_the_highest_issue_rules_by_the_middle_reading() -> None:
    manuals = [Manual("M1-1", "M1", 3, 1, 9), Manual("M1-2", "M1", 5, 5, 9)]
    first = [Rule("M1-1", 1, "temp_dc", ">", 0, "F5")]
    second = [
        Rule("M1-2", 1, "err_ppm", ">", 500, "F1"),
        Rule("M1-2", 2, "temp_dc", ">", 411, "F2"),
        Rule("M1-2", 3, "temp_dc", ">", 0, "F3"),
    ]
    readings = {"err_ppm": (71, 83, 79, 90, 64, 83), "temp_dc": (398, 421, 412, 405, 430, 409)}
    rules = {"M1-1": first, "M1-2": second}
    assert truth.diagnose(manuals, rules, 7, readings) == ("M1-2", "F3")
    assert truth.diagnose(manuals, rules, 4, readings) == ("M1-1", "F5")


def test_a_device_without_access_trouble_takes_the_cards_minutes() -> None:
    assert truth.minutes(45, 0, stored=False) == 45
    assert truth.minutes(45, 800, stored=True) == 56
    assert truth.minutes(20, 1_500, stored=True) == 26


def test_the_example_passes_by_its_corrected_value_and_fails_by_its_raw_mean() -> None:
    procedure = Procedure("head", 1, 39, 850, "min")
    value = truth.value(EXAMPLE, procedure, 12)
    raw = sorted(raw for raw, _ in EXAMPLE)[1:-1]
    assert (value, sum(raw) // 4) == (898, 834)
    assert truth.passes(value, procedure)
    assert not truth.passes(sum(raw) // 4, procedure)


def test_a_maximum_is_kept_from_below() -> None:
    procedure = Procedure("mid", 1, 36, 900, "max")
    assert truth.passes(900, procedure)
    assert not truth.passes(901, procedure)


def test_offsets_lie_between_5_and_25_and_follow_the_version() -> None:
    found = [truth.offset("seed", "S001", version) for version in range(1, 60)]
    assert min(found) >= 5
    assert max(found) <= 25
    assert len(set(found)) > 10


@pytest.mark.parametrize("name", ["head", "mid", "edge"])
def test_raw_means_mislead_often(plan: Plan, name: str) -> None:
    first = next(row for row in plan.facts.procedures if row.device_class == name)
    misled = 0
    for number in range(400):
        sound = number % 2 == 0
        taken = truth.samples(draws("raw", f"TST:D{number}", 1), first, sound=sound)
        raw = sorted(raw for raw, _ in taken)[1:-1]
        misled += truth.passes(sum(raw) // 4, first) != sound
    assert 0.29 <= misled / 400 <= 0.5


def test_ambients_stay_within_bounds(plan: Plan) -> None:
    first = plan.facts.procedures[0]
    taken = [s for n in range(300) for s in truth.samples(draws("amb", "TST:D1", n), first, sound=n % 2 == 0)]
    assert min(amb for _, amb in taken) >= -5
    assert max(amb for _, amb in taken) <= 45


def test_the_examples_figures() -> None:
    found = truth.figures([1_200, truth.rating(1_100, 1_200)], 700, [(300, 2_500), (250, 1_500)])
    assert attrs.astuple(found) == (968, 812, 1_921)


def test_an_overloaded_service_has_negative_headroom() -> None:
    assert truth.figures([100], 130, []).headroom_bp == -2_308


def test_an_account_sums_by_part_and_tells_returned_from_scrapped() -> None:
    issues = [
        truth.Issue(part="PT02", issued=4, consumed=3, scrapped=False),
        truth.Issue(part="PT01", issued=2, consumed=0, scrapped=True),
        truth.Issue(part="PT02", issued=4, consumed=4, scrapped=True),
    ]
    found = truth.account(issues, [40, 76])
    assert found.lines == (("PT01", 2, 0, 0, 2), ("PT02", 8, 7, 1, 0))
    assert found.crew_minutes == 116
    assert not found.empty
    assert truth.account([], []).empty


def changed(plan: Plan, kind: type, **body: object) -> tuple[Changes, int]:
    update = next(update for update in plan.updates if isinstance(update, kind))
    return truth.changes(plan, [Fired(update.id, 70, body)]), plan.updates.index(update)


def test_a_revision_is_in_force_for_the_calls_after_the_one_that_fired_it(plan: Plan) -> None:
    changes, place = changed(plan, ProcedureRevision)
    update = plan.updates[place]
    assert isinstance(update, ProcedureRevision)
    name = update.procedure.device_class
    assert changes.in_force(name, 70) == changes.first(name)
    assert changes.in_force(name, 71) == update.procedure


def test_a_baseline_holds_for_the_calls_after_the_one_that_fired_it(plan: Plan) -> None:
    service = plan.facts.services[0]
    changes, place = changed(plan, ServiceBaseline, service=service.service)
    update = plan.updates[place]
    assert isinstance(update, ServiceBaseline)
    assert changes.demand(service.service, 70) == service.demand
    assert changes.demand(service.service, 71) == service.demand * (10_000 + update.change_bp) // 10_000
    assert changes.demand(plan.facts.services[1].service, 71) == plan.facts.services[1].demand
