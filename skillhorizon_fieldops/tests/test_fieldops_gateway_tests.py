"""Testing, certifying and commissioning."""

from __future__ import annotations

from typing import Any

import pytest
from fieldops_yard import Yard

from skillhorizon import draws
from skillhorizon_fieldops.rows import Certificate, Procedure, Service
from skillhorizon_fieldops.rules import samples


@pytest.fixture
def yard() -> Yard:
    made = Yard()
    made.plan(1)
    made.access("Z1")
    return made


@pytest.fixture
def proven(yard: Yard) -> Yard:
    yard.access("Z2")
    yard.prove("D1", "D2", "D3", "D4")
    return yard


def roles(yard: Yard, artifact_id: str) -> set[tuple[str, str, str | None]]:
    found = yard.world.ledger.current(artifact_id)
    assert found is not None
    return {(cite.role, cite.ref, cite.token) for cite in yard.world.ledger.cites(found)}


def test_a_test_measures_by_the_tasks_draws(yard: Yard) -> None:
    answer = yard.test("D1")
    drawn = samples(draws("yard", "TST:D1", 1), Procedure("head", 1, 39, 850, "min"), passes=True)
    assert (answer["made"], answer["samples"], answer["indicator"]) == (["TST:D1@1"], drawn, "absent")


def test_a_test_stands_on_work_touches_upwards_and_the_reference() -> None:
    yard = Yard()
    yard.wave_one()
    yard.end_wave(1)
    yard.plan(2)
    yard.access("Z3")
    yard.test("D5")
    assert roles(yard, "TST:D5") == {
        ("work", "WRK:D5", "1"),
        ("reference", "COM:S1", "1"),
        ("touch", "device:D5/touch", "3"),
        ("touch", "device:D2/touch", "3"),
        ("touch", "device:D1/touch", "3"),
    }


def test_a_current_test_is_answered_again(yard: Yard) -> None:
    assert yard.test("D1") == yard.test("D1")
    assert [each.version for each in yard.world.ledger.versions("TST:D1")] == [1]


def test_tests_wait_for_work_and_for_what_is_isolated(yard: Yard) -> None:
    yard.refused("work_not_current", "WRK:D3", "run_test", device="D3")
    yard.refused("unknown_object", "D99", "run_test", device="D99")
    yard.diagnose("D1", fault="F2")
    yard.book("D1")
    yard.isolate("Z1", "D1", block="L")
    yard.refused("device_isolated", "D1", "run_test", device="D1")
    yard.refused("upstream_isolated", "D1", "run_test", device="D2")


def test_tests_wait_for_the_reference_service() -> None:
    yard = Yard()
    yard.plan(1)
    for zone in ("Z1", "Z2"):
        yard.access(zone)
    yard.call("close_wave", wave=1)
    yard.plan(2)
    yard.access("Z3")
    yard.refused("reference_not_current", "S1", "run_test", device="D5")


def test_a_wrong_repair_fails_with_a_fault_present(yard: Yard) -> None:
    yard.diagnose("D1", fault="F2")
    yard.rework("D1")
    yard.prove("D1")
    assert yard.content("TST:D1")["indicator"] == "present"
    assert yard.content("CRT:D1")["verdict"] == "fail"
    assert yard.rows("list_devices", zone="Z1")[0][-1] == "rework"


def test_a_touch_upwards_ends_tests_and_what_stands_on_them(proven: Yard) -> None:
    proven.commission("S1")
    proven.diagnose("D1", fault="F2")
    proven.book("D1")
    stale = proven.call("issue_isolation", **proven.isolation("Z1", "D1", block="L"))
    tested = {f"{kind}:{device}@1" for kind in ("TST", "CRT") for device in ("D1", "D2", "D3", "D4")}
    assert set(stale["stale"]) == {*tested, "COM:S1@1"}
    assert stale["stale_count"] == 9


def test_a_passing_certificate_stands_on_its_test_and_a_failing_one_on_nothing(yard: Yard) -> None:
    yard.prove("D1")
    assert ("test", "TST:D1", "1") in roles(yard, "CRT:D1")
    yard.certify("D1", verdict="fail")
    assert ("test", "TST:D1@1", None) in roles(yard, "CRT:D1")


def test_a_failing_certificate_outlives_its_test(yard: Yard) -> None:
    yard.test("D1")
    yard.certify("D1", verdict="fail")
    yard.book("D1")
    yard.isolate("Z1", "D1", block="L")
    assert yard.ended("TST:D1@1") == "stale"
    assert yard.ended("CRT:D1@1") is None


def test_an_equal_certificate_stays_in_a_longer_list(yard: Yard) -> None:
    yard.prove("D1")
    yard.test("D2")
    assert yard.certify("D1", "D2")["made"] == ["CRT:D1@1", "CRT:D2@1"]


def test_the_edition_in_force_is_kept_with_a_certificate(yard: Yard) -> None:
    yard.test("D2")
    yard.world.insert(Procedure("mid", 2, 38, 902, "max"))
    yard.certify("D2", edition=1)
    assert yard.world.get(Certificate, "D2", 1) == Certificate("D2", 1, 2)


BAD_RESULTS = [
    ("unknown_object", "D99", {"device": "D99"}),
    ("unknown_object", "TST:D1@9", {"test": "TST:D1@9"}),
    ("unknown_object", "WRK:D1@1", {"test": "WRK:D1@1"}),
    ("unknown_object", "2", {"edition": 2}),
    ("wrong_provenance", "TST:D2@1", {"test": "TST:D2@1"}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_RESULTS)
def test_wrong_certificates_are_refused(yard: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    yard.test("D1")
    yard.test("D2")
    yard.refused(code, culprit, "certify_tests", entries=[{**yard.result("D1"), **change}])


def test_a_test_that_ended_is_not_current(yard: Yard) -> None:
    yard.test("D1")
    entry = yard.result("D1")
    yard.diagnose("D1", fault="F2")
    yard.book("D1")
    yard.isolate("Z1", "D1", block="L")
    yard.refused("not_current", "TST:D1@1", "certify_tests", entries=[entry])


def test_a_commissioned_certificate_is_not_replaced(proven: Yard) -> None:
    proven.commission("S1")
    entry = proven.result("D1", value=1)
    proven.refused("already_current", "CRT:D1@1", "certify_tests", entries=[entry])
    assert proven.certify("D1")["made"] == ["CRT:D1@1"]


def test_a_commissioning_brings_an_offset_and_keeps_its_figures(proven: Yard) -> None:
    answer = proven.commission("S1")
    assert answer["made"] == ["COM:S1@1"]
    assert answer["offset"] == draws("yard", "COM:S1", 1).integer(5, 25)
    assert proven.content("COM:S1") == {
        "certificates": ["CRT:D1@1", "CRT:D2@1"],
        "needs": [],
        "capacity": 1400,
        "load": 700,
        "headroom_bp": 10000,
        "offset": answer["offset"],
    }
    assert proven.call("get_service", service="S1")["offset"] == answer["offset"]


def test_a_service_is_commissioned_once(proven: Yard) -> None:
    first = proven.commission("S1")
    assert proven.commission("S1") == {**first, "notices": []}
    right = proven.commissioning("S1")
    proven.refused("already_current", "COM:S1@1", "commission_service", **{**right, "capacity": 1})


BAD_COMMISSIONINGS = [
    ("unknown_object", "S9", {"service": "S9"}),
    ("unknown_object", "CRT:D1@9", {"certificates": ["CRT:D1@9", "CRT:D2@1"]}),
    ("unknown_object", "TST:D1@1", {"certificates": ["CRT:D2@1", "TST:D1@1"]}),
    ("unknown_object", "COM:S9@1", {"needs": ["COM:S9@1"]}),
    ("duplicate_object", "CRT:D3@1", {"certificates": ["CRT:D3@1", "CRT:D3@1"]}),
    ("members_incomplete", "D4", {"certificates": ["CRT:D3@1"]}),
    ("members_incomplete", "D1", {"certificates": ["CRT:D1@1", "CRT:D3@1", "CRT:D4@1"]}),
    ("needs_incomplete", "S1", {"needs": []}),
    ("figures_rejected", "S2", {"capacity": 1}),
    ("figures_rejected", "S2", {"load": 1}),
    ("figures_rejected", "S2", {"headroom_bp": 1}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_COMMISSIONINGS)
def test_wrong_commissionings_are_refused(proven: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    proven.commission("S1")
    proven.refused(code, culprit, "commission_service", **{**proven.commissioning("S2"), **change})


def test_a_refused_figure_is_named(proven: Yard) -> None:
    error = proven.refused("figures_rejected", "S1", "commission_service", **proven.commissioning("S1", load=1))
    assert error["details"]["figure"] == "load"


def test_needs_are_exact(proven: Yard) -> None:
    proven.commission("S1")
    proven.commission("S2")
    proven.world.ledger.end("COM:S1")
    wrong = proven.commissioning("S1", needs=["COM:S2@1"])
    proven.refused("not_current", "COM:S2@1", "commission_service", **wrong)


def test_isolated_members_are_not_commissioned(proven: Yard) -> None:
    proven.test("D1")
    proven.certify("D1", verdict="fail")
    proven.book("D1")
    right = proven.commissioning("S1")
    proven.isolate("Z1", "D1", block="L")
    right["certificates"] = [proven.ref("CRT:D1")]
    proven.refused("member_isolated", "D1", "commission_service", **right)


@pytest.mark.parametrize("change", [{"value": 1}, {"value": 9_999}, {"verdict": "fail"}])
def test_certificates_say_what_their_tests_do(proven: Yard, change: dict[str, Any]) -> None:
    proven.certify("D1", **change)
    culprit = proven.ref("CRT:D1")
    proven.refused("certificate_not_substantiated", culprit, "commission_service", **proven.commissioning("S1"))


def test_a_certificate_of_an_older_edition_is_not_substantiated(proven: Yard) -> None:
    proven.world.insert(Procedure("mid", 2, 38, 902, "max"))
    proven.certify("D2", edition=1, value=1)
    culprit = proven.ref("CRT:D2")
    proven.refused("certificate_not_substantiated", culprit, "commission_service", **proven.commissioning("S1"))


def test_failing_members_are_not_commissioned(yard: Yard) -> None:
    yard.diagnose("D1", fault="F2")
    yard.rework("D1")
    yard.prove("D1", "D2")
    yard.refused("verdict_fail", yard.ref("CRT:D1"), "commission_service", **yard.commissioning("S1"))


def test_headroom_is_that_of_the_tier(proven: Yard) -> None:
    proven.world.update(Service, "S1", demand=1200)
    proven.refused("headroom_short", "S1", "commission_service", **proven.commissioning("S1"))
    proven.world.update(Service, "S1", tier="bronze")
    assert proven.commission("S1")["made"] == ["COM:S1@1"]


def test_later_demands_of_dependents_leave_a_commissioning_as_it_is(proven: Yard) -> None:
    proven.commission("S1")
    proven.world.update(Service, "S2", demand=100)
    assert proven.ended("COM:S1@1") is None
