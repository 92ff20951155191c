"""Views and closings of stages."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from financeops_desk import OVERLAY, Desk

from skillhorizon_financeops.plan import PlannedView
from skillhorizon_financeops.rows import Obligation, Stage


@pytest.fixture
def desk() -> Desk:
    """Return a clerk whose first two stages are closed and whose third is worked."""
    made = Desk()
    made.stage(1)
    made.stage(2)
    for source in ("S03-01", "S03-02"):
        made.work(source)
    return made


def test_the_first_closing_opens_the_next_stage() -> None:
    desk = Desk()
    for source in ("S01-01", "S01-02"):
        desk.work(source)
    made = desk.close(1)
    assert made == {"artifact": "CLS:1@1", "clock": 58, "tickets_left": 4}
    assert [each.status for each in desk.world.select(Stage)] == ["closed", "open", "unopened"]
    assert desk.world.ledger.event("stage_closed", "1") is not None


def test_closing_anew_opens_nothing_more(desk: Desk) -> None:
    desk.close(2, preparer="ST-2")
    assert [each.status for each in desk.world.select(Stage)] == ["closed", "closed", "open"]
    assert desk.world.ledger.event("stage_closed", "3") is None


def test_a_view_is_recorded_from_any_version_and_its_totals_are_not_verified(desk: Desk) -> None:
    desk.normalize("S01-01", records=[])
    made = desk.call("record_view", source_id="S01-01", basis_stage=2, aggregate="AGG:S01-01@1", totals=[["E09", 1, 3]])
    assert made["artifact"] == "VW:S01-01.2@1"
    content = {"aggregate": "AGG:S01-01@1", "totals": [["E09", 1, 3]]}
    assert desk.content("VW:S01-01.2") == content
    view = desk.world.ledger.current("VW:S01-01.2")
    assert view is not None
    assert [(c.role, c.ref, c.token) for c in desk.world.ledger.cites(view)] == [("aggregate", "AGG:S01-01@1", None)]


VIEWS = [
    ("UNKNOWN_ID", "S88-01", {"source_id": "S88-01"}),
    ("UNKNOWN_ID", "E88", {"totals": [["E88", 1, 1]]}),
    ("WRONG_AGGREGATE", "AGG:S01-02@1", {"aggregate": "AGG:S01-02@1"}),
    ("WRONG_AGGREGATE", "AGG:S01-01@2", {"aggregate": "AGG:S01-01@2"}),
    ("WRONG_AGGREGATE", "NRM:S01-01@1", {"aggregate": "NRM:S01-01@1"}),
    ("WRONG_AGGREGATE", "nonsense", {"aggregate": "nonsense"}),
    ("BASIS_NOT_CLOSED", "3", {"basis_stage": 3}),
    ("BASIS_NOT_CLOSED", "9", {"basis_stage": 9}),
    ("BASIS_NOT_CLOSED", "1", {"source_id": "S02-01", "aggregate": "AGG:S02-01@1"}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), VIEWS)
def test_wrong_views_are_refused(desk: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    right = {"source_id": "S01-01", "basis_stage": 1, "aggregate": "AGG:S01-01@1", "totals": []}
    desk.refused(code, culprit, "record_view", **{**right, **change})


def test_a_stage_that_is_not_open_cannot_be_closed() -> None:
    desk = Desk()
    for stage in (2, 4):
        desk.refused("STAGE_NOT_OPEN", str(stage), "close_stage", **_blank(stage))


def _blank(stage: int, **changes: Any) -> dict[str, Any]:
    return {"stage": stage, "preparer": "ST-1", "views": [], "movement": {}, "closing": {}, **changes}


def test_closings_name_unknown_staff_and_entities(desk: Desk) -> None:
    desk.refused("UNKNOWN_ID", "ST-9", "close_stage", **_blank(3, preparer="ST-9"))
    desk.refused("UNKNOWN_ID", "E13", "close_stage", **_blank(3, closing={"E13": 1}))


def test_a_closing_needs_the_one_before(desk: Desk) -> None:
    desk.close(1, preparer="ST-3")
    assert desk.observe("close_stage", **_blank(3)).data["error"]["code"] == "PRECEDING_NOT_CURRENT"


def test_a_closing_needs_every_aggregate_of_its_stage(desk: Desk) -> None:
    desk.normalize("S03-01", records=[])
    desk.refused("OUTPUT_NOT_CURRENT", "AGG:S03-01", "close_stage", **_blank(3))


def test_a_due_view_that_was_never_recorded_is_missing(desk: Desk) -> None:
    desk.refused("VIEW_MISSING", "view:S01-01.1/3", "close_stage", **desk.rolled(3))


def test_an_outdated_view_is_missing(desk: Desk) -> None:
    first = desk.view()
    desk.call("record_view", source_id="S01-01", basis_stage=1, aggregate="AGG:S01-01@1", totals=[])
    desk.refused("VIEW_MISSING", "view:S01-01.1/3", "close_stage", **desk.rolled(3, views=[first]))


@pytest.mark.parametrize("extra", ["VW:S01-01.2@1", "VW:S99-01.2@1", "nonsense"])
def test_any_other_view_is_not_due(desk: Desk, extra: str) -> None:
    view = desk.view()
    desk.view(basis=2)
    desk.refused("VIEW_NOT_DUE", extra, "close_stage", **desk.rolled(3, views=[view, extra]))


def test_a_view_listed_twice_is_not_due_twice(desk: Desk) -> None:
    view = desk.view()
    desk.refused("VIEW_NOT_DUE", view, "close_stage", **desk.rolled(3, views=[view, view]))


@pytest.mark.parametrize("part", ["movement", "closing"])
@pytest.mark.parametrize("off", [1, None])
def test_a_closing_must_tie_for_all_twelve_entities(desk: Desk, part: str, off: int | None) -> None:
    right = desk.rolled(3, views=[desk.view()])
    wrong = dict(right[part])
    if off is None:
        del wrong["E12"]
    else:
        wrong["E12"] += off
    desk.refused("CLOSURE_DOES_NOT_TIE", "E12", "close_stage", **{**right, part: wrong})


def test_a_closing_discharges_its_views_and_cites_what_it_used(desk: Desk) -> None:
    made = desk.close(3, views=[desk.view()])
    duty = desk.obligation("view:S01-01.1/3")
    assert duty is not None
    assert (duty.status, duty.evidence) == ("discharged", made["artifact"])
    closure = desk.world.ledger.current("CLS:3")
    assert closure is not None
    assert [(c.role, c.version_ref) for c in desk.world.ledger.cites(closure)] == [
        ("aggregate", "AGG:S03-01@1"),
        ("aggregate", "AGG:S03-02@1"),
        ("preceding", "CLS:2@1"),
        ("view", "VW:S01-01.1@1"),
    ]


def test_another_version_of_a_view_ends_the_closing_that_used_it(desk: Desk) -> None:
    desk.close(3, views=[desk.view()])
    desk.call("record_view", source_id="S01-01", basis_stage=1, aggregate="AGG:S01-01@1", totals=[])
    assert desk.world.ledger.current("CLS:3") is None


def test_an_update_made_view_stays_hidden_until_its_source_is_normalized_anew() -> None:
    desk = Desk(OVERLAY)
    desk.stage(1)
    desk.stage(2)
    due = "view:S02-01.2/3"
    hidden = desk.obligation(due)
    assert hidden is not None
    assert hidden.status == "hidden"
    assert [row[0] for row in desk.call("list_obligations")["rows"]] == ["restate:N-01", "view:S01-01.1/3"]
    desk.refused("UNKNOWN_ID", due, "discharge_obligation", obligation_id=due, evidence=[])
    desk.normalize("S02-01")
    assert [row[0] for row in desk.call("list_obligations", due_stage=3)["rows"]] == ["view:S01-01.1/3", due]


def test_a_notice_adds_no_view_obligation_that_exists() -> None:
    desk = Desk(attrs.evolve(OVERLAY, views=(PlannedView("S01-01", 1, 3), PlannedView("S02-01", 2, 3))))
    desk.stage(1)
    desk.stage(2)
    found = {each.obligation_id: each.status for each in desk.world.select(Obligation, kind="view")}
    assert found == {"view:S01-01.1/3": "open", "view:S02-01.2/3": "hidden"}


def test_a_comparative_view_opens_with_its_stage_not_with_a_remake() -> None:
    desk = Desk()
    desk.normalize("S01-01", records=[])
    desk.normalize("S01-01")
    duty = desk.obligation("view:S01-01.1/3")
    assert duty is not None
    assert duty.status == "hidden"


def test_a_hidden_view_is_not_due(desk: Desk) -> None:
    desk.world.sql("UPDATE obligation SET status = 'hidden'")
    assert desk.close(3)["artifact"] == "CLS:3@1"
