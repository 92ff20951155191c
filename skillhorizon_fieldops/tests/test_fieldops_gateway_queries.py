"""What queries tell."""

from __future__ import annotations

from typing import Any

import pytest
from fieldops_yard import Yard

from skillhorizon_fieldops.gateway import TOOLS

COUNTS = {"devices": 6, "services": 3, "zones": 3, "waves": 2}


@pytest.fixture
def yard() -> Yard:
    return Yard()


def test_there_are_twenty_six_tools() -> None:
    kinds = [str(tool.kind) for tool in TOOLS]
    assert (kinds.count("query"), kinds.count("operation")) == (11, 15)


def test_the_brief_tells_the_task(yard: Yard) -> None:
    brief = yard.call("get_brief")
    assert {name: brief[name] for name in COUNTS} == COUNTS
    assert (brief["scenario"], brief["open_wave"], brief["sections"]) == ("restoration", 1, ["A1", "A2"])
    assert (brief["permits"], brief["relief"]) == ({"limit": 6, "open": 0}, {"budget": 2, "used": 0})
    yard.plan(1)
    yard.isolate("Z1")
    assert yard.call("get_brief")["permits"]["open"] == 1


def test_devices_are_listed_by_wave_zone_and_status(yard: Yard) -> None:
    assert [row[0] for row in yard.rows("list_devices", wave=1)] == ["D1", "D2", "D3", "D4"]
    assert yard.rows("list_devices", zone="Z3") == [["D5", "Z3", "edge", "open"], ["D6", "Z3", "edge", "open"]]
    yard.plan(1)
    yard.access("Z1")
    yard.test("D1")
    yard.prove("D2")
    seen = {row[0]: row[-1] for row in yard.rows("list_devices", wave=1)}
    assert seen == {"D1": "tested", "D2": "certified", "D3": "open", "D4": "open"}
    assert [row[0] for row in yard.rows("list_devices", status="tested")] == ["D1"]
    yard.isolate("Z2", "D4")
    yard.perform("D4")
    assert [row[0] for row in yard.rows("list_devices", status="worked")] == ["D4"]


def test_lists_go_page_by_page(yard: Yard) -> None:
    first = yard.call("list_devices", limit=4)
    assert (len(first["rows"]), first["next"]) == (4, "4")
    second = yard.call("list_devices", limit=4, cursor="4")
    assert ([row[0] for row in second["rows"]], second["next"]) == (["D5", "D6"], None)


def test_services_are_listed_by_wave_section_and_status(yard: Yard) -> None:
    assert yard.rows("list_services", section="A1") == [
        ["S1", "A1", "gold", "open"],
        ["S2", "A1", "silver", "open"],
    ]
    yard.wave_one()
    assert [row[0] for row in yard.rows("list_services", status="current", wave=1)] == ["S1", "S2"]
    assert [row[0] for row in yard.rows("list_services", status="open")] == ["S3"]


def test_a_device_tells_its_facts_state_and_history(yard: Yard) -> None:
    seen = yard.call("get_device", device="D5")
    assert (seen["class"], seen["pair"], seen["ref_service"], seen["wave"]) == ("edge", None, "S1", 2)
    assert seen["feeds"] == [["P4", "D2", "D5", "closed"], ["P6", "D4", "D5", "open"]]
    assert (seen["stored"], seen["services"], seen["history"]) == (["Q2"], ["S3"], [[12, "inspection"]])
    assert seen["windows"] == [[2, "E", "open"], [3, "E", "open"], [3, "L", "open"]]
    assert (seen["status"], seen["current"], seen["installed"], seen["permit"]) == ("open", [], None, None)


def test_no_query_tells_what_is_hidden(yard: Yard) -> None:
    for tool, arguments in (("get_device", {"device": "D5"}), ("get_zone", {"zone": "Z3"})):
        text = yard.observe(tool, **arguments).text
        assert "infant" not in text
        assert "fault" not in text


def test_a_device_tells_what_was_made_for_it(yard: Yard) -> None:
    yard.plan(1)
    yard.isolate("Z1")
    yard.perform("D1")
    seen = yard.call("get_device", device="D1")
    assert seen["current"] == ["DGN:D1@1", "RSV:D1@1", "WRK:D1@1"]
    assert (seen["installed"], seen["permit"]) == (["PT1", "B1", 0], "PRM:Z1@1")


def test_a_zone_tells_its_bookings_with_the_devices_still_to_work(yard: Yard) -> None:
    yard.plan(1)
    yard.isolate("Z1")
    yard.perform("D1")
    seen = yard.call("get_zone", zone="Z1")
    assert seen["bookings"] == [
        ["BKG:Z1.head@1", "C1", 1, "E", yard.need("D1"), []],
        ["BKG:Z1.mid@1", "C1", 1, "E", yard.need("D2"), ["D2"]],
    ]
    assert (seen["site"], seen["region"], seen["access_bp"], seen["permit"]) == ("ST1", "R1", 800, "PRM:Z1@1")


def test_a_zone_shows_the_rework_of_its_devices(yard: Yard) -> None:
    yard.plan(1)
    yard.access("Z1")
    yard.diagnose("D1", fault="F2")
    yard.book("D1", minutes=50)
    assert yard.call("get_zone", zone="Z1")["bookings"][0] == ["BKG:D1@1", "C1", 1, "L", 50, ["D1"]]


def test_a_zone_shows_four_devices_a_page(yard: Yard) -> None:
    yard.world.sql("UPDATE device SET zone = 'Z1'")
    seen = yard.call("get_zone", zone="Z1")["devices"]
    assert ([row[0] for row in seen["rows"]], seen["next"]) == (["D1", "D2", "D3", "D4"], "4")
    rest = yard.call("get_zone", zone="Z1", cursor="4")["devices"]
    assert ([row[0] for row in rest["rows"]], rest["next"]) == (["D5", "D6"], None)
    assert all(len(row) == len(rest["columns"]) for row in rest["rows"])


def test_a_service_tells_members_needs_and_dependents(yard: Yard) -> None:
    yard.wave_one()
    seen = yard.call("get_service", service="S2")
    assert seen["members"]["rows"] == [["D3", 1500, 0, "CRT:D3@1"], ["D4", 1200, 0, "CRT:D4@1"]]
    assert seen["needs"]["rows"] == [["S1", 600, 2500, "COM:S1@1"]]
    assert seen["dependents"]["rows"] == [["S3", 300, 1000, None]]
    assert (seen["status"], seen["commission"]) == ("current", "COM:S2@1")


def test_a_failing_certificate_is_not_shown_to_a_service(yard: Yard) -> None:
    yard.plan(1)
    yard.access("Z1")
    yard.test("D1")
    yard.certify("D1", verdict="fail")
    assert yard.call("get_service", service="S1")["members"]["rows"][0] == ["D1", 2000, 0, None]


def test_batches_are_listed_by_expiry(yard: Yard) -> None:
    found = yard.rows("list_batches", parts=["PT1", "PT2"])
    assert [row[0] for row in found] == ["B0", "B3", "B1", "B2", "B7", "B4"]
    assert found[1] == ["B3", "PT1", 3, 2, 8, 0, 0, 0, "quarantined"]


def test_no_part_is_asked_for_twice(yard: Yard) -> None:
    yard.refused("duplicate_object", "PT1", "list_batches", parts=["PT1", "PT1"])
    assert yard.observe("list_batches", parts=[]).data["error"]["code"] == "MALFORMED"


def test_crews_of_a_class_are_listed_with_their_free_minutes(yard: Yard) -> None:
    yard.plan(1)
    found = yard.rows("list_crews", wave=1, device_class="edge")
    assert found[-2:] == [
        ["C3", "R1", "edge", "head", "E", 480, "open"],
        ["C3", "R1", "edge", "head", "L", 425, "open"],
    ]
    assert {row[0] for row in found} == {"C2", "C3"}


def test_a_manual_holds_editions_rules_cards_and_fits(yard: Yard) -> None:
    seen = yard.call("get_manual", model="M1")
    assert seen["class"] == "head"
    assert seen["editions"]["rows"] == [["M1-1", 3, 1, 9], ["M1-2", 5, 5, 9]]
    assert seen["rules"]["rows"][3] == ["M1-2", 1, "err_ppm", ">", 1001, "F1"]
    assert ["F1", "replace optic", "optic", 3, 45] in seen["cards"]["rows"]
    assert ["optic", "PT2", 1, 9, 1200] in seen["fits"]["rows"]


def test_the_highest_edition_of_a_procedure_is_in_force(yard: Yard) -> None:
    seen = yard.call("get_procedure", device_class="mid")
    assert (seen["in_force"], seen["editions"]["rows"]) == (1, [[1, 36, 900, "max"]])


UNKNOWN: list[tuple[str, str, dict[str, Any]]] = [
    ("list_devices", "9", {"wave": 9}),
    ("list_devices", "Z9", {"zone": "Z9"}),
    ("list_services", "9", {"wave": 9}),
    ("list_services", "A9", {"section": "A9"}),
    ("get_device", "D99", {"device": "D99"}),
    ("get_zone", "Z9", {"zone": "Z9"}),
    ("get_service", "S9", {"service": "S9"}),
    ("list_batches", "PT9", {"parts": ["PT1", "PT9"]}),
    ("list_crews", "9", {"wave": 9, "device_class": "mid"}),
    ("get_manual", "M9", {"model": "M9"}),
    ("get_wave_ledger", "9", {"wave": 9, "of": "parts"}),
]


@pytest.mark.parametrize(("tool", "culprit", "arguments"), UNKNOWN)
def test_unknown_objects_are_named(yard: Yard, tool: str, culprit: str, arguments: dict[str, Any]) -> None:
    yard.refused("unknown_object", culprit, tool, **arguments)
