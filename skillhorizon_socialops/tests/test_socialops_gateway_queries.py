"""What queries answer."""

from __future__ import annotations

from typing import Any

import pytest
from socialops_desk import Desk

from skillhorizon_socialops.gateway import TOOLS
from skillhorizon_socialops.rows import Withdrawal


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture(scope="module")
def second() -> Desk:
    """A desk at the beginning of wave 2."""
    made = Desk()
    made.finish_wave(1)
    return made


def test_there_are_ten_queries_and_twelve_operations() -> None:
    kinds = [str(tool.kind) for tool in TOOLS]
    assert (kinds.count("query"), kinds.count("operation")) == (10, 12)


def test_the_clock_tells_what_is_next(desk: Desk) -> None:
    assert desk.call("get_clock") == {
        "clock": 0,
        "open_wave": 1,
        "next_due": ["p-01-00-a", 120],
        "reschedules_left": 3,
        "open_notices": [],
    }


def test_what_is_next_belongs_to_an_opened_wave(desk: Desk) -> None:
    desk.go(2_880)
    desk.go(2_900)
    assert desk.call("get_clock")["next_due"] is None


def test_waves_and_briefs_are_listed(second: Desk) -> None:
    assert second.rows("list_waves") == [[1, "closed", 2, 2_100], [2, "open", 2, None], [3, "unopened", 1, None]]
    assert second.rows("list_briefs", wave=2) == [["b-02-00", 0, "open"], ["b-02-01", 1, "open"]]
    assert [row[0] for row in second.rows("list_briefs", state="unopened")] == ["b-03-00"]
    assert [row[0] for row in second.rows("list_briefs", state="open", wave=1)] == []
    assert len(second.rows("list_briefs")) == 5


def test_a_brief_is_read_whole(second: Desk) -> None:
    assert second.brief("b-02-01") == {
        "brief": "b-02-01",
        "wave": 2,
        "lane": 1,
        "campaign": "cm2",
        "title": "Winter week",
        "channel": "ch1",
        "locale": "de",
        "format": "image",
        "angle": "proof",
        "audiences": ["au2", "au3"],
        "credit_window_min": 240,
        "priority": 2,
        "holdout_bp": 1_000,
        "split_bp": 5_000,
        "min_conv": 7,
        "min_lift_bp": 600,
        "benchmark_bp": None,
        "depends_on": [
            ["control", "b-01-01"],
            ["suppress", "b-01-01"],
            ["suppress", "b-01-00"],
            ["history", "b-01-00"],
        ],
        "posts": [
            ["p-02-01-a", 3_060, 150, "scheduled"],
            ["p-02-01-b", 3_540, 160, "scheduled"],
            ["p-02-01-d", 4_980, 360, "scheduled"],
        ],
        "observe_until": 3_540 + 840,
    }


def test_baselines_stand_in_wave_one_only(second: Desk) -> None:
    assert second.brief("b-01-00")["baseline"] == ["v1", "c1"]
    assert "baseline" not in second.brief("b-02-00")
    assert second.brief("b-03-00")["benchmark_bp"] == 8_500


def test_unopened_waves_are_readable(desk: Desk) -> None:
    assert desk.brief("b-03-00")["posts"][0] == ["p-03-00-a", 5_880, 150, "scheduled"]
    assert [row[0] for row in desk.rows("list_calendar", wave=3)] == ["p-03-00-a", "p-03-00-b", "p-03-00-d"]
    assert desk.call("get_post", post_id="p-03-00-a")["due_at"] == 5_880


def test_assets_are_listed_by_kind(desk: Desk) -> None:
    desk.world.insert(Withdrawal("v3", 0))
    asked = {"role": "visual", "locale": "de", "format": "image"}
    rows = desk.rows("list_assets", **asked)
    assert [row[0] for row in rows] == ["v1", "v2", "v3", "v4", "v5", "v8"]
    assert rows[1] == ["v2", "proof", 8_998, -900, 99_999_999, ["ch1", "ch2"], "active"]
    assert [row[6] for row in rows] == ["active", "active", "withdrawn", "active", "active", "retired"]
    assert [row[0] for row in desk.rows("list_assets", **asked, angle="proof", status="active")] == ["v2", "v4"]
    assert [row[0] for row in desk.rows("list_assets", **asked, status="withdrawn")] == ["v3"]
    assert desk.rows("list_assets", role="copy", locale="es", format="image") == []


def test_audiences_are_read_with_their_policy_and_overlaps(desk: Desk) -> None:
    read = desk.call("get_audiences", audience_ids=["au3", "au1", "au1"])
    assert read["audiences"]["columns"] == [
        *("audience", "size", "lapsed_bp", "policy", "retention_bp", "cap", "cooldown_min")
    ]
    assert read["audiences"]["rows"] == [
        ["au1", 42_000, 10_000, 1, 8_000, 2_000, 0],
        ["au3", 60_000, 4_000, 1, 8_000, 2_000, 470],
    ]
    assert read["overlaps"] == [["au1", "au3", 700]]
    (row,) = desk.call("get_audiences", audience_ids=["au9"])["audiences"]["rows"]
    assert row == ["au9", 20_000, 10_000, None, 9_000, None, 0]


def test_publications_come_with_their_audiences(second: Desk) -> None:
    rows = second.rows("list_publications", since=-500, until=700)
    assert rows == [
        ["sp9", -400, 130, ["au2", "au3"]],
        ["p-01-00-a", 120, 150, ["au1", "au2"]],
        ["p-01-01-a", 180, 150, ["au2", "au3"]],
        ["p-01-00-b", 600, 160, ["au1", "au2"]],
        ["p-01-01-b", 660, 160, ["au2", "au3"]],
    ]
    house = second.rows("list_publications", since=2_580)
    assert house[0] == ["hp-au1-01", 2_580, 90, ["au1"]]


def test_bounds_of_publications_are_included(second: Desk) -> None:
    assert [row[0] for row in second.rows("list_publications", since=120, until=180)] == ["p-01-00-a", "p-01-01-a"]
    assert second.rows("list_publications", since=121, until=179) == []
    assert [row[0] for row in second.rows("list_publications", since=-43_200, until=-43_199)] == ["sp2", "sp3"]


def test_publications_of_a_brief_or_of_a_campaigns_earlier_posts(second: Desk) -> None:
    assert [row[0] for row in second.rows("list_publications", brief_id="b-01-00")] == [
        *("p-01-00-a", "p-01-00-b", "p-01-00-d")
    ]
    assert second.rows("list_publications", brief_id="b-02-00") == []
    assert [row[0] for row in second.rows("list_publications", campaign_id="cm1", since=-43_199)] == [
        "sp3",
        "sp3",
        "sp4",
    ]
    assert second.rows("list_publications", campaign_id="cm2", brief_id="b-01-01") == []


def test_publications_are_grouped_by_audience(second: Desk) -> None:
    read = second.call("list_publications", audience_ids=["au3", "au9", "au2"], since=-400, until=180)
    assert read == {
        "columns": ["post", "at", "weight"],
        "groups": {
            "au2": [["sp9", -400, 130], ["p-01-00-a", 120, 150], ["p-01-01-a", 180, 150]],
            "au3": [["sp9", -400, 130], ["p-01-01-a", 180, 150]],
            "au9": [],
        },
        "next": None,
    }


def test_a_page_cuts_through_groups(second: Desk) -> None:
    asked: dict[str, Any] = {"audience_ids": ["au2", "au3"], "since": -400, "until": 180, "limit": 2}
    pages = [second.call("list_publications", **asked)]
    while pages[-1]["next"]:
        pages.append(second.call("list_publications", **asked, cursor=pages[-1]["next"]))
    assert [[len(rows) for rows in page["groups"].values()] for page in pages] == [[2, 0], [1, 1], [0, 1]]


def test_grouped_publications_obey_the_other_filters(second: Desk) -> None:
    mine = second.call("list_publications", audience_ids=["au2"], brief_id="b-01-01")["groups"]
    assert [row[0] for row in mine["au2"]] == ["p-01-01-a", "p-01-01-b", "p-01-01-d"]
    earlier = second.call("list_publications", audience_ids=["au2", "au3"], campaign_id="cm2")["groups"]
    assert earlier == {"au2": [["sp9", -400, 130]], "au3": [["sp9", -400, 130]]}


def test_the_calendar_shows_a_wave_and_its_free_reserve_hours(desk: Desk) -> None:
    read = desk.call("list_calendar")
    assert read["columns"] == ["post", "due_at", "status", "weight"]
    assert read["rows"][:2] == [["p-01-00-a", 120, "scheduled", 150], ["p-01-01-a", 180, "scheduled", 150]]
    assert [row[0][-1] for row in read["rows"]] == ["a", "a", "b", "b", "d", "d"]
    assert read["free"] == {"ch1": [1_200, 1_260, 1_320, 1_380, 2_640, 2_700]}
    desk.call("reschedule_post", brief_id="b-01-00", post_id="p-01-00-a", due_at=1_260)
    desk.go(1_200)
    assert desk.call("list_calendar", channel="ch1")["free"] == {"ch1": [1_320, 1_380, 2_640, 2_700, 2_760, 2_820]}
    assert desk.call("list_calendar", channel="ch2") == {
        "columns": read["columns"],
        "rows": [],
        "next": None,
        "free": {"ch2": [1_260, 1_320, 1_380, 2_640, 2_700, 2_760]},
    }
    assert desk.call("list_calendar", wave=2)["free"] == {}


def test_without_an_open_wave_the_calendar_shows_the_last() -> None:
    desk = Desk()
    for wave in (1, 2, 3):
        desk.finish_wave(wave)
    read = desk.call("list_calendar")
    assert [row[0] for row in read["rows"]] == ["p-03-00-a", "p-03-00-b", "p-03-00-d"]
    assert read["free"] == {}


def test_a_post_is_read_with_its_publications(second: Desk) -> None:
    assert second.call("get_post", post_id="p-01-00-d") == {
        "post": "p-01-00-d",
        "brief": "b-01-00",
        "wave": 1,
        "channel": "ch1",
        "due_at": 2_040,
        "status": "published",
        "weight": 360,
        "publications": 1,
    }


def test_conversions_show_once_they_happened(desk: Desk) -> None:
    desk.prepare("b-01-00")
    desk.publish_due("p-01-00-a")
    desk.go(210)
    assert desk.call("list_conversions", brief_id="b-01-00")["rows"] == []
    desk.go(211)
    read = desk.call("list_conversions", brief_id="b-01-00")
    assert read == {
        "feed_version": 1,
        "columns": ["id", "order", "at", "value", "status", "touches"],
        "rows": [["e1", "o1", 211, 100, "paid", [["p-01-00-a", 181]]]],
        "next": None,
    }


def test_shared_conversions_show_whatever_ran(desk: Desk) -> None:
    desk.go(739)
    assert desk.rows("list_conversions", brief_id="b-01-00") == []
    desk.go(740)
    row = ["e99", "o99", 740, 990, "paid", [["p-01-00-a", 250], ["p-01-00-b", 700]]]
    assert desk.rows("list_conversions", brief_id="b-01-00") == [row]


def test_lists_are_paged(second: Desk) -> None:
    whole = second.call("list_conversions", brief_id="b-01-00")["rows"]
    assert second.rows("list_conversions", brief_id="b-01-00", limit=3) == whole
    assert [row[2] for row in whole] == sorted(row[2] for row in whole)
    assert "60" in second.malformed("list_briefs", limit=61)


UNKNOWN: list[tuple[str, str, dict[str, Any]]] = [
    ("get_brief", "b-09-00", {"brief_id": "b-09-00"}),
    ("get_post", "hp-au1-01", {"post_id": "hp-au1-01"}),
    ("list_briefs", "9", {"wave": 9}),
    ("list_calendar", "9", {"wave": 9}),
    ("list_calendar", "ch9", {"channel": "ch9"}),
    ("get_audiences", "au77", {"audience_ids": ["au1", "au77"]}),
    ("list_publications", "au77", {"audience_ids": ["au77"]}),
    ("list_publications", "b-09-00", {"brief_id": "b-09-00"}),
    ("list_publications", "cm9", {"campaign_id": "cm9"}),
    ("list_conversions", "b-09-00", {"brief_id": "b-09-00"}),
]


@pytest.mark.parametrize(("tool", "culprit", "asked"), UNKNOWN)
def test_queries_name_what_there_is_not(second: Desk, tool: str, culprit: str, asked: dict[str, Any]) -> None:
    second.refused("NOT_FOUND", culprit, tool, **asked)
