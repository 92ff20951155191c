"""Isolating, working, handing back and settling."""

from __future__ import annotations

from typing import Any

import pytest
from fieldops_yard import CREW, Yard

from skillhorizon_fieldops.rows import Booking, Condition, Isolation, Permit, Programme, Reservation, Window


@pytest.fixture
def yard() -> Yard:
    made = Yard()
    made.plan(1)
    return made


def condition(yard: Yard, device: str) -> Condition:
    found = yard.world.get(Condition, device)
    assert found is not None
    return found


def test_a_permit_isolates_touches_and_freezes(yard: Yard) -> None:
    assert yard.call("issue_isolation", **yard.isolation("Z1"))["made"] == ["PRM:Z1@1"]
    assert yard.content("PRM:Z1") == {"devices": ["D1", "D2"], "block": "E", "points": ["P2", "P4", "P5"]}
    assert yard.world.get(Isolation, "D2") == Isolation("D2", "Z1", "PRM:Z1@1")
    assert yard.world.ledger.token("device:D2/touch") == "1"
    booking = yard.world.ledger.current("BKG:Z1.mid")
    assert booking is not None
    assert all(cite.token is None for cite in yard.world.ledger.cites(booking))


def test_a_zone_may_be_isolated_in_parts(yard: Yard) -> None:
    yard.isolate("Z1", "D2")
    yard.close("Z1")
    assert yard.isolate("Z1", "D1") == "PRM:Z1@2"


BAD_ISOLATIONS = [
    ("unknown_object", "Z9", {"zone": "Z9"}),
    ("unknown_object", "D3", {"devices": ["D1", "D3"]}),
    ("unknown_object", "P9", {"points": ["P9"]}),
    ("duplicate_object", "D1", {"devices": ["D1", "D1"]}),
    ("duplicate_object", "P1", {"points": ["P1", "P1"]}),
    ("window_not_open", "Z1/1.L", {"block": "L"}),
    ("point_not_applicable", "P1", {"points": ["P1", "P2", "P4", "P5"]}),
    ("point_not_applicable", "Q1", {"points": ["P2", "P4", "P5", "Q1"]}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_ISOLATIONS)
def test_wrong_isolations_are_refused(yard: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    yard.refused(code, culprit, "issue_isolation", **{**yard.isolation("Z1"), **change})


def test_a_permit_names_at_least_one_device(yard: Yard) -> None:
    seen = yard.observe("issue_isolation", zone="Z1", devices=[], block="E", points=[])
    assert seen.data["error"]["code"] == "MALFORMED"


def test_a_zone_has_one_permit_at_a_time(yard: Yard) -> None:
    yard.isolate("Z1", "D2")
    yard.refused("already_isolated", "D2", "issue_isolation", **yard.isolation("Z1", "D2"))
    yard.refused("already_isolated", "Z1", "issue_isolation", **yard.isolation("Z1", "D1"))


def test_no_unworked_device_is_isolated_before_its_wave_is_booked() -> None:
    yard = Yard()
    yard.diagnose("D1", "D2", "D3", "D4")
    for job in ("Z1.head", "Z1.mid"):
        yard.book(job)
    error = yard.refused("wave_unbooked", "D3", "issue_isolation", **yard.isolation("Z1"))
    assert error["details"]["devices"] == ["D3", "D4"]


def test_a_booking_in_whatever_window_books_its_wave(yard: Yard) -> None:
    yard.book("Z2.mid", wave=3, block="E")
    yard.book("Z2.edge", wave=3, block="L")
    assert yard.isolate("Z1")


def test_a_booking_that_an_update_ended_leaves_its_wave_booked() -> None:
    yard = Yard(CREW)
    yard.plan(1)
    yard.call("assign_crew", job="Z1.mid", crew="C2", wave=1, block="E", minutes=75)
    yard.call("assign_crew", job="Z2.mid", crew="C2", wave=1, block="L", minutes=75)
    assert yard.call("issue_isolation", **yard.isolation("Z1"))["stale"] == ["BKG:Z2.mid@2"]
    yard.close("Z1")
    assert yard.isolate("Z1")


def test_an_isolation_takes_a_booking_in_its_own_block(yard: Yard) -> None:
    yard.book("Z1.mid", wave=3, block="E")
    yard.refused("not_booked", "D2", "issue_isolation", **yard.isolation("Z1"))


def test_worked_devices_without_rework_are_not_booked(yard: Yard) -> None:
    yard.access("Z1")
    yard.refused("not_booked", "D1", "issue_isolation", **yard.isolation("Z1", "D1"))


def test_pair_partners_are_never_isolated_together(yard: Yard) -> None:
    yard.isolate("Z1", "D2")
    yard.refused("n_minus_one", "D3", "issue_isolation", **yard.isolation("Z2", "D3"))
    assert yard.isolate("Z2", "D4")


def test_permits_open_at_once_are_limited(yard: Yard) -> None:
    yard.world.update(Programme, "programme", permits=1)
    yard.isolate("Z1", "D1")
    yard.refused("permit_limit", "Z2", "issue_isolation", **yard.isolation("Z2"))


def test_rework_in_block_e_interrupts_no_gold_service(yard: Yard) -> None:
    yard.access("Z1")
    yard.prove("D1", "D2")
    yard.commission("S1")
    yard.diagnose("D1", fault="F2")
    yard.book("D1", block="E")
    yard.refused("service_impact", "S1", "issue_isolation", **yard.isolation("Z1", "D1", block="E"))
    yard.book("D1", block="L")
    assert yard.isolate("Z1", "D1", block="L")


def test_members_within_the_set_are_not_interrupted(yard: Yard) -> None:
    yard.access("Z1")
    yard.prove("D1", "D2")
    yard.commission("S1")
    yard.diagnose("D1", "D2", fault="F2")
    for device in ("D1", "D2"):
        yard.book(device, block="E")
    assert yard.isolate("Z1", "D1", "D2", block="E")


def test_rework_needs_no_window(yard: Yard) -> None:
    yard.access("Z1")
    yard.diagnose("D2", fault="F2")
    assert yard.rework("D2", block="L")["made"] == ["WRK:D2@2"]


def test_work_repairs_consumes_and_touches(yard: Yard) -> None:
    yard.isolate("Z1")
    assert yard.perform("D1")["rest"] == 1
    assert yard.content("WRK:D1") == {
        "action": "replace optic",
        "fault": "F1",
        "part": "PT1",
        "batch": "B1",
        "cause": "DGN:D1@1",
    }
    assert yard.world.ledger.token("device:D1/touch") == "2"
    batch, row = yard.batch("B1"), yard.world.get(Reservation, "D1", 1)
    assert (batch.held, batch.consumed) == (5, 3)
    assert row is not None
    assert (row.consumed, row.status) == (3, "unsettled")
    assert condition(yard, "D1").repaired == "F1"


def test_a_reservation_without_a_rest_settles_itself(yard: Yard) -> None:
    yard.isolate("Z2", "D4")
    assert yard.perform("D4")["rest"] == 0
    assert yard.ended("RSV:D4@1") == "historic"


def test_work_without_parts_leaves_no_part_installed(yard: Yard) -> None:
    yard.access("Z1")
    yard.diagnose("D1", fault="F2")
    yard.rework("D1")
    assert yard.content("WRK:D1")["part"] is None
    assert condition(yard, "D1").batch is None


def test_an_alternate_part_derates(yard: Yard) -> None:
    yard.diagnose("D1", fault="F2")
    yard.diagnose("D1", fault="F1")
    yard.reserve("D1", "B4")
    yard.access("Z1")
    assert condition(yard, "D1").derate_bp == 1200
    assert yard.rows("list_devices", status="rework") == [["D1", "Z1", "head", "rework"]]


def test_work_takes_isolation(yard: Yard) -> None:
    permit = yard.isolate("Z1", "D1")
    yard.refused("not_isolated", "D2", "perform_work", **yard.working("D2", permit=permit))


def test_a_closed_permit_is_not_current(yard: Yard) -> None:
    permit = yard.isolate("Z1")
    asked = yard.working("D2")
    yard.close("Z1")
    yard.refused("not_current", permit, "perform_work", **asked)


def test_energy_is_present_until_every_point_is_open(yard: Yard) -> None:
    for point in ("P6", "Q1"):
        asked = yard.isolation("Z2")
        asked["points"].remove(point)
        yard.call("issue_isolation", **asked)
        yard.refused("energy_present", yard.ref("PRM:Z2"), "perform_work", **yard.working("D4"))
        yard.close("Z2")
    yard.isolate("Z2")
    assert yard.perform("D4")["made"] == ["WRK:D4@1"]


BAD_WORK = [
    ("unknown_object", "D99", {"device": "D99"}),
    ("unknown_object", "DGN:D2@9", {"cause": "DGN:D2@9"}),
    ("unknown_object", "WRK:D2@1", {"cause": "WRK:D2@1"}),
    ("unknown_object", "PRM:Z9@1", {"permit": "PRM:Z9@1"}),
    ("unknown_object", "DGN:D2@1", {"booking": "DGN:D2@1"}),
    ("unknown_object", "RSV:D9@1", {"reservation": "RSV:D9@1"}),
    ("wrong_provenance", "DGN:D1@1", {"cause": "DGN:D1@1"}),
    ("wrong_provenance", "PRM:Z2@1", {"permit": "PRM:Z2@1"}),
    ("wrong_provenance", "BKG:Z1.head@1", {"booking": "BKG:Z1.head@1"}),
    ("wrong_provenance", "RSV:D1@1", {"reservation": "RSV:D1@1"}),
    ("reservation_missing", "D2", {"reservation": None}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_WORK)
def test_work_under_wrong_inputs_is_refused(yard: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    yard.isolate("Z1")
    yard.isolate("Z2", "D4")
    asked = {name: value for name, value in (yard.working("D2") | change).items() if value is not None}
    yard.refused(code, culprit, "perform_work", **asked)


def test_a_superseded_diagnosis_is_not_current(yard: Yard) -> None:
    yard.isolate("Z1")
    yard.diagnose("D2", fault="F3")
    yard.refused("not_current", "DGN:D2@1", "perform_work", **yard.working("D2", cause="DGN:D2@1"))


def test_a_needless_reservation_is_wrong_provenance(yard: Yard) -> None:
    yard.access("Z1")
    yard.diagnose("D1", fault="F2")
    yard.book("D1")
    yard.isolate("Z1", "D1", block="L")
    yard.isolate("Z2", "D4")
    reserved = yard.ref("RSV:D4")
    yard.refused("wrong_provenance", reserved, "perform_work", **yard.working("D1", reservation=reserved))


def test_a_booking_holds_each_device_once(yard: Yard) -> None:
    yard.isolate("Z1")
    yard.perform("D1")
    yard.settle("D1")
    yard.reserve("D1", "B2")
    yard.refused("wrong_provenance", "BKG:Z1.head@1", "perform_work", **yard.working("D1"))


def test_a_consumed_reservation_is_missing(yard: Yard) -> None:
    yard.isolate("Z1")
    yard.perform("D1")
    yard.close("Z1")
    yard.diagnose("D1", fault="F3")
    yard.book("D1")
    yard.isolate("Z1", "D1", block="L")
    yard.refused("reservation_missing", "D1", "perform_work", **yard.working("D1"))


def test_a_booking_is_long_enough_at_its_first_use() -> None:
    yard = Yard()
    yard.plan(1)
    yard.book("Z1.head", minutes=yard.need("D1") - 1)
    yard.isolate("Z1")
    yard.refused("booking_too_short", "BKG:Z1.head@2", "perform_work", **yard.working("D1"))


def test_the_minutes_count_the_way_and_the_stored_point(yard: Yard) -> None:
    assert yard.need("D4", crew="C3") == 5 + 50
    assert yard.need("D4", crew="C2") == 20 + 50
    yard.book("Z2.edge", minutes=55)
    yard.isolate("Z2", "D4")
    assert yard.perform("D4")["made"] == ["WRK:D4@1"]


def test_only_a_failing_certificate_without_a_fault_is_a_cause(yard: Yard) -> None:
    yard.access("Z1")
    yard.diagnose("D1", fault="F2")
    yard.rework("D1")
    yard.prove("D1")
    assert yard.content("TST:D1")["indicator"] == "present"
    yard.book("D1")
    yard.isolate("Z1", "D1", block="L")
    cause = yard.ref("CRT:D1")
    yard.refused("bad_cause", cause, "perform_work", **yard.working("D1", cause=cause))


def test_a_passing_certificate_is_no_cause(yard: Yard) -> None:
    yard.access("Z1")
    yard.test("D1")
    yard.certify("D1")
    yard.diagnose("D1", fault="F2")
    yard.book("D1")
    certificate = yard.ref("CRT:D1")
    yard.isolate("Z1", "D1", block="L")
    yard.refused("not_current", certificate, "perform_work", **yard.working("D1", cause=certificate))


def test_reseating_keeps_fault_and_part_and_answers_the_certificate() -> None:
    yard = Yard()
    yard.wave_one()
    yard.call("close_wave", wave=1)
    yard.plan(2)
    yard.access("Z3")
    yard.prove("D5")
    failing = yard.ref("CRT:D5")
    assert yard.content("TST:D5")["indicator"] == "absent"
    yard.rework("D5", cause=failing, minutes=5 + 25)
    content = yard.content("WRK:D5")
    assert (content["action"], content["fault"], content["cause"]) == ("RESEAT", "F2", failing)
    assert yard.ended(failing) == "historic"


def test_closing_restores_and_touches(yard: Yard) -> None:
    permit = yard.isolate("Z1")
    assert yard.close("Z1")["made"] == []
    assert yard.ended(permit) == "historic"
    assert yard.world.get(Isolation, "D1") is None
    assert yard.world.ledger.token("device:D1/touch") == "2"
    yard.refused("not_current", permit, "close_isolation", permit=permit)
    yard.refused("unknown_object", "PRM:Z7@1", "close_isolation", permit="PRM:Z7@1")


def test_what_work_left_is_returned(yard: Yard) -> None:
    yard.isolate("Z1")
    yard.perform("D1")
    assert yard.settle("D1")["made"] == []
    batch, row = yard.batch("B1"), yard.world.get(Reservation, "D1", 1)
    assert (batch.free, batch.held, batch.consumed) == (1, 4, 3)
    assert row is not None
    assert (row.returned, row.scrapped, row.status) == (1, 0, "settled")
    assert yard.ended("RSV:D1@1") == "historic"


@pytest.mark.parametrize(("returned", "scrapped"), [(0, 0), (2, 0), (0, 1), (1, 1)])
def test_the_whole_rest_is_settled_in_the_right_way(yard: Yard, returned: int, scrapped: int) -> None:
    yard.isolate("Z1")
    yard.perform("D1")
    line = {"device": "D1", "returned": returned, "scrapped": scrapped}
    yard.refused("settlement_mismatch", "D1", "settle_parts", lines=[line])


def test_only_consumed_reservations_are_settled_and_once(yard: Yard) -> None:
    line = {"device": "D1", "returned": 1, "scrapped": 0}
    yard.refused("nothing_to_settle", "D1", "settle_parts", lines=[line])
    yard.isolate("Z1")
    yard.perform("D1")
    yard.settle("D1")
    yard.refused("nothing_to_settle", "D1", "settle_parts", lines=[line])
    yard.refused("unknown_object", "D99", "settle_parts", lines=[{**line, "device": "D99"}])


def test_permits_and_bookings_leave_their_state_in_tables(yard: Yard) -> None:
    yard.isolate("Z1")
    yard.perform("D1")
    assert yard.world.get(Permit, "Z1", 1) == Permit("Z1", 1, 1, "E", 1)
    head, mid = (yard.world.get(Booking, f"Z1.{level}", 1) for level in ("head", "mid"))
    assert head is not None
    assert mid is not None
    assert (head.status, mid.status) == ("used", "booked")


def test_a_withdrawn_window_isolates_nothing(yard: Yard) -> None:
    yard.world.update(Window, "Z1", 1, "E", status="withdrawn")
    yard.refused("window_not_open", "Z1/1.E", "issue_isolation", **yard.isolation("Z1"))
