"""What updates change, which briefs they affect, and acknowledging them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from socialops_desk import LAPSED, RERUN, RETENTION, SUBSTITUTION, VOIDED, WITHDRAWAL, Desk

from skillhorizon_socialops.rows import Acknowledgement, Conversion, Firing, Impact, Policy, Post, Withdrawal

if TYPE_CHECKING:
    from skillhorizon_socialops.plan import AnyUpdate


def in_wave_two(*updates: AnyUpdate) -> Desk:
    """A desk in wave 2 whose arms a are published, at minute T(2, 5)."""
    desk = Desk(*updates)
    desk.finish_wave(1)
    desk.prepare("b-02-00", "b-02-01")
    desk.publish_due("p-02-00-a")
    desk.publish_due("p-02-01-a")
    return desk


def impact(desk: Desk) -> list[str]:
    found = desk.world.get(Impact, "N-01")
    assert found is not None
    return list(found.affected)


def test_a_correction_changes_the_feed_and_asks_for_a_corrective_post() -> None:
    desk = Desk(VOIDED)
    seen = desk.finish_wave(1)
    assert seen["notices"] == [
        {"id": "N-01", "kind": "conversion_correction", "clock": 2_880, "brief": "b-01-00", "post": "p-01-00-c"}
    ]
    assert seen["stale"] == ["cr:b-01-00@1", "rp:b-01-00@1"]
    read = desk.call("list_conversions", brief_id="b-01-00")
    assert read["feed_version"] == 2
    rows = {row[0]: row for row in read["rows"]}
    assert [rows[name][4] for name in ("e1", "e4", "e5", "e6", "e9")] == ["paid", "void", "void", "void", "paid"]
    assert rows["e7"][2] == 600 + 67 + 400
    found = desk.post("p-01-00-c")
    assert (found.wave, found.due_at, found.status) == (2, 2_880 + 1_440, "scheduled")
    assert impact(desk) == ["b-01-00"]
    assert desk.ended("dp:b-01-00@1") is None, "a stale report alone leaves it"
    assert desk.world.get(Firing, "N-01") == Firing("N-01", desk.session.index - 1, 2_880)


def test_other_feeds_stay_when_one_is_corrected() -> None:
    desk = Desk(VOIDED)
    desk.finish_wave(1)
    assert desk.call("list_conversions", brief_id="b-01-01")["feed_version"] == 1
    assert desk.ended("cr:b-01-01@1") is None
    kept = desk.world.select(Conversion, brief_id="b-01-01")
    assert {each.status for each in kept} == {"paid"}


def test_frozen_plans_stay_when_a_credit_ends() -> None:
    desk = Desk(VOIDED)
    desk.finish_wave(1)
    desk.credit("b-01-00", 2, 4)
    desk.report("b-01-00")
    desk.build("b-02-00", "a")
    desk.build("b-02-00", "b")
    desk.plan("b-02-00")
    desk.register("b-02-00")
    desk.credit("b-01-00", 3, 4)
    assert desk.ended("ap:b-02-00@1") is None
    assert desk.ended("ex:b-02-00@1") is None


def test_a_rerun_ends_the_deployment_and_schedules_its_post_again() -> None:
    desk = Desk(RERUN)
    seen = desk.finish_wave(1)
    assert seen["stale"] == ["dp:b-01-01@1"]
    assert [(each["kind"], each["brief"], each["post"]) for each in seen["notices"]] == [
        ("rerun_order", "b-01-01", "p-01-01-d")
    ]
    found = desk.post("p-01-01-d")
    assert (found.wave, found.hour, found.due_at, found.status) == (2, 25, 2_880 + 1_500, "scheduled")
    assert desk.rows("list_publications", brief_id="b-01-01")[-1][0] == "p-01-01-d", "its first publication stays"
    assert impact(desk) == ["b-01-01"]
    assert desk.ended("rp:b-01-01@1") is None


def test_a_substitution_takes_the_place_of_the_scheduled_post() -> None:
    desk = in_wave_two(SUBSTITUTION)
    assert desk.post("p-02-00-b").status == "scheduled"
    (notice,) = desk.go(2_880 + 540)
    assert {name: notice[name] for name in ("kind", "brief", "withdrawn", "post")} == {
        "kind": "calendar_substitution",
        "brief": "b-02-00",
        "withdrawn": "p-02-00-b",
        "post": "p-02-00-s",
    }
    assert desk.post("p-02-00-b").status == "withdrawn"
    assert desk.post("p-02-00-s").due_at == 2_880 + 1_080
    assert desk.ended("ex:b-02-00@1") == "stale", "frozen or not"
    assert [desk.ended(ref) for ref in ("ap:b-02-00@1", "pk:b-02-00.a@1", "pk:b-02-00.b@1")] == [None] * 3
    assert impact(desk) == ["b-02-00"]
    assert desk.brief("b-02-00")["observe_until"] == 2_880 + 1_080 + 840
    desk.refused(
        "POST_MISMATCH", "p-02-00-b", "register_experiment", **desk.registration("b-02-00", post_b="p-02-00-b")
    )
    desk.register("b-02-00")
    desk.publish_due("p-02-00-s")
    assert desk.content("ex:b-02-00")["post_b"] == "p-02-00-s"


def test_a_substitution_before_any_registration_ends_nothing() -> None:
    desk = Desk(SUBSTITUTION)
    desk.finish_wave(1)
    seen = desk.call("advance_clock", to_minute=2_880 + 540)
    assert (seen["stale"], len(seen["notices"])) == ([], 1)


def test_a_retention_change_puts_another_policy_in_force() -> None:
    desk = in_wave_two(RETENTION)
    (notice,) = desk.go(2_880 + 720)
    assert {name: notice[name] for name in ("kind", "audience", "policy", "retention_bp")} == {
        "kind": "retention_change",
        "audience": LAPSED,
        "policy": 2,
        "retention_bp": 7_500,
    }
    kept = desk.world.select(Policy, audience_id=LAPSED)
    assert [(each.since, each.retention_bp, each.cap) for each in kept] == [(0, 8_000, 2_000), (3_600, 7_500, 2_000)]
    (row,) = desk.call("get_audiences", audience_ids=[LAPSED])["audiences"]["rows"]
    assert row[3:6] == [2, 7_500, 2_000]


def test_a_retention_change_affects_opened_briefs_with_a_scheduled_post_that_reaches_it() -> None:
    desk = in_wave_two(RETENTION)
    desk.go(2_880 + 720)
    assert impact(desk) == ["b-02-01"], "b-02-00 does not reach it, b-01-01 has nothing scheduled, b-03-01 is not there"


def test_a_deployment_that_runs_again_is_affected_too() -> None:
    again = in_wave_two(RETENTION)
    again.world.update(Post, "p-01-01-d", status="scheduled", due_at=4_380, wave=2)
    again.go(2_880 + 720)
    assert impact(again) == ["b-01-01", "b-02-01"]
    none = in_wave_two(RETENTION)
    for post in ("p-02-01-b", "p-02-01-d"):
        none.world.update(Post, post, status="published")
    none.go(2_880 + 720)
    assert impact(none) == []


def test_a_withdrawal_ends_packages_that_cite_the_asset() -> None:
    desk = in_wave_two(WITHDRAWAL)
    desk.publish_due("p-02-00-b")
    desk.publish_due("p-02-01-b")
    seen = desk.call("advance_clock", to_minute=2_880 + 1_200)
    assert [(each["kind"], each["asset"]) for each in seen["notices"]] == [("rights_withdrawal", "v2")]
    assert seen["stale"] == [], "packages are not named: each is found by reading it"
    ended = [ref for ref in ("pk:b-01-00.b@1", "pk:b-02-00.b@1", "pk:b-02-01.b@1") if desk.ended(ref) == "stale"]
    assert ended == ["pk:b-01-00.b@1", "pk:b-02-00.b@1", "pk:b-02-01.b@1"]
    assert desk.ended("pk:b-02-00.a@1") is None
    assert desk.ended("ex:b-02-00@1") is None, "published uses stay"
    assert impact(desk) == ["b-02-00", "b-02-01"], "those of wave 1 have nothing scheduled"
    assert desk.world.get(Withdrawal, "v2") == Withdrawal("v2", 4_080)
    rows = {row[0]: row for row in desk.rows("list_assets", role="visual", locale="de", format="image")}
    assert (rows["v2"][6], rows["v3"][6]) == ("withdrawn", "active")


def test_a_withdrawal_affects_earlier_waves_with_a_scheduled_post() -> None:
    desk = in_wave_two(WITHDRAWAL)
    desk.world.insert(Post("p-01-00-c", "b-01-00", "c", "ch1", 2, 24, 4_320, 380, "scheduled"))
    desk.go(2_880 + 1_200)
    assert impact(desk) == ["b-01-00", "b-02-00", "b-02-01"]


def test_only_the_latest_version_of_a_package_counts() -> None:
    desk = in_wave_two(WITHDRAWAL)
    desk.build("b-02-00", "b", visual="v3")
    desk.build("b-02-01", "a", visual="v2")
    desk.build("b-02-01", "b", visual="v4")
    desk.go(2_880 + 1_200)
    assert impact(desk) == ["b-02-01"]


def test_a_withdrawn_asset_that_nothing_uses_affects_nobody() -> None:
    desk = Desk(WITHDRAWAL)
    desk.world.update(Post, "p-01-00-a", status="scheduled")
    desk.finish_wave(1)
    desk.go(2_880 + 1_200)
    assert impact(desk) == []


def test_a_deployment_needs_a_package_without_the_withdrawn_asset() -> None:
    desk = in_wave_two(WITHDRAWAL)
    desk.publish_due("p-02-00-b")
    desk.publish_due("p-02-01-b")
    desk.go(2_880 + 1_200)
    desk.conclude("b-02-00")
    desk.go(desk.post("p-02-00-d").due_at)
    wrong = {"brief_id": "b-02-00", "post_id": "p-02-00-d", "report": desk.ref("rp:b-02-00")}
    exposure = desk.exposure("b-02-00")
    desk.refused("INPUT_STALE", "pk:b-02-00.b@1", "deploy_campaign", **wrong, package="pk:b-02-00.b@1", **exposure)
    desk.refused("ASSET_WITHDRAWN", "v2", "build_package", **desk.package("b-02-00", "b"))
    desk.build("b-02-00", "b", visual="v3")
    desk.deploy("p-02-00-d")


@pytest.fixture
def told() -> Desk:
    """A desk with a notice of two affected briefs."""
    desk = in_wave_two(WITHDRAWAL)
    desk.go(2_880 + 1_200)
    return desk


def test_a_notice_is_resolved_by_exactly_the_affected_briefs(told: Desk) -> None:
    assert told.call("get_clock")["open_notices"] == ["N-01"]
    assert told.acknowledge("N-01", "b-02-01", "b-02-00") == {"made": [], "stale": [], "notices": []}
    assert told.call("get_clock")["open_notices"] == []
    kept = told.world.get(Acknowledgement, "N-01")
    assert kept is not None
    assert kept.briefs == ["b-02-00", "b-02-01"]
    told.acknowledge("N-01", "b-02-00", "b-02-01")
    assert told.world.get(Acknowledgement, "N-01") == kept


@pytest.mark.parametrize(
    "briefs", [[], ["b-02-00"], ["b-01-00", "b-02-00", "b-02-01"], ["b-02-00", "b-02-00", "b-02-01"]]
)
def test_any_other_set_is_refused(told: Desk, briefs: list[str]) -> None:
    error = told.refused("IMPACT_MISMATCH", "N-01", "acknowledge_update", notice_id="N-01", affected_briefs=briefs)
    assert not any(brief in error["message"] for brief in ("b-01", "b-02"))


def test_unknown_notices_and_briefs_are_refused(told: Desk) -> None:
    told.refused("NOT_FOUND", "N-02", "acknowledge_update", notice_id="N-02", affected_briefs=[])
    told.refused("NOT_FOUND", "b-09-00", "acknowledge_update", notice_id="N-01", affected_briefs=["b-09-00"])


def test_the_affected_briefs_stay_what_they_were(told: Desk) -> None:
    told.build("b-02-00", "b", visual="v3")
    told.acknowledge("N-01", "b-02-00", "b-02-01")
