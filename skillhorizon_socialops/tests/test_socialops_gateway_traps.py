"""Traps that the gateway catches; those that only the end tells are caught by the goals."""

from __future__ import annotations

from socialops_desk import SLIGHT, VOIDED, WITHDRAWAL, Desk

from skillhorizon_socialops.rows import Audience, Post


def test_sources_without_their_duplicates_are_refused() -> None:
    desk = Desk()
    desk.prepare("b-01-00")
    desk.go(120)
    right = desk.publication("p-01-00-a")
    once = [*dict.fromkeys(right["sources"])]
    desk.refused("SOURCE_IDENTITIES", "au2", "publish_post", **{**right, "sources": once})


def test_a_lineage_without_its_duplicates_is_refused() -> None:
    desk = Desk()
    desk.finish_wave(1)
    for arm in "ab":
        desk.build("b-02-00", arm)
    desk.plan("b-02-00")
    once = [*dict.fromkeys(desk.lineage("b-02-00"))]
    desk.refused("SOURCE_IDENTITIES", "b-01-00", "register_experiment", **desk.registration("b-02-00", lineage=once))


def test_loads_of_before_a_neighbours_post_are_refused() -> None:
    desk = Desk()
    desk.prepare("b-01-00", "b-01-01")
    desk.publish_due("p-01-00-a")
    desk.go(180)
    early = desk.publication("p-01-01-a")
    desk.world.update(Post, "p-01-00-b", due_at=180, channel_id="ch2")
    desk.publish("p-01-00-b")
    late = {**desk.publication("p-01-01-a"), "loads": early["loads"]}
    desk.refused("AUDIENCE_LOAD_NOT_CURRENT", "au2", "publish_post", **late)
    desk.refused("SOURCE_IDENTITIES", "au2", "publish_post", **early)


def test_loads_of_before_the_next_step_of_decay_are_refused() -> None:
    desk = Desk()
    desk.prepare("b-01-00")
    desk.go(120)
    early = desk.publication("p-01-00-a")
    assert early["loads"] == {"au1": 160, "au2": 207}
    desk.world.update(Post, "p-01-00-a", due_at=150)
    desk.go(180)
    desk.refused("AUDIENCE_LOAD_NOT_CURRENT", "au1", "publish_post", **early)


def test_a_lapsed_audience_at_due_after_a_house_post_is_refused() -> None:
    desk = Desk()
    desk.finish_wave(1)
    desk.prepare("b-02-01")
    desk.world.update(Audience, "au3", cooldown_min=490)
    desk.go(3_060)
    desk.refused("COOLDOWN", "au3", "publish_post", **desk.publication("p-02-01-a"))


def test_advancing_past_two_due_posts_costs_two_of_the_allowance() -> None:
    desk = Desk()
    desk.prepare("b-01-00", "b-01-01")
    missed = desk.call("advance_clock", to_minute=600)["missed"]
    assert missed == ["p-01-00-a", "p-01-01-a"]
    for post, due in zip(missed, (1_200, 1_260), strict=True):
        desk.call("reschedule_post", brief_id=desk.post(post).brief_id, post_id=post, due_at=due)
    assert desk.call("get_clock")["reschedules_left"] == 1


def test_a_control_on_the_report_before_its_correction_is_refused() -> None:
    desk = Desk(VOIDED)
    desk.finish_wave(1)
    desk.refused(
        "BASIS_NOT_CURRENT", "rp:b-01-00@1", "build_package", **desk.package("b-02-00", "a", basis="rp:b-01-00@1")
    )
    desk.credit("b-01-00", 3, 1)
    desk.report("b-01-00")
    desk.refused(
        "BASIS_NOT_CURRENT", "rp:b-01-00@1", "build_package", **desk.package("b-02-00", "a", basis="rp:b-01-00@1")
    )
    desk.build("b-02-00", "a")


def test_a_withdrawal_scoped_to_the_open_wave_only_is_refused() -> None:
    desk = Desk(WITHDRAWAL)
    desk.finish_wave(1)
    desk.prepare("b-02-00", "b-02-01")
    desk.world.insert(Post("p-01-00-c", "b-01-00", "c", "ch1", 2, 24, 4_320, 380, "scheduled"))
    desk.go(2_880 + 1_200)
    scoped = {"notice_id": "N-01", "affected_briefs": ["b-02-00", "b-02-01"]}
    desk.refused("IMPACT_MISMATCH", "N-01", "acknowledge_update", **scoped)
    desk.acknowledge("N-01", "b-01-00", "b-02-00", "b-02-01")


def test_publishing_every_corrective_post_is_refused() -> None:
    desk = Desk(SLIGHT)
    desk.finish_wave(1)
    desk.credit("b-01-00", 2, 6)
    desk.report("b-01-00")
    desk.go(desk.post("p-01-00-c").due_at)
    desk.refused("DEPLOYMENT_VALID", "dp:b-01-00@1", "deploy_campaign", **desk.deployment("p-01-00-c"))


def test_a_private_log_without_house_posts_is_refused() -> None:
    desk = Desk()
    desk.finish_wave(1)
    desk.prepare("b-02-00")
    desk.go(3_000)
    right = desk.publication("p-02-00-a")
    mine = [name for name in right["sources"] if not name.startswith("hp-")]
    assert mine != right["sources"]
    desk.refused("SOURCE_IDENTITIES", "au1", "publish_post", **{**right, "sources": mine})
