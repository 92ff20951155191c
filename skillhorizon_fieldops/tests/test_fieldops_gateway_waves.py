"""Closing waves, posting accounts, accepting, and asking for relief."""

from __future__ import annotations

from typing import Any

import pytest
from fieldops_yard import Yard

from skillhorizon_fieldops.rows import Booking, Relief, Reservation


@pytest.fixture
def yard() -> Yard:
    return Yard()


@pytest.fixture
def delivered() -> Yard:
    """Both waves are done and closed, their accounts posted."""
    made = Yard()
    made.wave_one()
    made.end_wave(1)
    made.wave_two()
    made.end_wave(2)
    return made


def sections(yard: Yard) -> None:
    for section, services in (("A1", ("S1", "S2")), ("A2", ("S3",))):
        refs = [yard.ref(f"COM:{service}") for service in services]
        yard.call("accept_section", section=section, commissions=refs)


def test_closing_opens_the_next_wave_and_lists_what_is_unworked(yard: Yard) -> None:
    yard.plan(1)
    yard.access("Z1")
    answer = yard.call("close_wave", wave=1)
    assert (answer["unworked"], answer["unworked_count"], answer["open_wave"]) == (["D3", "D4"], 2, 2)
    assert yard.world.clock == 2


def test_what_a_wave_left_unused_ends_void_in_no_answer(yard: Yard) -> None:
    yard.plan(1)
    yard.access("Z1")
    answer = yard.call("close_wave", wave=1)
    assert answer["stale"] == []
    ended = [yard.ended(ref) for ref in ("RSV:D3@1", "BKG:Z2.mid@1", "BKG:Z1.mid@1", "RSV:D1@1")]
    assert ended == ["void", "void", "historic", "historic"]
    batch, row = yard.batch("B2"), yard.world.get(Reservation, "D3", 1)
    assert (batch.free, batch.held) == (20, 0)
    assert row is not None
    assert row.status == "void"
    assert yard.free("C1", block="L") == 480


def test_a_booking_of_a_later_wave_outlives_this_one(yard: Yard) -> None:
    yard.plan(1)
    yard.book("Z2.edge", wave=3, block="E")
    yard.call("close_wave", wave=1)
    assert yard.ended("BKG:Z2.edge@2") is None


def test_only_the_open_wave_closes(yard: Yard) -> None:
    yard.refused("wave_not_open", "2", "close_wave", wave=2)
    yard.call("close_wave", wave=1)
    yard.refused("wave_not_open", "1", "close_wave", wave=1)
    yard.refused("wave_not_open", "99", "close_wave", wave=99)


def test_a_wave_closes_clear(yard: Yard) -> None:
    yard.plan(1)
    permit = yard.isolate("Z1")
    yard.refused("wave_not_clear", permit, "close_wave", wave=1)
    yard.perform("D1")
    yard.close("Z1")
    yard.refused("wave_not_clear", "D1", "close_wave", wave=1)


def test_the_sweep_closes_once_all_services_are_current(delivered: Yard) -> None:
    delivered.world.ledger.end("COM:S3")
    delivered.refused("wave_not_clear", "S3", "close_wave", wave=3)
    delivered.commission("S3")
    assert delivered.call("close_wave", wave=3)["open_wave"] is None
    assert delivered.call("get_brief")["open_wave"] is None


def test_after_the_sweep_nothing_is_planned_any_more(delivered: Yard) -> None:
    delivered.call("close_wave", wave=3)
    delivered.diagnose("D6", fault="F1")
    booking = {"job": "D6", "crew": "C3", "wave": 3, "block": "L", "minutes": 60}
    delivered.refused("wave_closed", "3", "reserve_parts", lines=[delivered.line("D6", "B2")])
    delivered.refused("wave_closed", "3", "assign_crew", **booking)
    delivered.refused("wave_closed", "3", "issue_isolation", **delivered.isolation("Z3"))
    delivered.refused("wave_closed", "3", "request_relief", expedite="PT1")
    delivered.refused("wave_not_open", "4", "close_wave", wave=4)


def test_a_wave_can_be_left_to_the_sweep_and_accounted_there(yard: Yard) -> None:
    yard.wave_one()
    yard.end_wave(1)
    yard.diagnose("D5", "D6")
    yard.end_wave(2)
    yard.book("Z3.edge", wave=3, block="L")
    yard.isolate("Z3", block="L")
    for device in ("D5", "D6"):
        yard.perform(device)
    yard.close("Z3")
    yard.prove("D5", "D6")
    yard.rework("D5", cause=yard.ref("CRT:D5"))
    yard.prove("D5")
    yard.commission("S3")
    sections(yard)
    yard.refused("acceptance_incomplete", "3", "accept_system", **yard.acceptance(1, 2))
    yard.end_wave(3)
    assert yard.call("accept_system", **yard.acceptance(1, 2, 3))["made"] == ["SYS:system@1"]


def test_an_account_adds_up_what_a_wave_used(yard: Yard) -> None:
    yard.wave_one()
    yard.call("close_wave", wave=1)
    account = yard.account(1)
    assert account["lines"] == [["PT1", 12, 9, 3, 0], ["PT3", 2, 2, 0, 0]]
    assert yard.call("post_account", **account)["made"] == ["ACC:1@1"]
    assert yard.call("post_account", **account)["made"] == ["ACC:1@1"]


def test_an_account_counts_stale_reservations_and_no_void_ones(yard: Yard) -> None:
    yard.diagnose("D1", "D2")
    yard.reserve("D1")
    yard.reserve("D2")
    yard.diagnose("D1", fault="F2")
    yard.call("close_wave", wave=1)
    assert yard.account(1)["lines"] == [["PT1", 4, 0, 4, 0]]


def test_an_account_is_a_proposal_of_a_closed_wave(yard: Yard) -> None:
    yard.refused("wave_open", "1", "post_account", wave=1, lines=[], crew_minutes=0)
    yard.call("close_wave", wave=1)
    yard.refused("unknown_object", "9", "post_account", wave=9, lines=[], crew_minutes=0)
    line = ["PT1", 1, 1, 0, 0]
    yard.refused("unknown_object", "PT9", "post_account", wave=1, lines=[["PT9", 1, 1, 0, 0]], crew_minutes=0)
    yard.refused("duplicate_object", "PT1", "post_account", wave=1, lines=[line, line], crew_minutes=0)
    assert yard.call("post_account", wave=1, lines=[line], crew_minutes=7)["made"] == ["ACC:1@1"]


def test_sections_then_the_system_are_accepted(delivered: Yard) -> None:
    assert delivered.accept()["made"] == ["SYS:system@1"]
    assert delivered.call("accept_system", **delivered.acceptance(1, 2))["made"] == ["SYS:system@1"]
    delivered.world.ledger.end("COM:S1")
    assert [delivered.ended(ref) for ref in ("SEC:A1@1", "SYS:system@1")] == ["stale", "stale"]


BAD_SECTIONS = [
    ("unknown_object", "A9", {"section": "A9"}),
    ("unknown_object", "COM:S9@1", {"commissions": ["COM:S9@1"]}),
    ("duplicate_object", "COM:S1@1", {"commissions": ["COM:S1@1", "COM:S1@1"]}),
    ("section_incomplete", "S2", {"commissions": ["COM:S1@1"]}),
    ("section_incomplete", "S3", {"commissions": ["COM:S1@1", "COM:S2@1", "COM:S3@1"]}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_SECTIONS)
def test_wrong_sections_are_refused(delivered: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    right = {"section": "A1", "commissions": ["COM:S1@1", "COM:S2@1"]}
    delivered.refused(code, culprit, "accept_section", **{**right, **change})


def test_ended_commissionings_are_not_accepted(delivered: Yard) -> None:
    delivered.world.ledger.end("COM:S1")
    refs = ["COM:S1@1", "COM:S2@1"]
    delivered.refused("not_current", "COM:S1@1", "accept_section", section="A1", commissions=refs)


BAD_SYSTEMS = [
    ("unknown_object", "SEC:A9@1", {"sections": ["SEC:A1@1", "SEC:A9@1"]}),
    ("unknown_object", "ACC:9@1", {"accounts": ["ACC:9@1"]}),
    ("duplicate_object", "ACC:1@1", {"accounts": ["ACC:1@1", "ACC:1@1"]}),
    ("acceptance_incomplete", "A2", {"sections": ["SEC:A1@1"]}),
    ("acceptance_incomplete", "2", {"accounts": ["ACC:1@1"]}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_SYSTEMS)
def test_wrong_acceptances_are_refused(delivered: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    sections(delivered)
    delivered.refused(code, culprit, "accept_system", **{**delivered.acceptance(1, 2), **change})


def test_a_wrong_account_is_found_at_acceptance(delivered: Yard) -> None:
    sections(delivered)
    right = delivered.account(1)
    for wrong in ({"crew_minutes": right["crew_minutes"] - 1}, {"lines": right["lines"][:-1]}):
        delivered.call("post_account", **{**right, **wrong})
        culprit = delivered.ref("ACC:1")
        delivered.refused("account_mismatch", culprit, "accept_system", **delivered.acceptance(1, 2))


def test_nothing_stays_isolated_or_reserved_at_acceptance(delivered: Yard) -> None:
    sections(delivered)
    delivered.diagnose("D6", fault="F1")
    delivered.reserve("D6", "B2")
    delivered.refused("reservation_open", "D6", "accept_system", **delivered.acceptance(1, 2))
    delivered.book("D6")
    accepting = delivered.acceptance(1, 2)
    delivered.call("issue_isolation", **delivered.isolation("Z3", "D6", block="L"))
    accepting["sections"] = [delivered.ref("SEC:A1")]
    delivered.refused("isolation_open", delivered.ref("PRM:Z3"), "accept_system", **accepting)


def test_overtime_adds_minutes_to_a_block(yard: Yard) -> None:
    answer = yard.call("request_relief", overtime={"crew": "C1", "wave": 1, "block": "E"})
    assert answer["relief"] == {"budget": 2, "used": 1}
    assert yard.free("C1") == 600
    assert yard.world.get(Relief, 1) == Relief(1, "overtime", "C1", 1, "E", None, None)


def test_expedited_parts_come_in_a_batch_of_their_own(yard: Yard) -> None:
    assert yard.call("request_relief", expedite="PT1")["batch"] == "PT1-X1"
    answer = yard.call("request_relief", expedite="PT1")
    assert (answer["batch"], answer["relief"]) == ("PT1-X2", {"budget": 2, "used": 2})
    assert yard.rows("list_batches", parts=["PT1"])[-1] == ["PT1-X2", "PT1", 11, 2, 8, 0, 0, 0, "released"]


def test_relief_beyond_the_budget_is_granted_as_overdraft(yard: Yard) -> None:
    for _ in range(3):
        answer = yard.call("request_relief", expedite="PT2")
    assert answer["relief"] == {"budget": 2, "used": 3}


BAD_RELIEF: list[tuple[str, str, dict[str, Any]]] = [
    ("unclear_relief", "overtime", {}),
    ("unclear_relief", "overtime", {"overtime": {"crew": "C1", "wave": 1, "block": "E"}, "expedite": "PT1"}),
    ("unknown_object", "C9", {"overtime": {"crew": "C9", "wave": 1, "block": "E"}}),
    ("unknown_object", "9", {"overtime": {"crew": "C1", "wave": 9, "block": "E"}}),
    ("unknown_object", "PT9", {"expedite": "PT9"}),
]


@pytest.mark.parametrize(("code", "culprit", "arguments"), BAD_RELIEF)
def test_unclear_relief_is_refused(yard: Yard, code: str, culprit: str, arguments: dict[str, Any]) -> None:
    yard.refused(code, culprit, "request_relief", **arguments)


def test_a_used_booking_keeps_its_minutes(delivered: Yard) -> None:
    row = delivered.world.get(Booking, "Z1.head", 1)
    assert row is not None
    assert row.status == "used"
    assert ["Z1.head", "C1", row.minutes] in delivered.rows("get_wave_ledger", wave=1, of="crews")
