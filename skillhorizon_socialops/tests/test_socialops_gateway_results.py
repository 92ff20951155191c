"""Crediting, reporting, deploying and releasing."""

from __future__ import annotations

from typing import Any

import pytest
from socialops_desk import RERUN, SLIGHT, VOIDED, Desk

from skillhorizon_socialops.rows import Conversion, Post, Release
from skillhorizon_socialops.rules import Thresholds, outcome


@pytest.fixture
def ran() -> Desk:
    """A desk whose first brief has run and may be credited."""
    made = Desk()
    made.prepare("b-01-00", "b-01-01")
    made.run_arms("b-01-00", "b-01-01")
    made.go(1_440)
    return made


@pytest.fixture
def reported(ran: Desk) -> Desk:
    """A desk at the minute at which p-01-00-d is due; test has won."""
    ran.credit("b-01-00")
    ran.report("b-01-00")
    ran.go(2_040)
    return ran


def test_a_credit_keeps_its_counts_and_its_feed(ran: Desk) -> None:
    assert ran.credit("b-01-00")["made"] == ["cr:b-01-00@1"]
    counts = {"conv_a": 3, "conv_b": 6, "value_a": 600, "value_b": 3_900}
    assert ran.content("cr:b-01-00") == {"experiment": "ex:b-01-00@1", "feed_version": 1, **counts}


BAD_CREDITS: list[tuple[str, str, dict[str, Any]]] = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "ex:b-01-01@1", {"experiment": "ex:b-01-01@1"}),
    ("NOT_FOUND", "ex:b-01-00@2", {"experiment": "ex:b-01-00@2"}),
    ("FEED_NOT_CURRENT", "b-01-00", {"feed_version": 2}),
    ("COUNT_RANGE", "conv_a", {"conv_a": 11}),
    ("COUNT_RANGE", "conv_b", {"conv_b": 8}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_CREDITS)
def test_wrong_credits_are_refused(ran: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    ran.refused(code, culprit, "record_credit", **{**ran.crediting("b-01-00"), **change})


def test_a_credit_may_count_as_many_orders_as_events_are_shown(ran: Desk) -> None:
    assert ran.credit("b-01-00", 4, 6)["made"] == ["cr:b-01-00@1"]


def test_nothing_is_credited_before_the_observation_is_over() -> None:
    desk = Desk()
    desk.prepare("b-01-00", "b-01-01")
    desk.run_arms("b-01-00", "b-01-01")
    desk.go(1_439)
    desk.refused("OBSERVATION_OPEN", "b-01-00", "record_credit", **desk.crediting("b-01-00"))
    desk.go(1_440)
    desk.credit("b-01-00")
    desk.refused("OBSERVATION_OPEN", "b-01-01", "record_credit", **desk.crediting("b-01-01"))


def test_a_credit_needs_the_current_experiment(ran: Desk) -> None:
    right = ran.crediting("b-01-00")
    ran.world.ledger.end("ex:b-01-00")
    ran.refused("INPUT_STALE", "ex:b-01-00@1", "record_credit", **right)


def test_results_of_unopened_waves_are_not_taken(ran: Desk) -> None:
    ledger = ran.world.ledger
    for name in ("ex:b-02-00", "cr:b-02-00", "ap:b-02-00", "rp:b-02-00", "pk:b-02-00.b"):
        ledger.produce(name, {})
    counts = {"feed_version": 1, "conv_a": 0, "conv_b": 0, "value_a": 0, "value_b": 0}
    ran.refused("WAVE_NOT_OPEN", "b-02-00", "record_credit", brief_id="b-02-00", experiment="ex:b-02-00@1", **counts)
    rates = {"rate_a_ppm": 0, "rate_b_ppm": 0, "lift_bp": 0, "winner": "control"}
    cited = {"credit": "cr:b-02-00@1", "plan": "ap:b-02-00@1"}
    ran.refused("WAVE_NOT_OPEN", "b-02-00", "submit_report", brief_id="b-02-00", **cited, **rates)
    asked = {"post_id": "p-02-00-d", "report": "rp:b-02-00@1", "package": "pk:b-02-00.b@1"}
    ran.refused("WAVE_NOT_OPEN", "b-02-00", "deploy_campaign", brief_id="b-02-00", **asked, sources=[], loads={})


def test_a_report_keeps_its_rates_and_its_winner(reported: Desk) -> None:
    plan = reported.content("ap:b-01-00")
    right = outcome((3, 6), (plan["arm_a"], plan["arm_b"]), Thresholds(7, 600))
    content = reported.content("rp:b-01-00")
    assert content == {
        "credit": "cr:b-01-00@1",
        "plan": "ap:b-01-00@1",
        "benchmark": None,
        "rate_a_ppm": right.rate_a_ppm,
        "rate_b_ppm": right.rate_b_ppm,
        "lift_bp": right.lift_bp,
        "winner": "test",
    }
    assert reported.world.ledger.token("rp:b-01-00/winner") == "test"


BAD_REPORTS: list[tuple[str, str, dict[str, Any]]] = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "cr:b-01-01@1", {"credit": "cr:b-01-01@1"}),
    ("NOT_FOUND", "ap:b-01-01@1", {"plan": "ap:b-01-01@1"}),
    ("NOT_FOUND", "rp:b-01-01@3", {"benchmark": "rp:b-01-01@3"}),
    ("NOT_FOUND", "cr:b-01-00@1", {"benchmark": "cr:b-01-00@1"}),
    ("REPORT_ARITHMETIC", "rate_a_ppm", {"rate_a_ppm": 1}),
    ("REPORT_ARITHMETIC", "rate_b_ppm", {"rate_b_ppm": 1}),
    ("REPORT_ARITHMETIC", "lift_bp", {"lift_bp": -1}),
    ("REPORT_ARITHMETIC", "winner", {"winner": "control"}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_REPORTS)
def test_wrong_reports_are_refused(ran: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    ran.credit("b-01-00")
    ran.refused(code, culprit, "submit_report", **{**ran.reporting("b-01-00"), **change})


def test_a_report_stands_on_the_current_credit(ran: Desk) -> None:
    ran.credit("b-01-00")
    right = ran.reporting("b-01-00")
    ran.credit("b-01-00", 2, 6)
    ran.refused("CREDIT_NOT_CURRENT", "cr:b-01-00@1", "submit_report", **right)


def test_a_needless_benchmark_is_refused(ran: Desk) -> None:
    ran.credit("b-01-00")
    right = ran.reporting("b-01-00")
    ran.world.ledger.produce("rp:b-01-01", {"winner": "control"})
    ran.refused("BENCHMARK_NOT_CURRENT", "rp:b-01-01@1", "submit_report", **right, benchmark="rp:b-01-01@1")


@pytest.fixture(scope="module")
def third() -> Desk:
    """A desk in wave 3 whose brief is credited; it has a benchmark."""
    made = Desk()
    made.finish_wave(1)
    made.finish_wave(2)
    made.prepare("b-03-00")
    made.run_arms("b-03-00")
    made.go(made.brief("b-03-00")["observe_until"])
    made.credit("b-03-00")
    return made


def test_the_benchmark_is_the_current_report_of_its_row(third: Desk) -> None:
    right = third.reporting("b-03-00")
    assert right["benchmark"] == "rp:b-01-00@1"
    without = {name: value for name, value in right.items() if name != "benchmark"}
    third.refused("BENCHMARK_NOT_CURRENT", "b-01-00", "submit_report", **without)
    third.refused("BENCHMARK_NOT_CURRENT", "rp:b-02-00@1", "submit_report", **{**right, "benchmark": "rp:b-02-00@1"})


def test_the_benchmarks_rate_decides_too(third: Desk) -> None:
    third.credit("b-03-00", 1, 6)
    high = third.content("rp:b-01-00")["rate_b_ppm"]
    own = third.reporting("b-03-00")
    assert own["rate_b_ppm"] * 10_000 >= high * 8_500
    assert own["winner"] == "test"
    third.credit("b-03-00", 3, 5)
    own = third.reporting("b-03-00")
    assert own["rate_b_ppm"] * 10_000 < high * 8_500
    assert own["lift_bp"] >= 600
    third.refused("REPORT_ARITHMETIC", "winner", "submit_report", **{**own, "winner": "test"})
    third.call("submit_report", **own)


def test_an_ended_benchmark_is_refused_and_one_frozen_at_acceptance_may_end() -> None:
    desk = Desk()
    desk.finish_wave(1)
    desk.finish_wave(2)
    desk.prepare("b-03-00")
    desk.run_arms("b-03-00")
    desk.conclude("b-03-00")
    desk.world.ledger.end("rp:b-01-00")
    assert desk.ended("rp:b-03-00@1") is None
    right = {**desk.content("rp:b-03-00"), "brief_id": "b-03-00"}
    desk.world.ledger.end("rp:b-03-00")
    desk.refused("BENCHMARK_NOT_CURRENT", "rp:b-01-00@1", "submit_report", **right)


def test_the_plan_is_the_experiments(ran: Desk) -> None:
    ran.credit("b-01-00")
    right = ran.reporting("b-01-00")
    ran.world.ledger.produce("ap:b-01-00", {**ran.content("ap:b-01-00"), "arm_a": 1})
    ran.refused("INPUT_STALE", "ap:b-01-00@2", "submit_report", **{**right, "plan": "ap:b-01-00@2"})
    ran.refused("INPUT_STALE", "ap:b-01-00@1", "submit_report", **right)


def test_no_report_without_a_current_experiment(ran: Desk) -> None:
    ran.credit("b-01-00")
    right = ran.reporting("b-01-00")
    ran.world.ledger.end("ex:b-01-00")
    ran.refused("INPUT_STALE", "ap:b-01-00@1", "submit_report", **right)


def test_a_deployment_publishes_the_winner(reported: Desk) -> None:
    seen = reported.deploy("p-01-00-d")
    assert seen == {"made": ["pb:p-01-00-d@1", "dp:b-01-00@1"], "stale": [], "notices": [], "at": 2_040}
    assert reported.content("dp:b-01-00") == {
        "publication": "pb:p-01-00-d@1",
        "report": "rp:b-01-00@1",
        "package": "pk:b-01-00.b@1",
    }
    assert reported.post("p-01-00-d").status == "published"


def test_an_equal_deployment_is_answered_with_the_one_that_stands(reported: Desk) -> None:
    right = reported.deployment("p-01-00-d")
    reported.call("deploy_campaign", **right)
    assert reported.call("deploy_campaign", **right)["made"] == ["pb:p-01-00-d@1", "dp:b-01-00@1"]
    reported.refused("POST_STATUS", "p-01-00-d", "deploy_campaign", **{**right, "loads": {}})


BAD_DEPLOYMENTS: list[tuple[str, str, dict[str, Any]]] = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "p-01-01-d", {"post_id": "p-01-01-d"}),
    ("NOT_FOUND", "p-01-00-b", {"post_id": "p-01-00-b"}),
    ("NOT_FOUND", "rp:b-01-01@1", {"report": "rp:b-01-01@1"}),
    ("NOT_FOUND", "pk:b-01-01.b@1", {"package": "pk:b-01-01.b@1"}),
    ("NOT_FOUND", "ap:b-01-00@1", {"package": "ap:b-01-00@1"}),
    ("NOT_FOUND", "pk:b-01-00.b@9", {"package": "pk:b-01-00.b@9"}),
    ("PACKAGE_MISMATCH", "pk:b-01-00.a@1", {"package": "pk:b-01-00.a@1"}),
    ("SOURCE_IDENTITIES", "au1", {"sources": []}),
    ("AUDIENCE_LOAD_NOT_CURRENT", "au1", {"loads": {}}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_DEPLOYMENTS)
def test_wrong_deployments_are_refused(reported: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    reported.refused(code, culprit, "deploy_campaign", **{**reported.deployment("p-01-00-d"), **change})


def test_a_deployment_needs_a_current_report_and_package(reported: Desk) -> None:
    right = reported.deployment("p-01-00-d")
    reported.build("b-01-00", "b", visual="v3")
    reported.refused("INPUT_STALE", "pk:b-01-00.b@1", "deploy_campaign", **right)
    reported.credit("b-01-00", 2, 6)
    reported.refused("INPUT_STALE", "rp:b-01-00@1", "deploy_campaign", **right)


def test_a_deployment_is_made_in_its_hour(reported: Desk) -> None:
    reported.world.update(Post, "p-01-00-d", due_at=2_041)
    reported.refused("DUE_TIME", "p-01-00-d", "deploy_campaign", **reported.deployment("p-01-00-d"))


def test_when_control_won_its_package_is_deployed(ran: Desk) -> None:
    ran.credit("b-01-00", 6, 3)
    ran.report("b-01-00")
    ran.go(2_040)
    wrong = ran.deployment("p-01-00-d", package="pk:b-01-00.b@1")
    ran.refused("PACKAGE_MISMATCH", "pk:b-01-00.b@1", "deploy_campaign", **wrong)
    assert ran.deploy("p-01-00-d")["made"] == ["pb:p-01-00-d@1", "dp:b-01-00@1"]
    assert ran.content("dp:b-01-00")["package"] == "pk:b-01-00.a@1"


def test_a_stale_report_alone_leaves_the_deployment(reported: Desk) -> None:
    reported.deploy("p-01-00-d")
    assert reported.credit("b-01-00", 2, 6)["stale"] == ["rp:b-01-00@1"]
    assert reported.report("b-01-00")["stale"] == []
    assert reported.ended("dp:b-01-00@1") is None


def test_another_winner_ends_the_deployment(reported: Desk) -> None:
    reported.deploy("p-01-00-d")
    reported.credit("b-01-00", 6, 3)
    assert reported.report("b-01-00")["stale"] == ["dp:b-01-00@1"]


@pytest.fixture
def slight() -> Desk:
    """A desk in wave 2 with a correction that changes no winner: p-01-00-c waits for its release."""
    made = Desk(SLIGHT)
    made.finish_wave(1)
    made.acknowledge("N-01", "b-01-00")
    return made


def test_a_corrective_post_is_released_when_the_deployment_stands(slight: Desk) -> None:
    slight.credit("b-01-00", 2, 6)
    slight.report("b-01-00")
    asked = {"brief_id": "b-01-00", "post_id": "p-01-00-c"}
    assert slight.call("release_post", **asked) == {
        "made": [],
        "stale": [],
        "notices": [],
        "report": "rp:b-01-00@2",
    }
    assert slight.post("p-01-00-c").status == "released"
    kept = slight.world.get(Release, "p-01-00-c")
    assert kept is not None
    assert kept.report == "rp:b-01-00@2"
    slight.refused("RELEASE_UNJUSTIFIED", "p-01-00-c", "release_post", **asked)


def test_a_missed_corrective_post_may_be_released(slight: Desk) -> None:
    slight.credit("b-01-00", 2, 6)
    slight.report("b-01-00")
    slight.go(slight.post("p-01-00-c").due_at + 60)
    assert slight.post("p-01-00-c").status == "missed"
    slight.call("release_post", brief_id="b-01-00", post_id="p-01-00-c")


def test_nothing_is_released_before_the_report_is_made_again(slight: Desk) -> None:
    asked = {"brief_id": "b-01-00", "post_id": "p-01-00-c"}
    slight.refused("RELEASE_UNJUSTIFIED", "rp:b-01-00", "release_post", **asked)


BAD_RELEASES = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "p-01-00-d", {"post_id": "p-01-00-d"}),
    ("NOT_FOUND", "p-01-00-a", {"post_id": "p-01-00-a"}),
    ("NOT_FOUND", "p-01-00-c", {"brief_id": "b-01-01"}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_RELEASES)
def test_wrong_releases_are_refused(slight: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    slight.refused(code, culprit, "release_post", **{"brief_id": "b-01-00", "post_id": "p-01-00-c", **change})


def test_posts_of_unopened_waves_are_not_released(slight: Desk) -> None:
    slight.world.insert(Post("p-03-00-c", "b-03-00", "c", "ch1", 3, 24, 7_200, 380, "scheduled"))
    slight.refused("WAVE_NOT_OPEN", "b-03-00", "release_post", brief_id="b-03-00", post_id="p-03-00-c")


def test_a_corrective_post_is_not_deployed_while_the_deployment_stands(slight: Desk) -> None:
    slight.credit("b-01-00", 2, 6)
    slight.report("b-01-00")
    slight.go(slight.post("p-01-00-c").due_at)
    slight.refused("DEPLOYMENT_VALID", "dp:b-01-00@1", "deploy_campaign", **slight.deployment("p-01-00-c"))


def test_a_changed_winner_is_deployed_by_the_corrective_post() -> None:
    desk = Desk(VOIDED)
    desk.finish_wave(1)
    desk.credit("b-01-00", 3, 1)
    assert desk.report("b-01-00")["stale"] == ["dp:b-01-00@1"]
    refused = {"brief_id": "b-01-00", "post_id": "p-01-00-c"}
    desk.refused("RELEASE_UNJUSTIFIED", "dp:b-01-00", "release_post", **refused)
    assert desk.deploy("p-01-00-c")["made"] == ["pb:p-01-00-c@1", "dp:b-01-00@2"]
    assert desk.content("dp:b-01-00")["package"] == "pk:b-01-00.a@1"
    desk.refused("RELEASE_UNJUSTIFIED", "p-01-00-c", "release_post", **refused)


def test_a_rerun_goes_through_the_deployment() -> None:
    desk = Desk(RERUN)
    desk.finish_wave(1)
    assert desk.ended("dp:b-01-01@1") == "stale"
    assert desk.deploy("p-01-01-d")["made"] == ["pb:p-01-01-d@2", "dp:b-01-01@2"]
    assert desk.rows("list_publications", brief_id="b-01-01")[-1][:2] == ["p-01-01-d", 2_880 + 1_500]


def test_events_that_are_shown_move_with_their_arm(ran: Desk) -> None:
    before = {row[0]: row for row in ran.rows("list_conversions", brief_id="b-01-00")}
    assert before["e1"] == ["e1", "o1", 120 + 61 + 30, 100, "paid", [["p-01-00-a", 181]]]
    ran.credit("b-01-00")
    moved = ran.call("reschedule_post", brief_id="b-01-00", post_id="p-01-00-a", due_at=2_640)
    assert moved["stale"] == ["cr:b-01-00@1"]
    shown = [row[0] for row in ran.rows("list_conversions", brief_id="b-01-00")]
    assert shown == ["e4", "e5", "e6", "e7", "e8", "e9", "e99"], "those on arm a hide until it has run again"
    ran.go(2_640)
    ran.publish("p-01-00-a")
    ran.go(2_640 + 91)
    after = {row[0]: row for row in ran.rows("list_conversions", brief_id="b-01-00")}
    assert after["e1"][2] == 2_640 + 91
    assert after["e99"] == before["e99"], "a shared event keeps its minutes within the wave"
    assert "e2" not in after
    assert ran.world.count(Conversion, brief_id="b-01-00") == 10
