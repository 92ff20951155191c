"""Building packages, planning audiences and registering experiments."""

from __future__ import annotations

from typing import Any

import pytest
from socialops_desk import WITHDRAWAL, Desk

from skillhorizon_socialops.rows import Withdrawal


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def second() -> Desk:
    """A desk in wave 2 with packages and a plan for each brief but no experiment."""
    made = Desk()
    made.finish_wave(1)
    for brief in ("b-02-00", "b-02-01"):
        made.build(brief, "a")
        made.build(brief, "b")
        made.plan(brief)
    return made


def test_a_package_keeps_its_assets_and_its_basis(desk: Desk) -> None:
    assert desk.build("b-01-00", "a") == {"made": ["pk:b-01-00.a@1"], "stale": [], "notices": []}
    assert desk.content("pk:b-01-00.a") == {"arm": "a", "visual": "v1", "copy": "c1", "basis": "brief"}


def test_an_equal_package_is_answered_with_the_one_that_stands(desk: Desk) -> None:
    desk.build("b-01-00", "a")
    assert desk.build("b-01-00", "a")["made"] == ["pk:b-01-00.a@1"]
    assert desk.build("b-01-00", "a", visual="v3")["made"] == ["pk:b-01-00.a@2"]


def test_a_later_control_stands_on_the_predecessors_report(second: Desk) -> None:
    assert second.content("pk:b-02-00.a")["basis"] == "rp:b-01-00@1"
    cited = second.world.ledger.cites(second.world.ledger.require("pk:b-02-00.a", ""))
    assert [(each.role, each.ref) for each in cited if each.token is None] == [("basis", "rp:b-01-00@1")]


BAD_PACKAGES = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "v66", {"visual": "v66"}),
    ("NOT_FOUND", "c66", {"copy": "c66"}),
    ("ASSET_KIND", "c1", {"visual": "c1"}),
    ("ASSET_KIND", "v9", {"visual": "v9"}),
    ("ASSET_KIND", "c7", {"copy": "c7"}),
    ("ASSET_KIND", "v1", {"copy": "v1"}),
    ("BASIS_NOT_CURRENT", "rp:b-01-00@1", {"basis": "rp:b-01-00@1"}),
    ("BASIS_NOT_CURRENT", "pk:b-01-00.a@1", {"basis": "pk:b-01-00.a@1"}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_PACKAGES)
@pytest.mark.parametrize("arm", ["a", "b"])
def test_wrong_packages_are_refused(desk: Desk, arm: str, code: str, culprit: str, change: dict[str, Any]) -> None:
    desk.refused(code, culprit, "build_package", **{**desk.package("b-01-00", arm), **change})


def test_angle_status_and_rights_are_not_judged_when_a_package_is_built(desk: Desk) -> None:
    assert desk.build("b-01-00", "b", visual="v8", copy="c5")["made"] == ["pk:b-01-00.b@1"]


def test_a_withdrawn_asset_is_refused(desk: Desk) -> None:
    desk.world.insert(Withdrawal("v2", 0), Withdrawal("c3", 0))
    desk.refused("ASSET_WITHDRAWN", "v2", "build_package", **desk.package("b-01-00", "b"))
    desk.refused("ASSET_WITHDRAWN", "c3", "build_package", **desk.package("b-01-00", "b", visual="v3", copy="c3"))


def test_unopened_waves_are_not_workable(desk: Desk) -> None:
    wrong = {"brief_id": "b-02-00", "arm": "b", "visual": "v2", "copy": "c2", "basis": "brief"}
    desk.refused("WAVE_NOT_OPEN", "b-02-00", "build_package", **wrong)
    plan = {"audiences": ["au1", "au2"], "suppress_from": [], "eligible": 1, "holdout": 0, "arm_a": 1, "arm_b": 0}
    desk.refused("WAVE_NOT_OPEN", "b-02-00", "plan_audience", brief_id="b-02-00", **plan)
    for name in ("ap:b-02-00", "pk:b-02-00.a", "pk:b-02-00.b"):
        desk.world.ledger.produce(name, {})
    inputs = {"plan": "ap:b-02-00@1", "control_package": "pk:b-02-00.a@1", "test_package": "pk:b-02-00.b@1"}
    posts = {"post_a": "p-02-00-a", "post_b": "p-02-00-b", "lineage": []}
    desk.refused("WAVE_NOT_OPEN", "b-02-00", "register_experiment", brief_id="b-02-00", **inputs, **posts)


def test_a_later_control_needs_the_predecessors_current_report(second: Desk) -> None:
    right = second.package("b-02-00", "a", visual="v3")
    for basis in ("brief", "rp:b-01-01@1", "rp:b-01-00@2", "pk:b-02-00.a@1"):
        second.refused("BASIS_NOT_CURRENT", basis, "build_package", **{**right, "basis": basis})
    second.world.ledger.end("rp:b-01-00")
    second.refused("BASIS_NOT_CURRENT", "rp:b-01-00@1", "build_package", **right)


def test_a_test_package_stands_on_the_brief_in_every_wave(second: Desk) -> None:
    right = second.package("b-02-00", "b", visual="v3")
    second.refused("BASIS_NOT_CURRENT", "rp:b-01-00@1", "build_package", **{**right, "basis": "rp:b-01-00@1"})


def test_once_its_arm_is_published_a_package_stands_on_its_own_latest_version(desk: Desk) -> None:
    desk.prepare("b-01-00")
    desk.publish_due("p-01-00-a")
    wrong = desk.package("b-01-00", "a", visual="v3", basis="brief")
    desk.refused("BASIS_NOT_CURRENT", "brief", "build_package", **wrong)
    assert desk.build("b-01-00", "a", visual="v3", basis="pk:b-01-00.a@1")["made"] == ["pk:b-01-00.a@2"]
    stale = desk.package("b-01-00", "a", visual="v4", basis="pk:b-01-00.a@1")
    desk.refused("BASIS_NOT_CURRENT", "pk:b-01-00.a@1", "build_package", **stale)
    desk.world.ledger.end("pk:b-01-00.a")
    assert desk.build("b-01-00", "a", visual="v4")["made"] == ["pk:b-01-00.a@3"]
    assert desk.content("pk:b-01-00.a")["basis"] == "pk:b-01-00.a@2"
    assert desk.build("b-01-00", "b", visual="v4")["made"] == ["pk:b-01-00.b@2"]


def test_a_rebuilt_package_ends_the_experiment_before_it_runs_and_not_after(desk: Desk) -> None:
    desk.prepare("b-01-00", "b-01-01")
    assert desk.build("b-01-00", "a", visual="v3")["stale"] == ["ex:b-01-00@1"]
    desk.publish_due("p-01-01-a")
    assert desk.build("b-01-01", "b", visual="v3")["stale"] == []
    assert desk.ended("ex:b-01-01@1") is None


def test_a_plan_keeps_its_numbers_and_its_credits(second: Desk) -> None:
    content = second.content("ap:b-02-01")
    assert content["suppress_from"] == ["cr:b-01-01@1", "cr:b-01-00@1"]
    assert content["eligible"] == 31_500 + 60_000 * 4_000 // 10_000 - 900 - 9 - 9
    assert content["holdout"] + content["arm_a"] + content["arm_b"] == content["eligible"]


BAD_PLANS = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "au77", {"audiences": ["au2", "au77"]}),
    ("NOT_FOUND", "cr:b-09-00@1", {"suppress_from": ["cr:b-09-00@1"]}),
    ("NOT_FOUND", "rp:b-01-01@1", {"suppress_from": ["rp:b-01-01@1"]}),
    ("NOT_FOUND", "cr:b-01-01", {"suppress_from": ["cr:b-01-01"]}),
    ("CREDIT_NOT_CURRENT", "b-01-01", {"suppress_from": []}),
    ("CREDIT_NOT_CURRENT", "b-01-00", {"suppress_from": ["cr:b-01-01@1"]}),
    ("CREDIT_NOT_CURRENT", "b-01-01", {"suppress_from": ["cr:b-01-00@1", "cr:b-01-01@1"]}),
    ("CREDIT_NOT_CURRENT", "cr:b-01-00@1", {"suppress_from": ["cr:b-01-01@1", "cr:b-01-00@1", "cr:b-01-00@1"]}),
    ("PLAN_ARITHMETIC", "audiences", {"audiences": ["au3", "au2"]}),
    ("PLAN_ARITHMETIC", "audiences", {"audiences": ["au1", "au2"]}),
    ("PLAN_ARITHMETIC", "audiences", {"audiences": []}),
    ("PLAN_ARITHMETIC", "eligible", {"eligible": 54_583}),
    ("PLAN_ARITHMETIC", "holdout", {"holdout": 1}),
    ("PLAN_ARITHMETIC", "arm_a", {"arm_a": 1}),
    ("PLAN_ARITHMETIC", "arm_b", {"arm_b": 1}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_PLANS)
def test_wrong_plans_are_refused(second: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    second.refused(code, culprit, "plan_audience", **{**second.planning("b-02-01"), **change})


def test_a_plan_cites_no_credit_that_has_ended(second: Desk) -> None:
    right = second.planning("b-02-01")
    second.world.ledger.end("cr:b-01-00")
    second.refused("CREDIT_NOT_CURRENT", "b-01-00", "plan_audience", **right)


def test_a_plan_ends_with_a_credit_until_it_is_registered(second: Desk) -> None:
    second.register("b-02-01")
    second.world.ledger.end("cr:b-01-00")
    assert second.ended("ap:b-02-00@1") == "stale"
    assert second.ended("ap:b-02-01@1") is None


def test_no_plan_is_made_while_an_arm_is_published(desk: Desk) -> None:
    desk.prepare("b-01-00", "b-01-01")
    desk.publish_due("p-01-00-a")
    desk.refused("ALREADY_RUN", "p-01-00-a", "plan_audience", **desk.planning("b-01-00", eligible=1))
    desk.call("reschedule_post", brief_id="b-01-00", post_id="p-01-00-a", due_at=1_200)
    desk.refused("PLAN_ARITHMETIC", "eligible", "plan_audience", **desk.planning("b-01-00", eligible=1))
    desk.go(600)
    desk.publish("p-01-00-b")
    desk.refused("ALREADY_RUN", "p-01-00-b", "plan_audience", **desk.planning("b-01-00", eligible=1))


def test_an_experiment_binds_its_inputs(second: Desk) -> None:
    assert second.register("b-02-00")["made"] == ["ex:b-02-00@1"]
    assert second.content("ex:b-02-00") == {
        "plan": "ap:b-02-00@1",
        "control_package": "pk:b-02-00.a@1",
        "test_package": "pk:b-02-00.b@1",
        "post_a": "p-02-00-a",
        "post_b": "p-02-00-b",
        "lineage": ["p-01-00-a", "p-01-00-b", "p-01-00-d"] * 2,
    }


def test_in_wave_one_the_lineage_is_the_campaigns_last_thirty_days(desk: Desk) -> None:
    desk.prepare("b-01-00")
    assert desk.content("ex:b-01-00")["lineage"] == ["sp3", "sp3", "sp4"]


BAD_REGISTRATIONS = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "ap:b-02-00@1", {"plan": "ap:b-02-00@1"}),
    ("NOT_FOUND", "ap:b-02-01@9", {"plan": "ap:b-02-01@9"}),
    ("NOT_FOUND", "pk:b-02-01.b@1", {"control_package": "pk:b-02-01.b@1"}),
    ("NOT_FOUND", "pk:b-02-01.a@1", {"test_package": "pk:b-02-01.a@1"}),
    ("NOT_FOUND", "p-02-00-a", {"post_a": "p-02-00-a"}),
    ("NOT_FOUND", "p-02-01-d", {"post_b": "p-02-01-d"}),
    ("POST_MISMATCH", "p-02-01-b", {"post_a": "p-02-01-b"}),
    ("POST_MISMATCH", "p-02-01-a", {"post_b": "p-02-01-a"}),
    ("SOURCE_IDENTITIES", "b-01-01", {"lineage": []}),
]
ONE, OTHER = ["p-01-01-a", "p-01-01-b", "p-01-01-d"], ["p-01-00-a", "p-01-00-b", "p-01-00-d"]
BAD_LINEAGES = [
    ("b-01-01", 1, [*OTHER, *ONE, *OTHER, *OTHER]),
    ("b-01-01", 2, [*ONE, *OTHER, *OTHER]),
    ("b-01-00", 3, [*ONE, *ONE, *OTHER[::-1], *OTHER]),
    ("b-01-00", 4, [*ONE, *ONE, *OTHER]),
    ("b-01-00", 4, [*ONE, *ONE, *OTHER, *OTHER, "p-01-00-d"]),
    ("b-01-00", 4, [*ONE, *ONE, *OTHER, "p-01-00-a", "p-01-00-b"]),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_REGISTRATIONS)
def test_wrong_registrations_are_refused(second: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    second.refused(code, culprit, "register_experiment", **{**second.registration("b-02-01"), **change})


@pytest.mark.parametrize(("culprit", "row", "lineage"), BAD_LINEAGES)
def test_a_wrong_lineage_names_its_row(second: Desk, culprit: str, row: int, lineage: list[str]) -> None:
    wrong = second.registration("b-02-01", lineage=lineage)
    error = second.refused("SOURCE_IDENTITIES", culprit, "register_experiment", **wrong)
    assert error["details"]["row"] == row


def test_a_wrong_lineage_of_wave_one_names_the_campaign(desk: Desk) -> None:
    for brief, arm in (("b-01-00", "a"), ("b-01-00", "b")):
        desk.build(brief, arm)
    desk.plan("b-01-00")
    for lineage in (["sp3", "sp4"], ["sp2", "sp3", "sp3", "sp4"], ["sp3", "sp3", "sp4", "sp9"]):
        wrong = desk.registration("b-01-00", lineage=lineage)
        desk.refused("SOURCE_IDENTITIES", "cm1", "register_experiment", **wrong)


def test_ended_inputs_are_not_registered(second: Desk) -> None:
    right = second.registration("b-02-01")
    for part, ended in (("plan", "ap:b-02-01"), ("control_package", "pk:b-02-01.a"), ("test_package", "pk:b-02-01.b")):
        with_it = Desk()
        with_it.finish_wave(1)
        for arm in "ab":
            with_it.build("b-02-01", arm)
        with_it.plan("b-02-01")
        with_it.world.ledger.end(ended)
        with_it.refused("INPUT_STALE", right[part], "register_experiment", **right)


def test_a_published_arm_stands_with_the_package_it_ran_with(desk: Desk) -> None:
    desk.prepare("b-01-00")
    desk.publish_due("p-01-00-a")
    desk.build("b-01-00", "a", visual="v3")
    desk.build("b-01-00", "b", visual="v3")
    desk.build("b-01-00", "b", visual="v4")
    wrong = desk.registration("b-01-00", control_package="pk:b-01-00.a@2")
    desk.refused("INPUT_STALE", "pk:b-01-00.a@2", "register_experiment", **wrong)
    wrong = desk.registration("b-01-00", test_package="pk:b-01-00.b@2")
    desk.refused("INPUT_STALE", "pk:b-01-00.b@2", "register_experiment", **wrong)
    assert desk.register("b-01-00")["made"] == ["ex:b-01-00@2"]
    desk.world.ledger.end("pk:b-01-00.b")
    assert desk.ended("ex:b-01-00@2") is None, "registered with a published arm, it is frozen"


def test_nothing_is_registered_once_both_arms_are_published(desk: Desk) -> None:
    desk.prepare("b-01-00")
    desk.run_arms("b-01-00")
    assert desk.register("b-01-00")["made"] == ["ex:b-01-00@1"], "an equal one is answered with the one that stands"
    desk.world.ledger.end("ex:b-01-00")
    desk.refused("ALREADY_RUN", "b-01-00", "register_experiment", **desk.registration("b-01-00"))


def test_a_new_plan_ends_the_experiment_that_has_not_run(second: Desk) -> None:
    second.register("b-02-00")
    second.world.ledger.end("ap:b-02-00")
    assert second.ended("ex:b-02-00@1") == "stale"


def test_a_withdrawal_ends_packages_whose_arm_has_not_run() -> None:
    desk = Desk(WITHDRAWAL)
    desk.finish_wave(1)
    desk.prepare("b-02-00", "b-02-01")
    desk.publish_due("p-02-00-a")
    desk.publish_due("p-02-01-a")
    notices = desk.go(2_880 + 1_200)
    assert [(each["kind"], each["asset"]) for each in notices] == [("rights_withdrawal", "v2")]
    assert desk.ended("pk:b-02-00.b@1") == "stale"
    assert desk.ended("ex:b-02-00@1") is None, "the first published arm froze it"
    assert desk.build("b-02-00", "b", visual="v3")["made"] == ["pk:b-02-00.b@2"]
