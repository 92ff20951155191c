"""What updates change, end, and leave as it is."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from fieldops_yard import BASELINE, CREW, RECALL, REVISION, WINDOW, Yard

from skillhorizon import After
from skillhorizon_fieldops.rows import CrewBlock, Procedure, Window
from skillhorizon_fieldops.updates import most_carrying


def notice(answer: Any) -> dict[str, Any]:
    (found,) = answer["notices"]
    return {name: value for name, value in found.items() if name not in ("id", "clock")}


def planned(*updates: Any) -> Yard:
    yard = Yard(*updates)
    yard.plan(1)
    return yard


def test_a_recall_quarantines_the_batch_just_tested() -> None:
    yard = planned(RECALL)
    yard.access("Z1")
    yard.access("Z2")
    answer = yard.test("D4")
    assert notice(answer) == {"kind": "batch_recall", "batch": "B5", "part": "PT3", "status": "quarantined"}
    assert (answer["made"], answer["stale"]) == (["TST:D4@1"], ["WRK:D4@1", "TST:D4@1"])
    assert yard.batch("B5").status == "quarantined"
    assert yard.rows("list_devices", status="rework") == [["D4", "Z2", "edge", "rework"]]


def test_a_recall_ends_unconsumed_reservations_and_scraps_their_units() -> None:
    yard = planned(RECALL)
    yard.diagnose("D5", fault="F3")
    yard.reserve("D5")
    yard.access("Z1")
    yard.access("Z2")
    assert "RSV:D5@1" in yard.test("D4")["stale"]
    assert (yard.batch("B5").scrapped, yard.batch("B5").held) == (2, 0)
    row = next(row for row in yard.rows("get_wave_ledger", wave=1, of="parts") if row[0] == "D5")
    assert row == ["D5", "PT3", "B5", 2, 0, 0, 2]


def test_what_work_left_of_a_recalled_batch_is_scrapped() -> None:
    yard = planned()
    yard.isolate("Z1")
    yard.perform("D1")
    yard.world.sql("UPDATE batch SET status = 'quarantined' WHERE batch = 'B1'")
    line = {"device": "D1", "returned": 1, "scrapped": 0}
    yard.refused("settlement_mismatch", "D1", "settle_parts", lines=[line])
    yard.settle("D1", returned=0, scrapped=1)
    assert yard.batch("B1").scrapped == 1


def test_a_recalled_part_is_replaced_out_of_another_batch() -> None:
    yard = planned(RECALL)
    yard.access("Z1")
    yard.access("Z2")
    yard.test("D4")
    yard.refused("batch_unusable", "B5", "reserve_parts", lines=[yard.line("D4")])
    yard.reserve("D4", "B6")
    yard.rework("D4")
    assert yard.content("WRK:D4")["batch"] == "B6"


def test_a_baseline_changes_the_demand_of_the_service_that_carries_most() -> None:
    yard = planned(BASELINE)
    for zone in ("Z1", "Z2"):
        yard.access(zone)
    yard.prove("D1", "D2", "D3", "D4")
    yard.commission("S1")
    answer = yard.commission("S2")
    assert notice(answer) == {"kind": "service_baseline", "service": "S1", "demand": 630}
    assert (answer["made"], answer["stale"]) == (["COM:S2@1"], ["COM:S1@1", "COM:S2@1"])
    assert yard.commission("S1")["made"] == ["COM:S1@2"]


def test_a_baseline_ends_tests_that_refer_to_the_service_and_leaves_work() -> None:
    late = attrs.evolve(BASELINE, trigger=After("commissioned:2", 1))
    yard = Yard(late)
    yard.wave_one()
    yard.end_wave(1)
    yard.wave_two()
    assert {yard.ended(ref) for ref in ("COM:S1@1", "TST:D5@2", "CRT:D5@2", "COM:S2@1", "COM:S3@1")} == {"stale"}
    assert [yard.ended(ref) for ref in ("WRK:D5@2", "TST:D6@1")] == [None, None]
    assert yard.demand("S1") == 630


def test_a_service_is_changed_once() -> None:
    yard = planned(BASELINE)
    for zone in ("Z1", "Z2"):
        yard.access(zone)
    yard.prove("D1", "D2", "D3", "D4")
    for service in ("S1", "S2", "S1", "S2"):
        yard.commission(service)
    assert most_carrying(yard.world) == "S2"


def test_a_baseline_reaches_eight_commissionings_at_most() -> None:
    yard = planned()
    for n in range(9):
        key = f"COM:S{n}"
        cites = {"need": [f"COM:S{n - 1}@1"]} if n else {}
        yard.world.ledger.produce(key, {}, cites=cites)
    assert most_carrying(yard.world) == "S1"


def test_a_window_change_moves_a_zone_that_was_never_isolated() -> None:
    yard = planned(WINDOW)
    answer = yard.call("issue_isolation", **yard.isolation("Z1"))
    told = {"kind": "window_change", "zone": "Z2", "wave": 1, "withdrawn": "L", "opened": "E"}
    assert notice(answer) == told
    assert sorted(answer["stale"]) == ["BKG:Z2.edge@1", "BKG:Z2.mid@1"]
    states = {(each.wave, each.block): each.status for each in yard.world.select(Window, zone="Z2") if each.wave == 1}
    assert states == {(1, "E"): "open", (1, "L"): "withdrawn"}
    assert yard.free("C1", block="L") == 480
    yard.close("Z1")
    yard.book("Z2.mid", block="E")
    yard.book("Z2.edge", block="E")
    assert yard.isolate("Z2", block="E")


def test_a_window_change_in_the_sweep_ends_the_bookings_of_one_block() -> None:
    yard = planned(WINDOW)
    yard.book("Z2.mid", wave=3, block="E")
    yard.book("Z2.edge", wave=3, block="L")
    answer = yard.call("issue_isolation", **yard.isolation("Z1"))
    told = {"kind": "window_change", "zone": "Z2", "wave": 3, "withdrawn": "E", "opened": "L"}
    assert notice(answer) == told
    assert answer["stale"] == ["BKG:Z2.mid@2"]
    assert yard.ended("BKG:Z2.edge@2") is None


def test_a_window_change_finds_the_zone_wholly_booked_or_lapses() -> None:
    yard = planned(CREW, attrs.evolve(WINDOW, id="N-02"))
    answer = yard.call("issue_isolation", **yard.isolation("Z1"))
    assert [each["kind"] for each in answer["notices"]] == ["crew_change"]
    assert yard.ended("BKG:Z2.edge@1") is None


def test_a_crew_change_withdraws_a_crew_from_a_wave() -> None:
    yard = planned(CREW)
    answer = yard.call("issue_isolation", **yard.isolation("Z1"))
    assert notice(answer) == {"kind": "crew_change", "crew": "C1", "wave": 1}
    assert answer["stale"] == ["BKG:Z2.mid@1"]
    blocks = [yard.world.get(CrewBlock, "C1", 1, block) for block in "EL"]
    assert [each.status for each in blocks if each] == ["withdrawn", "withdrawn"]


def test_a_crew_change_leaves_executed_work_and_frozen_bookings() -> None:
    yard = planned(CREW)
    yard.isolate("Z1")
    assert yard.ended("BKG:Z1.head@1") is None
    assert yard.perform("D1")["made"] == ["WRK:D1@1"]


def test_a_revision_ends_passing_certificates_that_nothing_cites() -> None:
    yard = planned(attrs.evolve(REVISION, trigger=After("passed:mid", 2)))
    for zone in ("Z1", "Z2"):
        yard.access(zone)
    yard.prove("D1", "D2")
    yard.commission("S1")
    yard.test("D3")
    answer = yard.certify("D3")
    told = {"class": "mid", "edition": 2, "coef_bp": 38, "limit": 902, "limit_kind": "max"}
    assert notice(answer) == {"kind": "procedure_revision", **told}
    assert (answer["made"], answer["stale"]) == (["CRT:D3@1"], ["CRT:D3@1"])
    assert (yard.ended("CRT:D2@1"), yard.ended("TST:D3@1")) == (None, None)
    assert yard.call("get_procedure", device_class="mid")["in_force"] == 2
    assert yard.certify("D3")["made"] == ["CRT:D3@2"]


def test_a_certificate_under_an_old_edition_outlives_its_commissioning() -> None:
    yard = planned(attrs.evolve(REVISION, trigger=After("passed:mid", 2)))
    for zone in ("Z1", "Z2"):
        yard.access(zone)
    yard.prove("D1", "D2")
    yard.commission("S1")
    yard.prove("D3")
    yard.world.ledger.end("COM:S1")
    assert yard.commission("S1")["made"] == ["COM:S1@2"]


@pytest.mark.parametrize("update", [WINDOW, CREW])
def test_a_change_of_plans_lapses_when_no_zone_is_left(update: Any) -> None:
    yard = planned(attrs.evolve(update, trigger=After("isolated:1", 2)))
    yard.isolate("Z1", "D1")
    answer = yard.call("issue_isolation", **yard.isolation("Z2", "D4"))
    assert (answer["notices"], answer["stale"]) == ([], [])


def test_the_edition_of_a_revision_is_kept_as_planned() -> None:
    yard = planned(REVISION)
    yard.access("Z1")
    yard.prove("D2")
    assert yard.world.get(Procedure, "mid", 2) == REVISION.procedure
