"""Diagnosing, reserving parts and booking crews."""

from __future__ import annotations

from typing import Any

import pytest
from fieldops_yard import BATCHES, Yard, world

from skillhorizon_fieldops.rows import Batch, Booking, Condition, CrewBlock, Reservation


@pytest.fixture
def yard() -> Yard:
    return Yard()


@pytest.fixture
def diagnosed(yard: Yard) -> Yard:
    yard.diagnose("D1", "D2", "D3", "D4", "D5", "D6")
    return yard


def test_a_diagnosis_is_made_for_each_entry(yard: Yard) -> None:
    assert yard.diagnose("D1", "D2") == {
        "made": ["DGN:D1@1", "DGN:D2@1"],
        "stale": [],
        "stale_count": 0,
        "notices": [],
    }
    assert yard.content("DGN:D1") == {"edition": "M1-2", "fault": "F1"}


def test_an_equal_diagnosis_stays_while_others_of_the_list_are_made_anew(yard: Yard) -> None:
    yard.diagnose("D1", "D2")
    entries = [yard.entry("D1"), yard.entry("D2", "F2")]
    assert yard.call("record_diagnosis", entries=entries)["made"] == ["DGN:D1@1", "DGN:D2@2"]


def test_a_superseded_edition_may_be_proposed(yard: Yard) -> None:
    entry = {"device": "D1", "edition": "M1-1", "fault": "F2"}
    assert yard.call("record_diagnosis", entries=[entry])["made"] == ["DGN:D1@1"]


BAD_DIAGNOSES = [
    ("unknown_object", "D99", {"device": "D99"}),
    ("unknown_object", "M3-1", {"edition": "M3-1"}),
    ("fault_not_in_edition", "D1", {"fault": "F9"}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_DIAGNOSES)
def test_wrong_diagnoses_are_refused(yard: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    entries = [yard.entry("D2"), {**yard.entry("D1"), **change}]
    yard.refused(code, culprit, "record_diagnosis", entries=entries)


def test_no_list_names_a_device_twice(diagnosed: Yard) -> None:
    entry, line = diagnosed.entry("D1"), diagnosed.line("D1")
    result = {"device": "D1", "test": "TST:D1@1", "edition": 1, "value": 1, "verdict": "pass"}
    diagnosed.refused("duplicate_object", "D1", "record_diagnosis", entries=[entry, entry])
    diagnosed.refused("duplicate_object", "D1", "reserve_parts", lines=[line, line])
    settled = {"device": "D1", "returned": 0, "scrapped": 0}
    diagnosed.refused("duplicate_object", "D1", "settle_parts", lines=[settled, settled])
    diagnosed.plan(1)
    diagnosed.access("Z1")
    diagnosed.test("D1")
    diagnosed.refused("duplicate_object", "D1", "certify_tests", entries=[result, result])


def test_an_empty_list_is_malformed(yard: Yard) -> None:
    seen = yard.observe("record_diagnosis", entries=[])
    assert seen.data["error"]["code"] == "MALFORMED"
    assert "at least 1" in seen.data["error"]["message"]


def test_a_reservation_withdraws_whole_packs(diagnosed: Yard) -> None:
    assert diagnosed.reserve("D1")["made"] == ["RSV:D1@1"]
    assert diagnosed.content("RSV:D1") == {"part": "PT1", "batch": "B1", "qty": 3, "withdrawn": 4}
    batch = diagnosed.batch("B1")
    assert (batch.free, batch.held, batch.opening) == (4, 4, 8)


def test_lines_are_served_in_their_order(diagnosed: Yard) -> None:
    lines = [diagnosed.line("D1"), diagnosed.line("D2", "B1"), diagnosed.line("D3", "B2")]
    assert diagnosed.call("reserve_parts", lines=lines)["made"] == ["RSV:D1@1", "RSV:D2@1", "RSV:D3@1"]
    assert diagnosed.batch("B1").free == 0


def test_a_list_is_all_or_nothing(diagnosed: Yard) -> None:
    lines = [diagnosed.line("D1"), diagnosed.line("D2", "B3")]
    diagnosed.refused("batch_unusable", "B3", "reserve_parts", lines=lines)


def test_an_equal_reservation_stays(diagnosed: Yard) -> None:
    diagnosed.reserve("D1")
    before = diagnosed.batch("B1")
    assert diagnosed.reserve("D1")["made"] == ["RSV:D1@1"]
    assert diagnosed.batch("B1") == before


def test_an_unused_reservation_is_replaced_after_its_return(diagnosed: Yard) -> None:
    diagnosed.reserve("D1")
    diagnosed.reserve("D1", "B4")
    assert diagnosed.ended("RSV:D1@1") == "superseded"
    assert (diagnosed.batch("B1").free, diagnosed.batch("B4").held) == (8, 3)
    first, second = (diagnosed.world.get(Reservation, "D1", version) for version in (1, 2))
    assert first is not None
    assert second is not None
    assert (first.status, second.status) == ("void", "held")


def test_a_new_diagnosis_ends_an_unconsumed_reservation_and_returns_its_packs(diagnosed: Yard) -> None:
    diagnosed.reserve("D1")
    answer = diagnosed.diagnose("D1", fault="F2")
    assert (answer["made"], answer["stale"], answer["stale_count"]) == (["DGN:D1@2"], ["RSV:D1@1"], 1)
    assert (diagnosed.batch("B1").free, diagnosed.batch("B1").held) == (8, 0)
    row = diagnosed.world.get(Reservation, "D1", 1)
    assert row is not None
    assert (row.status, row.issued, row.returned) == ("settled", 4, 4)


BAD_LINES = [
    ("unknown_object", "D99", {"device": "D99"}),
    ("unknown_object", "B99", {"batch": "B99"}),
    ("part_does_not_fit", "D1", {"batch": "B5"}),
    ("quantity_mismatch", "D1", {"qty": 2}),
    ("batch_unusable", "B0", {"batch": "B0"}),
    ("batch_unusable", "B3", {"batch": "B3"}),
    ("stock_short", "B7", {"batch": "B7"}),
    ("not_first_expiring", "B2", {"batch": "B2"}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_LINES)
def test_wrong_reservations_are_refused(diagnosed: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    diagnosed.refused(code, culprit, "reserve_parts", lines=[{**diagnosed.line("D1"), **change}])


def test_parts_are_reserved_for_diagnosed_devices_only(yard: Yard) -> None:
    line = {"device": "D1", "batch": "B1", "qty": 3}
    yard.refused("not_current", "DGN:D1", "reserve_parts", lines=[line])


def test_work_without_parts_takes_no_reservation(diagnosed: Yard) -> None:
    line = {"device": "D6", "batch": "B1", "qty": 3}
    diagnosed.refused("part_does_not_fit", "D6", "reserve_parts", lines=[line])


def test_a_part_fits_a_range_of_hardware_revisions(diagnosed: Yard) -> None:
    diagnosed.diagnose("D6", fault="F3")
    diagnosed.refused("part_does_not_fit", "D6", "reserve_parts", lines=[diagnosed.line("D6")])


def test_a_pair_never_takes_one_batch(diagnosed: Yard) -> None:
    diagnosed.reserve("D2")
    diagnosed.refused("pair_batch", "B1", "reserve_parts", lines=[diagnosed.line("D3", "B1")])


def test_a_pair_never_takes_the_batch_installed_in_its_partner(diagnosed: Yard) -> None:
    diagnosed.plan(1)
    diagnosed.access("Z1")
    diagnosed.refused("pair_batch", "B1", "reserve_parts", lines=[diagnosed.line("D3", "B1")])


def test_a_device_with_units_to_settle_gets_no_other_reservation(diagnosed: Yard) -> None:
    diagnosed.plan(1)
    diagnosed.isolate("Z1")
    diagnosed.perform("D1")
    for batch in ("B1", "B4"):
        diagnosed.refused("unsettled", "D1", "reserve_parts", lines=[diagnosed.line("D1", batch)])


def test_a_booking_charges_its_minutes(diagnosed: Yard) -> None:
    assert diagnosed.book("Z1.head", minutes=70)["made"] == ["BKG:Z1.head@1"]
    assert diagnosed.content("BKG:Z1.head") == {
        "crew": "C1",
        "wave": 1,
        "block": "E",
        "minutes": 70,
        "devices": ["D1"],
    }
    assert diagnosed.free("C1") == 410


def test_a_booking_replaces_an_earlier_one_and_returns_its_minutes(diagnosed: Yard) -> None:
    diagnosed.book("Z1.mid", minutes=300)
    diagnosed.book("Z1.mid", minutes=480)
    assert diagnosed.free("C1") == 0
    diagnosed.book("Z1.mid", minutes=100, crew="C2")
    assert (diagnosed.free("C1"), diagnosed.free("C2")) == (480, 380)
    statuses = [diagnosed.world.get(Booking, "Z1.mid", version) for version in (1, 2, 3)]
    assert [each.status for each in statuses if each] == ["returned", "returned", "booked"]


def test_an_equal_booking_stays(diagnosed: Yard) -> None:
    diagnosed.book("Z1.head", minutes=70)
    assert diagnosed.book("Z1.head", minutes=70)["made"] == ["BKG:Z1.head@1"]
    assert diagnosed.free("C1") == 410


def test_an_equal_booking_that_was_used_is_made_anew(diagnosed: Yard) -> None:
    diagnosed.plan(1)
    diagnosed.access("Z1")
    diagnosed.diagnose("D1", fault="F2")
    diagnosed.rework("D1", minutes=90)
    free = diagnosed.free("C1", block="L")
    diagnosed.diagnose("D1", fault="F3")
    assert diagnosed.book("D1", minutes=90)["made"] == ["BKG:D1@2"]
    assert diagnosed.free("C1", block="L") == free - 90


def test_a_later_wave_and_the_sweep_may_be_booked(diagnosed: Yard) -> None:
    assert diagnosed.book("Z3.edge", wave=2)["made"] == ["BKG:Z3.edge@1"]
    assert diagnosed.book("Z1.head", wave=3, block="L")["made"] == ["BKG:Z1.head@1"]


def booking(**changes: Any) -> dict[str, Any]:
    return {"job": "Z1.head", "crew": "C1", "wave": 1, "block": "E", "minutes": 80, **changes}


BAD_BOOKINGS = [
    ("unknown_object", "Z9", {"job": "Z9.head"}),
    ("unknown_object", "Z1.roof", {"job": "Z1.roof"}),
    ("unknown_object", "D99", {"job": "D99"}),
    ("unknown_object", "C9", {"crew": "C9"}),
    ("unknown_object", "4", {"wave": 4}),
    ("no_work", "Z1.edge", {"job": "Z1.edge"}),
    ("no_work", "D1", {"job": "D1"}),
    ("window_not_open", "Z1/1.L", {"block": "L"}),
    ("window_not_open", "Z1/2.E", {"wave": 2}),
    ("crew_not_qualified", "C2", {"crew": "C2"}),
    ("crew_block_full", "C1", {"minutes": 481}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), BAD_BOOKINGS)
def test_wrong_bookings_are_refused(diagnosed: Yard, code: str, culprit: str, change: dict[str, Any]) -> None:
    diagnosed.refused(code, culprit, "assign_crew", **booking(**change))


def test_only_diagnosed_devices_are_booked(yard: Yard) -> None:
    yard.refused("not_current", "DGN:D1", "assign_crew", **booking())


def test_a_withdrawn_block_is_full(diagnosed: Yard) -> None:
    diagnosed.world.update(CrewBlock, "C1", 1, "E", status="withdrawn")
    diagnosed.refused("crew_block_full", "C1", "assign_crew", **booking())


def test_a_closed_wave_is_booked_no_more_not_even_for_rework(diagnosed: Yard) -> None:
    diagnosed.plan(1)
    diagnosed.access("Z1")
    diagnosed.call("close_wave", wave=1)
    diagnosed.diagnose("D1", fault="F2")
    diagnosed.refused("window_not_open", "1.E", "assign_crew", **booking(job="D1"))


def test_a_device_to_rework_is_booked_alone_in_any_block(diagnosed: Yard) -> None:
    diagnosed.plan(1)
    diagnosed.access("Z1")
    diagnosed.diagnose("D1", fault="F2")
    assert diagnosed.call("assign_crew", **booking(job="D1", wave=2, block="L"))["made"] == ["BKG:D1@1"]
    diagnosed.refused("no_work", "Z1.head", "assign_crew", **booking())


def test_what_is_found_wrong_is_on_the_device_at_once(diagnosed: Yard) -> None:
    stands = diagnosed.world.get(Condition, "D1")
    assert stands is not None
    assert (stands.diagnosed, stands.repaired, stands.works) == ("F1", None, 0)


def test_units_of_every_batch_add_up_after_planning(diagnosed: Yard) -> None:
    diagnosed.plan(1)
    for row in diagnosed.world.select(Batch):
        assert row.opening == row.free + row.held + row.consumed + row.scrapped


def test_the_yard_has_enough_of_everything() -> None:
    assert len(BATCHES) == world().count(Batch)
