"""Where each trap is caught: what looks right and is not."""

from __future__ import annotations

import attrs
import pytest
from fieldops_yard import BASELINE, RECALL, REVISION, Yard

from skillhorizon import After
from skillhorizon_fieldops.rows import Service


@pytest.fixture
def yard() -> Yard:
    return Yard()


def test_a_superseded_edition_is_caught_by_the_test(yard: Yard) -> None:
    yard.plan(1)
    yard.call("record_diagnosis", entries=[{"device": "D1", "edition": "M1-1", "fault": "F2"}])
    yard.access("Z1")
    assert yard.test("D1")["indicator"] == "present"


def test_an_alternate_part_is_caught_by_the_headroom_and_reworked(yard: Yard) -> None:
    yard.world.update(Service, "S1", demand=1040)
    yard.plan(1)
    yard.reserve("D2", "B4")
    yard.access("Z1")
    yard.prove("D1", "D2")
    yard.refused("headroom_short", "S1", "commission_service", **yard.commissioning("S1"))
    yard.reserve("D2", "B1")
    made = yard.rework("D2")
    yard.settle("D2", made["rest"])
    yard.prove("D2")
    assert yard.commission("S1")["made"] == ["COM:S1@1"]


def test_an_alternate_part_is_caught_after_a_baseline() -> None:
    yard = Yard(attrs.evolve(BASELINE, trigger=After("commissioned:1", 1), change_bp=1000))
    yard.world.update(Service, "S1", demand=900)
    yard.plan(1)
    yard.reserve("D2", "B4")
    yard.access("Z1")
    yard.prove("D1", "D2")
    assert yard.commission("S1")["stale"] == ["COM:S1@1"]
    yard.refused("headroom_short", "S1", "commission_service", **yard.commissioning("S1"))


@pytest.mark.parametrize("forgotten", ["P6", "Q1"], ids=["open-tie", "stored-point"])
def test_a_forgotten_point_is_caught_at_work(yard: Yard, forgotten: str) -> None:
    yard.plan(1)
    asked = yard.isolation("Z2")
    asked["points"].remove(forgotten)
    yard.call("issue_isolation", **asked)
    yard.refused("energy_present", "PRM:Z2@1", "perform_work", **yard.working("D4"))


def test_a_test_before_what_feeds_the_device_is_finished_ends(yard: Yard) -> None:
    yard.plan(1)
    yard.access("Z2")
    yard.prove("D3", "D4")
    yard.isolate("Z1")
    assert {yard.ended(ref) for ref in ("TST:D3@1", "CRT:D3@1", "TST:D4@1", "CRT:D4@1")} == {"stale"}


def test_an_old_offset_is_caught_at_commissioning() -> None:
    yard = Yard(attrs.evolve(BASELINE, trigger=After("commissioned:2", 1)))
    yard.wave_one()
    yard.end_wave(1)
    yard.wave_two()
    yard.commission("S1")
    yard.commission("S2")
    yard.test("D5")
    old, new = (yard.content(f"COM:S1@{n}")["offset"] for n in (1, 2))
    assert old != new
    yard.certify("D5", value=yard.result("D5")["value"] + new - old)
    culprit = yard.ref("CRT:D5")
    yard.refused("certificate_not_substantiated", culprit, "commission_service", **yard.commissioning("S3"))


def test_a_raw_mean_is_caught_at_commissioning(yard: Yard) -> None:
    yard.plan(1)
    yard.access("Z1")
    yard.prove("D1", "D2")
    raw = sorted(sample for sample, _ in yard.content("TST:D1")["samples"])
    yard.certify("D1", value=sum(raw[1:-1]) // 4)
    culprit = yard.ref("CRT:D1")
    yard.refused("certificate_not_substantiated", culprit, "commission_service", **yard.commissioning("S1"))


def test_an_old_edition_is_caught_at_commissioning() -> None:
    yard = Yard(REVISION)
    yard.plan(1)
    yard.access("Z1")
    yard.prove("D1", "D2")
    yard.certify("D2", edition=1)
    culprit = yard.ref("CRT:D2")
    yard.refused("certificate_not_substantiated", culprit, "commission_service", **yard.commissioning("S1"))


def test_one_batch_for_a_pair_is_caught_at_the_reservation(yard: Yard) -> None:
    yard.diagnose("D2", "D3")
    yard.refused("pair_batch", "B1", "reserve_parts", lines=[yard.line("D2", "B1"), yard.line("D3", "B1")])


def test_recalled_work_left_out_of_an_account_is_caught_at_acceptance() -> None:
    yard = Yard(RECALL)
    yard.plan(1)
    for zone in ("Z1", "Z2"):
        yard.access(zone)
    yard.test("D4")
    yard.reserve("D4", "B6")
    yard.rework("D4")
    yard.prove("D1", "D2", "D3", "D4")
    for service in ("S1", "S2"):
        yard.commission(service)
    yard.end_wave(1)
    yard.wave_two()
    yard.end_wave(2)
    right = yard.account(1)
    assert ["PT3", 4, 4, 0, 0] in right["lines"]
    left_out = [[*line[:1], 2, 2, 0, 0] if line[0] == "PT3" else line for line in right["lines"]]
    yard.call("post_account", **{**right, "lines": left_out})
    for section, services in (("A1", ("S1", "S2")), ("A2", ("S3",))):
        refs = [yard.ref(f"COM:{service}") for service in services]
        yard.call("accept_section", section=section, commissions=refs)
    yard.refused("account_mismatch", yard.ref("ACC:1"), "accept_system", **yard.acceptance(1, 2))
