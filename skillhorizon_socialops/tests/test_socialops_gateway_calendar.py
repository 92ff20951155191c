"""Rescheduling, passing time and closing waves."""

from __future__ import annotations

from typing import Any

import pytest
from socialops_desk import ALLOWANCE, RERUN, SLIGHT, SUBSTITUTION, Desk

from skillhorizon_socialops.rows import Move, Post, Publication, Wave


@pytest.fixture
def desk() -> Desk:
    """A desk in wave 1 with both experiments registered."""
    made = Desk()
    made.prepare("b-01-00", "b-01-01")
    return made


def moving(post: str = "p-01-00-a", due_at: int = 1_200, **changes: Any) -> dict[str, Any]:
    return {"brief_id": f"b{post[1:-2]}", "post_id": post, "due_at": due_at, **changes}


def test_a_post_moves_to_a_reserve_hour(desk: Desk) -> None:
    seen = desk.call("reschedule_post", **moving())
    assert {name: seen[name] for name in ("post", "due_at", "reschedules_left")} == {
        "post": "p-01-00-a",
        "due_at": 1_200,
        "reschedules_left": ALLOWANCE - 1,
    }
    found = desk.post("p-01-00-a")
    assert (found.wave, found.hour, found.due_at, found.status) == (1, 20, 1_200, "scheduled")
    assert desk.world.select(Move) == [Move(1, desk.session.index, "p-01-00-a", 120, 1_200)]


def test_a_missed_post_may_run_after_all(desk: Desk) -> None:
    desk.go(180)
    assert desk.post("p-01-00-a").status == "missed"
    desk.call("reschedule_post", **moving())
    desk.go(1_200)
    desk.publish("p-01-00-a")


def test_more_moves_than_the_allowance_are_granted_as_overdraft(desk: Desk) -> None:
    hours = (1_200, 1_260, 1_320, 1_380, 2_640)
    left = [desk.call("reschedule_post", **moving(due_at=due))["reschedules_left"] for due in hours]
    assert left == [2, 1, 0, -1, -2]
    assert desk.call("get_clock")["reschedules_left"] == -2


BAD_MOVES = [
    ("NOT_FOUND", "b-09-00", {"brief_id": "b-09-00"}),
    ("NOT_FOUND", "p-01-01-a", {"post_id": "p-01-01-a"}),
    ("NOT_FOUND", "hp-au1-01", {"post_id": "hp-au1-01"}),
    ("SLOT_TAKEN", "p-01-00-a", {"due_at": 1_140}),
    ("SLOT_TAKEN", "p-01-00-a", {"due_at": 1_201}),
    ("SLOT_TAKEN", "p-01-00-a", {"due_at": 2_580}),
    ("SLOT_TAKEN", "p-01-00-a", {"due_at": -60}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_MOVES)
def test_wrong_moves_are_refused(desk: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    desk.refused(code, culprit, "reschedule_post", **{**moving(), **change})


def test_posts_of_unopened_waves_do_not_move(desk: Desk) -> None:
    desk.refused("WAVE_NOT_OPEN", "b-02-00", "reschedule_post", **moving("p-02-00-a", 4_080))


@pytest.mark.parametrize("status", ["withdrawn", "released"])
def test_a_post_that_runs_no_more_does_not_move(desk: Desk, status: str) -> None:
    desk.world.update(Post, "p-01-00-a", status=status)
    desk.refused("POST_STATUS", "p-01-00-a", "reschedule_post", **moving())


def test_a_taken_hour_is_refused_on_its_channel_only(desk: Desk) -> None:
    desk.call("reschedule_post", **moving("p-01-01-a"))
    desk.refused("SLOT_TAKEN", "p-01-01-a", "reschedule_post", **moving())
    desk.world.update(Post, "p-01-01-a", channel_id="ch2")
    desk.call("reschedule_post", **moving())


def test_what_is_withdrawn_or_of_unopened_waves_takes_no_hour(desk: Desk) -> None:
    desk.call("reschedule_post", **moving("p-01-01-a"))
    desk.world.update(Post, "p-01-01-a", status="withdrawn")
    desk.world.insert(Post("p-03-00-c", "b-03-00", "c", "ch1", 3, 24, 1_200, 380, "scheduled"))
    desk.call("reschedule_post", **moving())


def test_a_past_hour_is_refused(desk: Desk) -> None:
    desk.go(1_200)
    desk.refused("SLOT_TAKEN", "p-01-00-a", "reschedule_post", **moving())
    desk.call("reschedule_post", **moving(due_at=1_260))


def test_late_hours_have_no_end_while_the_wave_is_open(desk: Desk) -> None:
    desk.go(2_880 + 900)
    assert desk.call("list_calendar")["free"] == {"ch1": [3_840 + 60 * number for number in range(6)]}
    desk.call("reschedule_post", **moving(due_at=3_840))


def test_arms_move_in_their_own_wave_only() -> None:
    desk = Desk()
    desk.finish_wave(1)
    desk.refused("WAVE_CLOSED", "p-01-00-b", "reschedule_post", **moving("p-01-00-b", 2_880 + 1_200))
    seen = desk.call("reschedule_post", **moving("p-01-00-d", 2_880 + 1_200))
    assert seen["due_at"] == 4_080
    found = desk.post("p-01-00-d")
    assert (found.wave, found.hour) == (2, 20)


def test_an_arm_that_moves_raises_its_feed_and_a_deployment_does_not(desk: Desk) -> None:
    desk.call("reschedule_post", **moving())
    assert desk.call("list_conversions", brief_id="b-01-00")["feed_version"] == 2
    desk.call("reschedule_post", **moving("p-01-00-d", 1_260))
    assert desk.call("list_conversions", brief_id="b-01-00")["feed_version"] == 2
    assert desk.brief("b-01-00")["observe_until"] == 1_200 + 840


def test_nothing_moves_once_all_waves_are_closed() -> None:
    desk = Desk()
    for wave in (1, 2, 3):
        desk.finish_wave(wave)
    desk.refused("SLOT_TAKEN", "p-03-00-d", "reschedule_post", **moving("p-03-00-d", 9_000))
    assert desk.call("advance_clock", to_minute=9_000)["clock"] == 9_000


@pytest.mark.parametrize("to_minute", [0, -1, 2_881])
def test_time_passes_forward_and_a_wave_at_a_time(desk: Desk, to_minute: int) -> None:
    desk.refused("CLOCK_RANGE", str(to_minute), "advance_clock", to_minute=to_minute)


def test_the_present_minute_is_no_advance(desk: Desk) -> None:
    desk.call("advance_clock", to_minute=1)
    desk.refused("CLOCK_RANGE", "1", "advance_clock", to_minute=1)
    assert desk.call("advance_clock", to_minute=2_881)["clock"] == 2_881


def test_a_post_is_missed_an_hour_after_it_was_due(desk: Desk) -> None:
    assert desk.call("advance_clock", to_minute=179)["missed"] == []
    assert desk.call("advance_clock", to_minute=180)["missed"] == ["p-01-00-a"]
    assert desk.call("advance_clock", to_minute=700)["missed"] == ["p-01-01-a", "p-01-00-b"]
    assert [desk.post(f"p-01-01-{arm}").status for arm in "abd"] == ["missed", "scheduled", "scheduled"]


def test_posts_of_unopened_waves_are_not_missed(desk: Desk) -> None:
    desk.go(2_880)
    desk.go(4_000)
    assert desk.post("p-02-00-a").status == "scheduled"


def test_house_posts_publish_themselves_and_ask_for_no_check(desk: Desk) -> None:
    assert desk.call("advance_clock", to_minute=2_579)["published"] == []
    seen = desk.call("advance_clock", to_minute=2_600)
    assert seen["published"] == ["hp-au1-01", "hp-au2-01", "hp-au3-01"]
    made = desk.world.get(Publication, "hp-au2-01", 1)
    assert made == Publication("hp-au2-01", 1, 2_580, 90, desk.session.index, None)
    assert desk.call("advance_clock", to_minute=5_400)["published"] == []


def test_a_wave_closes_when_all_is_delivered_and_passes_its_house_posts(desk: Desk) -> None:
    desk.run_arms("b-01-00", "b-01-01")
    desk.conclude("b-01-00", "b-01-01")
    desk.refused("WAVE_INCOMPLETE", "b-01-00", "close_wave", wave=1)
    desk.deploy("p-01-00-d")
    desk.refused("WAVE_INCOMPLETE", "b-01-01", "close_wave", wave=1)
    desk.deploy("p-01-01-d")
    assert desk.world.clock < 2_580
    seen = desk.close(1)
    assert (seen["clock"], seen["open_wave"]) == (2_880, 2)
    assert seen["published"] == ["hp-au1-01", "hp-au2-01", "hp-au3-01"]
    assert desk.world.get(Wave, 1) == Wave(1, 0, 2_100, "closed")
    assert desk.world.ledger.event("wave_closed", "1") is not None


def test_each_brief_needs_a_current_report_too(desk: Desk) -> None:
    desk.run_arms("b-01-00", "b-01-01")
    desk.conclude("b-01-00", "b-01-01")
    desk.deploy("p-01-00-d")
    desk.deploy("p-01-01-d")
    desk.credit("b-01-01", 2, 6)
    assert desk.ended("dp:b-01-01@1") is None
    desk.refused("WAVE_INCOMPLETE", "b-01-01", "close_wave", wave=1)


def test_a_wave_is_closed_in_its_turn(desk: Desk) -> None:
    desk.refused("NOT_FOUND", "4", "close_wave", wave=4)
    desk.refused("WAVE_NOT_OPEN", "2", "close_wave", wave=2)
    desk.run_arms("b-01-00", "b-01-01")
    desk.conclude("b-01-00", "b-01-01")
    desk.deploy("p-01-00-d")
    desk.deploy("p-01-01-d")
    desk.close(1)
    desk.refused("WAVE_NOT_OPEN", "1", "close_wave", wave=1)


@pytest.mark.parametrize("status", ["scheduled", "missed"])
def test_no_post_waits_when_a_wave_closes(desk: Desk, status: str) -> None:
    desk.run_arms("b-01-00", "b-01-01")
    desk.conclude("b-01-00", "b-01-01")
    desk.deploy("p-01-00-d")
    desk.deploy("p-01-01-d")
    desk.world.update(Post, "p-01-00-b", status=status)
    desk.refused("WAVE_INCOMPLETE", "p-01-00-b", "close_wave", wave=1)


def test_what_earlier_waves_left_keeps_a_wave_open() -> None:
    desk = Desk(RERUN)
    desk.finish_wave(1)
    desk.deliver("b-02-00", "b-02-01")
    desk.acknowledge("N-01", "b-01-01")
    desk.refused("WAVE_INCOMPLETE", "b-01-01", "close_wave", wave=2)
    desk.call("reschedule_post", **moving("p-01-01-d", 2_880 + 3_060))
    desk.deploy("p-01-01-d")
    desk.close(2)


def test_no_wave_closes_over_an_open_notice() -> None:
    desk = Desk(SLIGHT)
    desk.finish_wave(1)
    desk.credit("b-01-00", 2, 6)
    desk.report("b-01-00")
    desk.call("release_post", brief_id="b-01-00", post_id="p-01-00-c")
    desk.deliver("b-02-00", "b-02-01")
    desk.refused("UPDATE_OPEN", "N-01", "close_wave", wave=2)
    desk.acknowledge("N-01", "b-01-00")
    desk.close(2)


def test_a_late_close_opens_the_next_wave_at_the_next_hour(desk: Desk) -> None:
    desk.run_arms("b-01-00", "b-01-01")
    desk.conclude("b-01-00", "b-01-01")
    desk.deploy("p-01-00-d")
    desk.deploy("p-01-01-d")
    desk.go(3_001)
    seen = desk.close(1)
    assert (seen["clock"], seen["published"]) == (3_060, []), "the house posts ran on the way"
    assert [each.start for each in desk.world.select(Wave)] == [0, 3_060, 5_940]
    assert [desk.post(post).due_at for post in ("p-02-00-a", "p-03-00-d")] == [3_180, 5_940 + 2_040]
    assert desk.brief("b-02-00")["observe_until"] == 3_060 + 600 + 840


def test_a_trigger_by_the_hour_moves_with_its_wave() -> None:
    desk = Desk(SUBSTITUTION)
    desk.deliver("b-01-00", "b-01-01")
    desk.go(2_941)
    desk.close(1)
    desk.prepare("b-02-00", "b-02-01")
    desk.publish_due("p-02-00-a")
    assert desk.go(3_000 + 539) == []
    (notice,) = desk.go(3_000 + 540)
    assert notice["clock"] == 3_540
    assert desk.post("p-02-00-s").due_at == 3_000 + 60 * 18


def test_the_last_wave_closes_too() -> None:
    desk = Desk()
    desk.finish_wave(1)
    desk.finish_wave(2)
    seen = desk.finish_wave(3)
    assert (seen["open_wave"], seen["clock"]) == (None, 8_640)
    assert desk.call("get_clock")["open_wave"] is None
    desk.refused("WAVE_NOT_OPEN", "3", "close_wave", wave=3)
