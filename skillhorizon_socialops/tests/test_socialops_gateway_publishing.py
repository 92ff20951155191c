"""Publishing arms: the window, sources, loads, cooldowns, caps and hours (R5)."""

from __future__ import annotations

from typing import Any

import pytest
from socialops_desk import CAP, LAPSED, RETENTION, Desk

from skillhorizon_socialops.keys import SCHEDULED
from skillhorizon_socialops.rows import Audience, Exposure, Policy, Post, Publication


@pytest.fixture
def desk() -> Desk:
    """A desk at the minute at which p-01-00-a is due."""
    made = Desk()
    made.prepare("b-01-00", "b-01-01")
    made.go(120)
    return made


@pytest.fixture
def later() -> Desk:
    """A desk at the minute at which p-02-01-a is due, its partner not published."""
    made = Desk()
    made.finish_wave(1)
    made.prepare("b-02-00", "b-02-01")
    made.go(made.post("p-02-01-a").due_at)
    return made


def test_a_publication_keeps_what_it_was_made_of(desk: Desk) -> None:
    seen = desk.publish("p-01-00-a")
    assert seen == {"made": ["pb:p-01-00-a@1"], "stale": [], "notices": [], "at": 120}
    sources = ["sp3", "sp4", "sp3", "sp4", "sp9"]
    loads = {"au1": 64 + 96, "au2": 32 + 84 + 91}
    content = desk.content("pb:p-01-00-a")
    assert {**content, "loads": None} == {
        "post": "p-01-00-a",
        "at": 120,
        "due_at": 120,
        "sources": sources,
        "loads": None,
        "package": "pk:b-01-00.a@1",
    }
    assert content["loads"] == loads
    assert desk.post("p-01-00-a").status == "published"
    assert desk.world.select(Exposure, audience_id="au2")[-1] == Exposure("au2", 120, "p-01-00-a", 1, 150)


def test_an_equal_publication_is_answered_with_the_one_that_stands(desk: Desk) -> None:
    right = desk.publication("p-01-00-a")
    desk.call("publish_post", **right)
    assert desk.call("publish_post", **right)["made"] == ["pb:p-01-00-a@1"]
    assert desk.world.count(Publication) == 1
    desk.refused("POST_STATUS", "p-01-00-a", "publish_post", **{**right, "loads": {}})


BAD_PUBLICATIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "p-01-01-a", {"post_id": "p-01-01-a"}),
    ("NOT_FOUND", "p-01-00-d", {"post_id": "p-01-00-d"}),
    ("NOT_FOUND", "p-01-00-s", {"post_id": "p-01-00-s"}),
    ("NOT_FOUND", "pk:b-01-00.b@1", {"package": "pk:b-01-00.b@1"}),
    ("NOT_FOUND", "pk:b-01-00.a@7", {"package": "pk:b-01-00.a@7"}),
    ("NOT_FOUND", "pk:b-01-00.a", {"package": "pk:b-01-00.a"}),
    ("SOURCE_IDENTITIES", "au1", {"sources": ["sp4", "sp3", "sp3", "sp4", "sp9"]}),
    ("SOURCE_IDENTITIES", "au1", {"sources": []}),
    ("SOURCE_IDENTITIES", "au2", {"sources": ["sp3", "sp4", "sp9"]}),
    ("SOURCE_IDENTITIES", "au2", {"sources": ["sp3", "sp4", "sp3", "sp4"]}),
    ("SOURCE_IDENTITIES", "au2", {"sources": ["sp3", "sp4", "sp3", "sp4", "sp9", "sp9"]}),
    ("AUDIENCE_LOAD_NOT_CURRENT", "au1", {"loads": {"au1": 1, "au2": 207}}),
    ("AUDIENCE_LOAD_NOT_CURRENT", "au2", {"loads": {"au1": 160, "au2": 1}}),
    ("AUDIENCE_LOAD_NOT_CURRENT", "au1", {"loads": {}}),
    ("AUDIENCE_LOAD_NOT_CURRENT", "au3", {"loads": {"au1": 160, "au2": 207, "au3": 0}}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_PUBLICATIONS)
def test_wrong_publications_are_refused(desk: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    desk.refused(code, culprit, "publish_post", **{**desk.publication("p-01-00-a"), **change})


@pytest.mark.parametrize("load", ["160", 160.0, True, None])
def test_a_load_is_a_json_integer(desk: Desk, load: Any) -> None:
    wrong = {**desk.publication("p-01-00-a"), "loads": {"au1": load, "au2": 207}}
    assert "au1" in desk.malformed("publish_post", **wrong)


def test_posts_of_unopened_waves_are_not_published(desk: Desk) -> None:
    desk.world.ledger.produce("pk:b-02-00.a", {"arm": "a"})
    asked = {"post_id": "p-02-00-a", "package": "pk:b-02-00.a@1", "sources": [], "loads": {}}
    desk.refused("WAVE_NOT_OPEN", "b-02-00", "publish_post", brief_id="b-02-00", **asked)


@pytest.mark.parametrize("status", ["published", "missed", "withdrawn"])
def test_only_a_scheduled_post_is_published(desk: Desk, status: str) -> None:
    right = desk.publication("p-01-00-a")
    desk.world.update(Post, "p-01-00-a", status=status)
    desk.refused("POST_STATUS", "p-01-00-a", "publish_post", **right)


@pytest.mark.parametrize(("minute", "accepted"), [(119, False), (120, True), (179, True)])
def test_a_post_is_published_within_its_hour_only(minute: int, accepted: bool) -> None:
    desk = Desk()
    desk.prepare("b-01-00")
    desk.go(minute)
    right = desk.publication("p-01-00-a")
    if accepted:
        desk.call("publish_post", **right)
    else:
        desk.refused("DUE_TIME", "p-01-00-a", "publish_post", **right)


def test_after_its_hour_a_post_is_missed(desk: Desk) -> None:
    desk.go(180)
    desk.refused("POST_STATUS", "p-01-00-a", "publish_post", **desk.publication("p-01-00-a"))


def test_the_window_ends_before_its_sixtieth_minute(desk: Desk) -> None:
    desk.go(179)
    desk.world.advance_to(180)
    desk.refused("DUE_TIME", "p-01-00-a", "publish_post", **desk.publication("p-01-00-a"))


def test_an_arm_needs_the_current_experiment_and_its_package() -> None:
    desk = Desk()
    for arm in "ab":
        desk.build("b-01-00", arm)
    desk.plan("b-01-00")
    desk.go(120)
    desk.refused("INPUT_STALE", "ex:b-01-00", "publish_post", **desk.publication("p-01-00-a"))
    desk.register("b-01-00")
    desk.build("b-01-00", "a", visual="v3")
    desk.refused("INPUT_STALE", "ex:b-01-00", "publish_post", **desk.publication("p-01-00-a"))
    desk.register("b-01-00")
    wrong = desk.publication("p-01-00-a", package="pk:b-01-00.a@1")
    desk.refused("INPUT_STALE", "pk:b-01-00.a@1", "publish_post", **wrong)
    assert desk.publish("p-01-00-a")["made"] == ["pb:p-01-00-a@1"]


def test_a_package_that_ended_is_not_published_though_its_experiment_stands(desk: Desk) -> None:
    desk.publish("p-01-00-a")
    desk.go(600)
    right = desk.publication("p-01-00-b")
    desk.world.ledger.end("pk:b-01-00.b")
    desk.refused("INPUT_STALE", "pk:b-01-00.b@1", "publish_post", **right)


def test_a_package_that_the_frozen_experiment_does_not_bind_is_not_published(desk: Desk) -> None:
    desk.publish("p-01-00-a")
    desk.build("b-01-00", "b", visual="v3")
    desk.go(600)
    desk.refused("INPUT_STALE", "pk:b-01-00.b@2", "publish_post", **desk.publication("p-01-00-b"))
    desk.register("b-01-00")
    desk.publish("p-01-00-b")


def test_a_post_that_reaches_both_audiences_counts_in_each(desk: Desk) -> None:
    desk.publish("p-01-00-a")
    desk.publish_due("p-01-01-a")
    desk.go(600)
    assert desk.exposure("b-01-00")["sources"] == [
        *("sp4", "p-01-00-a"),
        *("sp4", "sp9", "p-01-00-a", "p-01-01-a"),
    ]
    desk.publish("p-01-00-b")


def test_a_rerun_counts_twice(desk: Desk) -> None:
    desk.publish("p-01-00-a")
    desk.call("reschedule_post", brief_id="b-01-00", post_id="p-01-00-a", due_at=1_200)
    desk.go(1_200)
    assert desk.publish("p-01-00-a")["made"] == ["pb:p-01-00-a@2"]
    assert desk.ended("pb:p-01-00-a@1") == "superseded"
    assert desk.exposure("b-01-00")["sources"].count("p-01-00-a") == 4
    kept = desk.world.select(Publication, post_id="p-01-00-a")
    assert [(each.ordinal, each.at) for each in kept] == [(1, 120), (2, 1_200)]


def test_publications_count_for_two_days_to_the_minute(desk: Desk) -> None:
    """sp4 ran at -700 and sp9 at -400: they count up to minutes 2,180 and 2,480."""
    desk.go(2_180)
    assert desk.exposure("b-01-00")["sources"] == ["sp4", "sp4", "sp9"]
    desk.go(2_181)
    assert desk.exposure("b-01-00")["sources"] == ["sp9"]
    desk.world.update(Post, "p-01-00-b", due_at=2_480, status=SCHEDULED)
    desk.go(2_480)
    wrong = desk.publication("p-01-00-b", sources=[])
    desk.refused("SOURCE_IDENTITIES", "au2", "publish_post", **wrong)
    desk.publish("p-01-00-b")


def test_house_posts_count(later: Desk) -> None:
    assert "hp-au2-01" in later.exposure("b-02-01")["sources"]
    private = [name for name in later.exposure("b-02-01")["sources"] if not name.startswith("hp-")]
    later.refused("SOURCE_IDENTITIES", "au2", "publish_post", **later.publication("p-02-01-a", sources=private))


def test_loads_follow_the_policy_in_force() -> None:
    desk = Desk(RETENTION)
    desk.finish_wave(1)
    desk.prepare("b-02-01")
    desk.publish_due("p-02-01-a")
    desk.go(2_880 + 660)
    before = desk.publication("p-02-01-b")
    desk.world.update(Post, "p-02-01-b", due_at=2_880 + 720)
    desk.go(2_880 + 720)
    after = desk.publication("p-02-01-b")
    assert after["loads"][LAPSED] != before["loads"][LAPSED]
    old = {**after["loads"], LAPSED: before["loads"][LAPSED]}
    desk.refused("AUDIENCE_LOAD_NOT_CURRENT", LAPSED, "publish_post", **{**after, "loads": old})
    assert [each.retention_bp for each in desk.world.select(Policy, audience_id=LAPSED)] == [8_000, 7_500]
    desk.publish("p-02-01-b")


def test_a_lapsed_audience_rests_after_a_house_post(later: Desk) -> None:
    """The house post ran at 2,580; with 470 minutes of rest 3,050 is the earliest, here moved to 3,070."""
    later.world.update(Audience, LAPSED, cooldown_min=490)
    assert later.world.clock == 3_060
    later.refused("COOLDOWN", LAPSED, "publish_post", **later.publication("p-02-01-a"))
    later.go(3_069)
    later.refused("COOLDOWN", LAPSED, "publish_post", **later.publication("p-02-01-a"))
    later.go(3_070)
    later.publish("p-02-01-a")


def test_audiences_that_are_not_lapsed_need_no_rest(desk: Desk) -> None:
    desk.world.insert(Exposure("au1", 119, "p-01-01-d", 1, 60))
    desk.publish("p-01-00-a")


def test_a_load_may_reach_the_cap_and_not_exceed_it(desk: Desk) -> None:
    loads = desk.exposure("b-01-00")["loads"]
    desk.world.update(Policy, "au2", 1, cap=loads["au2"] + 149)
    desk.refused("AUDIENCE_CAP", "au2", "publish_post", **desk.publication("p-01-00-a"))
    desk.world.update(Policy, "au2", 1, cap=loads["au2"] + 150)
    desk.world.update(Policy, "au1", 1, cap=loads["au1"] + 149)
    desk.refused("AUDIENCE_CAP", "au1", "publish_post", **desk.publication("p-01-00-a"))
    desk.world.update(Policy, "au1", 1, cap=loads["au1"] + 150)
    desk.publish("p-01-00-a")


def test_checks_are_made_in_their_order(desk: Desk) -> None:
    """Everything is wrong at first; each right argument lets the next check speak."""
    for name in ("au1", "au2"):
        desk.world.update(Policy, name, 1, cap=1)
        desk.world.update(Audience, name, cooldown_min=2_000)
    desk.build("b-01-00", "a", visual="v3")
    desk.world.update(Post, "p-01-00-a", status="missed", due_at=60)
    given: dict[str, Any] = {**desk.publication("p-01-00-a"), "sources": [], "loads": {}}

    def says(code: str, culprit: str) -> None:
        desk.refused(code, culprit, "publish_post", **given)

    says("POST_STATUS", "p-01-00-a")
    desk.world.update(Post, "p-01-00-a", status=SCHEDULED)
    says("DUE_TIME", "p-01-00-a")
    desk.world.update(Post, "p-01-00-a", due_at=120)
    says("INPUT_STALE", "ex:b-01-00")
    desk.register("b-01-00")
    says("SOURCE_IDENTITIES", "au1")
    right = desk.exposure("b-01-00")
    given["sources"] = right["sources"]
    says("AUDIENCE_LOAD_NOT_CURRENT", "au1")
    given["loads"] = right["loads"]
    says("COOLDOWN", "au1")
    for name in ("au1", "au2"):
        desk.world.update(Audience, name, cooldown_min=0)
    says("AUDIENCE_CAP", "au1")
    for name in ("au1", "au2"):
        desk.world.update(Policy, name, 1, cap=CAP)
    desk.publish("p-01-00-a")


def test_the_first_published_arm_freezes_the_experiment(desk: Desk) -> None:
    desk.publish("p-01-00-a")
    desk.world.ledger.end("pk:b-01-00.a")
    desk.world.ledger.end("ap:b-01-00")
    assert desk.ended("ex:b-01-00@1") is None
    desk.world.ledger.end("pk:b-01-01.a")
    assert desk.ended("ex:b-01-01@1") == "stale", "no arm of it has run"


def test_a_late_close_moves_what_is_due_later() -> None:
    desk = Desk()
    desk.deliver("b-01-00", "b-01-01")
    desk.go(2_941)
    desk.close(1)
    assert desk.world.clock == 3_000
    assert desk.post("p-02-00-a").due_at == 3_000 + 120
    desk.prepare("b-02-00")
    desk.publish_due("p-02-00-a")
