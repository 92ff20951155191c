"""What agents can read, and what they cannot see yet."""

from __future__ import annotations

from typing import Any

import pytest
from financeops_desk import AMENDED, OVERLAY, Desk

from skillhorizon_financeops.gateway import TOOLS

QUERIES = [tool for tool in TOOLS if tool.kind == "query"]
OPERATIONS = [tool for tool in TOOLS if tool.kind == "operation"]


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_there_are_eleven_queries_and_ten_operations() -> None:
    assert (len(QUERIES), len(OPERATIONS)) == (11, 10)
    assert len({tool.name for tool in TOOLS}) == 21


def test_every_tool_says_what_it_does() -> None:
    assert all(tool.doc and tool.doc[0].isupper() for tool in TOOLS)


def test_status_shows_the_release_at_its_start(desk: Desk) -> None:
    status = desk.call("get_release_status")
    assert status["stages"] == [[1, ["ID-1", "ID-2"]]]
    assert (status["open_stage"], status["published"], status["release"]) == (1, [], None)
    assert status["tickets"] == {"granted": 4, "spent": 0, "left": 4}
    assert status["reliefs"]["review"] == {"granted": 1, "spent": 0, "left": 1}
    assert status["obligations_open"] == {"attest": 0, "restate": 0, "view": 0}
    assert status["opening"]["E12"] == 100


def test_status_shows_the_release_when_it_is_out(desk: Desk) -> None:
    desk.release()
    status = desk.call("get_release_status")
    assert status["stages"] == [[1, ["ID-1", "ID-2"]], [2, ["ID-4"]], [3, []]]
    assert (status["open_stage"], status["published"], status["release"]) == (None, [1, 2, 3], "REL:release@1")


def test_lists_leave_out_what_has_not_opened(desk: Desk) -> None:
    assert [row[0] for row in desk.call("list_sources")["rows"]] == ["S01-01", "S01-02"]
    assert [row[0] for row in desk.call("list_packages")["rows"]] == ["S01-01", "S01-02"]
    assert desk.call("list_obligations")["rows"] == []
    desk.stage(1)
    assert [row[0] for row in desk.call("list_sources")["rows"]] == ["S01-01", "S01-02", "S02-01", "S02-02"]


def test_sources_are_listed_by_stage_kind_identity_source_and_lockbox(desk: Desk) -> None:
    desk.stage(1)
    found = desk.call("list_sources", stage=2, kind="sales", identity_source_id="ID-1", lockbox="LB-01")
    assert found["columns"][:3] == ["source_id", "kind", "format"]
    assert found["rows"] == [["S02-01", "sales", "FB", 200, "ID-1", "latest_revision", "LB-01", 1]]


def test_a_source_shows_its_rows_with_the_version_that_brought_them() -> None:
    desk = Desk(AMENDED)
    desk.stage(1)
    desk.stage(2)
    found = desk.call("get_source", source_id="S01-01")
    assert found["columns"] == ["party", "amt", "order", "code", "rev", "added_version"]
    assert found["rows"][0] == ["K01", 10_000, "O010101", "10", 1, 1]
    assert found["rows"][-1] == ["K01", 11_000, "O010101", "20", 2, 2]
    assert (found["version"], found["stage"]) == (2, 1)


def test_packages_show_latest_version_numbers_valid_or_not() -> None:
    desk = Desk(OVERLAY)
    desk.stage(1)
    desk.stage(2)
    rows = {row[0]: row[1:] for row in desk.call("list_packages", stage=2)["rows"]}
    assert rows == {"S02-01": ["sales", 1, 0, 1], "S02-02": ["remittance", 1, 1, 1]}
    desk.normalize("S02-01")
    assert desk.call("list_packages", stage=2)["rows"][0] == ["S02-01", "sales", 2, 0, 1]


def test_contracts_are_listed_by_format_and_day(desk: Desk) -> None:
    found = desk.call("list_contracts", format="FB")
    assert [row[0] for row in found["rows"]] == ["FB-1", "FB-2"]
    assert found["rows"][1][1:9] == [200, 299, 1, 1, 10, 1, "gross", 825]
    assert [row[0] for row in desk.call("list_contracts", format="FB", day=100)["rows"]] == ["FB-1"]
    terms = desk.call("list_contracts", format="FR")
    assert terms["columns"][-3:] == ["disc_bps", "disc_days", "tol"]
    assert terms["rows"][0][-3:] == [200, 120, 50]


def test_an_unused_format_has_no_contracts(desk: Desk) -> None:
    assert desk.call("list_contracts", format="FC")["rows"] == []


def test_maps_show_their_number_of_entries_and_one_map_its_entries(desk: Desk) -> None:
    assert desk.call("list_identity_maps", identity_source_id="ID-1", day=200)["rows"] == [
        ["MP-1.0", 0, 9999, 0, 3],
        ["MP-1.1", 190, 260, 1, 1],
    ]
    assert desk.call("list_identity_maps", identity_source_id="ID-1", day=100)["rows"] == [["MP-1.0", 0, 9999, 0, 3]]
    found = desk.call("get_identity_map", map_id="MP-1.1")
    assert (found["entries"], found["from"], found["to"]) == ({"K02": "AC-03"}, 190, 260)


def test_accounts_are_listed_by_account_and_entity(desk: Desk) -> None:
    assert desk.call("list_accounts", account="AC-03")["rows"] == [
        ["AC-03", 0, 0, 9999, "E03"],
        ["AC-03", 1, 200, 299, "E05"],
    ]
    assert desk.call("list_accounts", entity="E05")["rows"] == [["AC-03", 1, 200, 299, "E05"]]


def test_staff_show_what_is_granted_and_left(desk: Desk) -> None:
    desk.stage(1)
    desk.review(1, "ST-2")
    assert desk.call("list_staff")["rows"] == [["ST-1", 4, 4], ["ST-2", 4, 3], ["ST-3", 4, 4]]


def test_open_items_are_those_before_the_stages_own_match(desk: Desk) -> None:
    desk.stage(1)
    found = desk.call("list_open_items", lockbox="LB-01", stage=1)
    assert found["rows"] == [
        ["A0001", "E01", 5000, 5000, 40, 190],
        ["A0002", "E02", 3000, 3000, 50, 200],
    ]
    later = desk.call("list_open_items", lockbox="LB-01", stage=2, entities=["E02"])
    assert later["rows"] == [
        ["A0002", "E02", 3000, 2000, 50, 200],
        ["O010102", "E02", 22_000, 22_000, 100, 250],
    ]


def test_obligations_are_listed_once_they_are_open(desk: Desk) -> None:
    desk.stage(1)
    desk.stage(2)
    assert desk.call("list_obligations", due_stage=3)["rows"] == [["view:S01-01.1/3", "view", 3, "open"]]
    desk.stage(3, views=[desk.view()])
    assert desk.call("list_obligations", status="open")["rows"] == []
    assert desk.call("list_obligations", status="discharged")["rows"][0][0] == "view:S01-01.1/3"


def test_a_page_goes_on_at_its_cursor(desk: Desk) -> None:
    first = desk.call("list_accounts", limit=3)
    second = desk.call("list_accounts", limit=3, cursor=first["next"])
    assert [row[:2] for row in first["rows"] + second["rows"]] == [
        ["AC-01", 0],
        ["AC-02", 0],
        ["AC-03", 0],
        ["AC-03", 1],
    ]
    assert second["next"] is None


UNKNOWN: list[tuple[str, dict[str, Any], str]] = [
    ("list_sources", {"stage": 4}, "4"),
    ("list_sources", {"identity_source_id": "ID-9"}, "ID-9"),
    ("list_sources", {"lockbox": "LB-02"}, "LB-02"),
    ("get_source", {"source_id": "S09-01"}, "S09-01"),
    ("list_packages", {"stage": 99}, "99"),
    ("list_identity_maps", {"identity_source_id": "ID-3"}, "ID-3"),
    ("get_identity_map", {"map_id": "MP-9.0"}, "MP-9.0"),
    ("list_accounts", {"account": "AC-99"}, "AC-99"),
    ("list_accounts", {"entity": "E13"}, "E13"),
    ("list_open_items", {"lockbox": "LB-09", "stage": 1}, "LB-09"),
    ("list_open_items", {"lockbox": "LB-01", "stage": 1, "entities": ["E01", "E00"]}, "E00"),
    ("list_obligations", {"due_stage": 17}, "17"),
]


@pytest.mark.parametrize(("tool", "arguments", "culprit"), UNKNOWN)
def test_unknown_ids_are_named(desk: Desk, tool: str, arguments: dict[str, Any], culprit: str) -> None:
    desk.refused("UNKNOWN_ID", culprit, tool, **arguments)


UNRELEASED: list[tuple[str, dict[str, Any], str]] = [
    ("list_sources", {"stage": 2}, "2"),
    ("list_sources", {"identity_source_id": "ID-4"}, "ID-4"),
    ("get_source", {"source_id": "S02-01"}, "S02-01"),
    ("list_packages", {"stage": 3}, "3"),
    ("list_identity_maps", {"identity_source_id": "ID-4"}, "ID-4"),
    ("get_identity_map", {"map_id": "MP-4.0"}, "MP-4.0"),
    ("list_open_items", {"lockbox": "LB-01", "stage": 2}, "2"),
    ("list_obligations", {"due_stage": 3}, "3"),
    ("submit_match", {"source_id": "S02-02", "lines": [], "on_account": []}, "S02-02"),
    ("submit_aggregate", {"source_id": "S03-01", "totals": []}, "S03-01"),
    ("record_view", {"source_id": "S02-01", "basis_stage": 2, "aggregate": "AGG:S02-01@1", "totals": []}, "S02-01"),
]


@pytest.mark.parametrize(("tool", "arguments", "culprit"), UNRELEASED)
def test_what_has_not_opened_is_not_released(desk: Desk, tool: str, arguments: dict[str, Any], culprit: str) -> None:
    desk.refused("NOT_RELEASED", culprit, tool, **arguments)


def test_an_unreleased_identity_source_or_map_cannot_be_submitted(desk: Desk) -> None:
    package = desk.package("S01-01")
    desk.refused("NOT_RELEASED", "ID-4", "submit_normalization", **{**package, "identity_source_id": "ID-4"})
    desk.refused("NOT_RELEASED", "MP-4.0", "submit_normalization", **{**package, "identity_map_id": "MP-4.0"})


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_malformed_calls_name_every_fault_and_change_nothing(desk: Desk, tool: Any) -> None:
    before = desk.world.digest()
    bad = dict.fromkeys(tool.fields, 1.5) | {"surprise": 1}
    seen = desk.observe(tool.name, **bad)
    assert seen.outcome == "malformed"
    message = seen.data["error"]["message"]
    assert all(name in message for name in [*tool.required, "surprise"])
    assert desk.world.digest() == before


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.required], ids=lambda tool: tool.name)
def test_missing_arguments_are_malformed(desk: Desk, tool: Any) -> None:
    seen = desk.observe(tool.name)
    assert seen.outcome == "malformed"
    assert all(f"{name}: missing" in seen.data["error"]["message"] for name in tool.required)


def test_observations_of_full_pages_stay_small(desk: Desk) -> None:
    desk.release()
    for tool, arguments in (("get_release_status", {}), ("list_sources", {}), ("get_source", {"source_id": "S03-01"})):
        assert len(desk.observe(tool, **arguments).text) < 5_000


def test_queries_change_nothing(desk: Desk) -> None:
    desk.stage(1)
    before = desk.world.digest()
    for tool in QUERIES:
        desk.observe(tool.name, **{name: _example(name) for name in tool.required})
    assert desk.world.digest() == before


def _example(name: str) -> Any:
    examples = {
        "source_id": "S01-01",
        "format": "FB",
        "identity_source_id": "ID-1",
        "map_id": "MP-1.0",
        "lockbox": "LB-01",
        "stage": 1,
    }
    return examples[name]
