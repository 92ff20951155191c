"""Preconditions are judged in the order in which the handbook lists them: each ladder removes one fault at a time."""

from __future__ import annotations

from typing import Any

import pytest
from financeops_desk import OVERLAY, REASSIGNED, Desk, world

from skillhorizon_financeops.plan import PlannedView
from skillhorizon_financeops.rows import IdentitySource

Fault = tuple[str, str, dict[str, Any]]
"""The code that answers, the object at fault, and what puts it right."""


def climb(desk: Desk, tool: str, arguments: dict[str, Any], *ladder: Fault) -> dict[str, Any]:
    """Meet every rejection of a ladder in its order; return the arguments without any of its faults."""
    for code, culprit, cure in ladder:
        desk.refused(code, culprit, tool, **arguments)
        arguments = {**arguments, **cure}
    return arguments


def test_a_normalizations_faults_are_met_in_order() -> None:
    desk = Desk(made=world(tickets=0))
    desk.world.sql("UPDATE identity_map SET entries = '{\"K02\": \"AC-02\"}' WHERE map_id = 'MP-2.0'")
    desk.normalize("S01-01")
    right = desk.package("S01-01", records=[["O010102", "K02", "E02", 1]])
    faulty = {
        "source_id": "S02-01",
        "contract_id": "FX-1",
        "identity_source_id": "ID-4",
        "identity_map_id": "MP-4.0",
        "conflict_policy": "first",
        "records": [
            ["O010101", "K01", "E01", 1],
            ["O010101", "K02", "E01", 1],
            ["O999999", "K01", "E01", 1],
            ["O010102", "K02", "E77", 1],
        ],
    }
    known = [*faulty["records"][:3], ["O010102", "K02", "E02", 1]]
    single = [["O010101", "K02", "E01", 1], known[3]]
    climb(
        desk,
        "submit_normalization",
        faulty,
        ("NOT_RELEASED", "S02-01", {"source_id": "S01-01"}),
        ("UNKNOWN_ID", "FX-1", {"contract_id": "FA-1"}),
        ("NOT_RELEASED", "ID-4", {"identity_source_id": "ID-2"}),
        ("NOT_RELEASED", "MP-4.0", {"identity_map_id": "MP-1.0"}),
        ("UNKNOWN_ID", "E77", {"records": known}),
        ("CONTRACT_FORMAT", "FA-1", {"contract_id": "FB-1"}),
        ("MAP_SOURCE", "MP-1.0", {"identity_map_id": "MP-2.0"}),
        ("ORDER_UNKNOWN", "O999999", {"records": [known[0], known[1], known[3]]}),
        ("ORDER_DUPLICATE", "O010101", {"records": single}),
        ("ALIAS_NOT_ON_ORDER", "O010101", {"records": [["O010101", "K01", "E01", 1], known[3]]}),
        ("ALIAS_UNRESOLVABLE", "K01", {"records": [known[3]]}),
        ("NO_TICKETS", "NRM:S01-01@2", right),
    )


def test_an_equal_normalization_is_no_matter_of_tickets() -> None:
    desk = Desk(made=world(tickets=0))
    made = desk.normalize("S01-01")
    assert desk.normalize("S01-01") == made


def test_a_matchs_faults_are_met_in_order() -> None:
    desk = Desk()
    first = ["Q010201", "A0001", 4_950, 51, 0]
    lines = [first, ["Q0", "A9999", 5, 0, 0]]
    arguments = climb(
        desk,
        "submit_match",
        {"source_id": "S02-02", "lines": lines, "on_account": [["Q010202", "E00", 1]]},
        ("NOT_RELEASED", "S02-02", {"source_id": "S01-01"}),
        ("UNKNOWN_ID", "E00", {"on_account": [["Q010202", "E02", 1]]}),
        ("NOT_REMITTANCE", "S01-01", {"source_id": "S01-02"}),
        ("INPUT_NOT_CURRENT", "NRM:S01-02", {}),
    )
    desk.normalize("S01-02")
    right = climb(
        desk,
        "submit_match",
        arguments,
        ("ORDER_UNKNOWN", "Q0", {"lines": [first, ["Q010202", "A9999", 5, 0, 0]]}),
        ("ITEM_NOT_OPEN", "A9999", {"lines": [first, ["Q010202", "A0002", 5, 0, 0]]}),
        ("NOT_CONSERVED", "Q010202", {"on_account": [["Q010202", "E02", 995]]}),
        ("OVER_APPLIED", "A0001", {"lines": [["Q010201", "A0001", 4_950, 50, 0], ["Q010202", "A0002", 5, 0, 0]]}),
    )
    assert desk.call("submit_match", **right)["artifact"] == "MAT:S01-02@1"


def test_an_aggregates_faults_are_met_in_order() -> None:
    desk = Desk()
    arguments = climb(
        desk,
        "submit_aggregate",
        {"source_id": "S02-02", "totals": [["E00", 1, 1]]},
        ("NOT_RELEASED", "S02-02", {"source_id": "S01-02"}),
        ("UNKNOWN_ID", "E00", {"totals": [["E01", 1, 1]]}),
        ("INPUT_NOT_CURRENT", "MAT:S01-02", {}),
    )
    desk.normalize("S01-02")
    desk.refused("INPUT_NOT_CURRENT", "MAT:S01-02", "submit_aggregate", **arguments)
    desk.match("S01-02")
    desk.refused("TOTALS_DO_NOT_TIE", "E01", "submit_aggregate", **arguments)
    desk.refused("INPUT_NOT_CURRENT", "NRM:S01-01", "submit_aggregate", source_id="S01-01", totals=[])


def test_a_views_faults_are_met_in_order() -> None:
    desk = Desk()
    desk.stage(1)
    right = climb(
        desk,
        "record_view",
        {"source_id": "S03-01", "basis_stage": 2, "aggregate": "AGG:S01-02@1", "totals": [["E00", 1, 1]]},
        ("NOT_RELEASED", "S03-01", {"source_id": "S01-01"}),
        ("UNKNOWN_ID", "E00", {"totals": []}),
        ("WRONG_AGGREGATE", "AGG:S01-02@1", {"aggregate": "AGG:S01-01@1"}),
        ("BASIS_NOT_CLOSED", "2", {"basis_stage": 1}),
    )
    assert desk.call("record_view", **right)["artifact"] == "VW:S01-01.1@1"


def test_a_closings_faults_are_met_in_order() -> None:
    desk = Desk()
    desk.stage(1)
    desk.stage(2)
    desk.view(basis=2)
    blank: dict[str, Any] = {"preparer": "ST-9", "views": ["VW:S01-01.2@1"], "movement": {"E99": 1}, "closing": {}}
    arguments = climb(
        desk,
        "close_stage",
        {"stage": 4, **blank},
        ("UNKNOWN_ID", "ST-9", {"preparer": "ST-1"}),
        ("UNKNOWN_ID", "E99", {"movement": {}}),
        ("STAGE_NOT_OPEN", "4", {"stage": 3}),
    )
    desk.close(1, preparer="ST-2")
    arguments = climb(desk, "close_stage", arguments, ("PRECEDING_NOT_CURRENT", "CLS:2", {}))
    desk.close(2)
    arguments = climb(desk, "close_stage", arguments, ("OUTPUT_NOT_CURRENT", "AGG:S03-01", {}))
    desk.work("S03-01")
    arguments = climb(desk, "close_stage", arguments, ("OUTPUT_NOT_CURRENT", "AGG:S03-02", {}))
    desk.work("S03-02")
    view = desk.view()
    right = desk.rolled(3, views=[view])
    last = climb(
        desk,
        "close_stage",
        arguments,
        ("VIEW_MISSING", "view:S01-01.1/3", {"views": [view, "VW:S01-01.2@1"]}),
        ("VIEW_NOT_DUE", "VW:S01-01.2@1", {"views": [view]}),
        ("CLOSURE_DOES_NOT_TIE", "E01", right),
    )
    assert desk.call("close_stage", **last)["artifact"] == "CLS:3@1"


def test_a_reviews_faults_are_met_in_order() -> None:
    desk = Desk(made=world(reviews=0))
    desk.stage(1)
    climb(
        desk,
        "review_stage",
        {"stage": 1, "closure": "CLS:1@2", "reviewer": "ST-9"},
        ("UNKNOWN_ID", "ST-9", {"reviewer": "ST-1"}),
        ("CLOSURE_NOT_CURRENT", "CLS:1@2", {"closure": "CLS:1@1"}),
        ("DUTY_CONFLICT", "ST-1", {"reviewer": "ST-2"}),
        ("NO_CAPACITY", "ST-2", {}),
    )


def test_an_equal_review_is_no_matter_of_capacity() -> None:
    desk = Desk(made=world(reviews=1))
    desk.stage(1)
    made = desk.review(1, "ST-2")
    assert desk.review(1, "ST-2") == made
    desk.refused("DUTY_CONFLICT", "ST-1", "review_stage", stage=1, closure="CLS:1@1", reviewer="ST-1")


def test_only_a_valid_review_of_a_neighbouring_stage_is_a_conflict() -> None:
    desk = Desk()
    desk.stage(1)
    desk.stage(2)
    desk.review(2, "ST-2")
    desk.refused("DUTY_CONFLICT", "ST-2", "review_stage", stage=1, closure="CLS:1@1", reviewer="ST-2")
    desk.close(2, preparer="ST-3")
    assert desk.review(1, "ST-2")["artifact"] == "RVW:1@1"


def test_a_publications_faults_are_met_in_order() -> None:
    desk = Desk()
    desk.stage(1)
    desk.stage(2)
    desk.review(2)
    right = climb(
        desk,
        "publish_stage",
        {"stage": 2, "review": "RVW:1@1"},
        ("REVIEW_NOT_PASSED", "RVW:1@1", {"review": "RVW:2@1"}),
        ("PREVIOUS_UNPUBLISHED", "PUB:1", {}),
    )
    desk.review(1)
    desk.publish(1)
    assert desk.call("publish_stage", **right)["artifact"] == "PUB:2@1"


def test_a_releases_faults_are_met_in_order() -> None:
    desk = Desk()
    desk.stage(1)
    desk.stage(2)
    desk.stage(3, views=[desk.view()])
    balances = {"E13": 1}
    desk.refused("UNKNOWN_ID", "E13", "publish_release", balances=balances)
    desk.world.insert(PlannedView("S02-01", 2, 3).obligation("open"))
    desk.refused("STAGE_UNPUBLISHED", "PUB:1", "publish_release", balances={})
    for stage in (1, 2, 3):
        desk.review(stage)
        desk.publish(stage)
    desk.refused("OPEN_OBLIGATION", "view:S02-01.2/3", "publish_release", balances={})
    desk.world.sql("UPDATE obligation SET status = 'hidden' WHERE due_stage = 3")
    desk.refused("BALANCES_DO_NOT_TIE", "E01", "publish_release", balances={})


def test_a_discharges_faults_are_met_in_order() -> None:
    desk = Desk(OVERLAY)
    desk.stage(1)
    desk.stage(2)
    arguments: dict[str, Any] = {"obligation_id": "view:S02-01.2/3", "evidence": [["AGG:S02-01@1", [["E99", 1]]]]}
    climb(
        desk,
        "discharge_obligation",
        arguments,
        ("UNKNOWN_ID", "view:S02-01.2/3", {"obligation_id": "view:S01-01.1/3"}),
        ("UNKNOWN_ID", "E99", {"evidence": [["AGG:S02-01@1", []]]}),
        ("NOT_DISCHARGEABLE", "view:S01-01.1/3", {"obligation_id": "restate:N-01"}),
        ("EVIDENCE_INVALID", "AGG:S02-01@1", {}),
    )


@pytest.mark.parametrize("kind", ["revision", "review"])
def test_whether_relief_is_needed_is_judged_before_its_limit(kind: str) -> None:
    desk = Desk(made=world(tickets=1, reviews=1, reliefs=0))
    desk.stage(1)
    culprit = "relief:revision" if kind == "revision" else "CLS:1"
    desk.refused("RELIEF_NOT_NEEDED", culprit, "request_relief", kind=kind, stage=1)
    desk.world.sql("UPDATE allowance SET spent = 1 WHERE name = 'tickets'")
    desk.world.sql("UPDATE staff SET left = 0 WHERE staff <> 'ST-1'")
    desk.refused("RELIEF_EXHAUSTED", f"relief:{kind}", "request_relief", kind=kind, stage=1)


def test_a_reviewer_in_conflict_is_no_reason_to_refuse_relief() -> None:
    desk = Desk(made=world(reviews=1))
    desk.stage(1)
    desk.stage(2)
    desk.review(1, "ST-2")
    desk.refused("RELIEF_NOT_NEEDED", "CLS:2", "request_relief", kind="review", stage=2)
    desk.world.sql("UPDATE staff SET left = 1 WHERE staff = 'ST-2'")
    desk.world.sql("UPDATE staff SET left = 0 WHERE staff = 'ST-3'")
    made = desk.call("request_relief", kind="review", stage=2)
    assert made["obligation"] == "attest:review.1"


def test_relief_for_a_stage_whose_closure_has_ended_is_not_needed() -> None:
    desk = Desk(made=world(reviews=0))
    desk.stage(1)
    desk.normalize("S01-01", records=[])
    desk.refused("RELIEF_NOT_NEEDED", "relief:review", "request_relief", kind="review", stage=1)


def test_what_an_update_brings_does_not_exist_before_it_fires() -> None:
    desk = Desk(OVERLAY)
    desk.refused("UNKNOWN_ID", "MP-1.2", "get_identity_map", map_id="MP-1.2")
    package = desk.package("S01-01", identity_map_id="MP-1.2")
    desk.refused("UNKNOWN_ID", "MP-1.2", "submit_normalization", **package)
    desk.refused("UNKNOWN_ID", "restate:N-01", "discharge_obligation", obligation_id="restate:N-01", evidence=[])


def test_identity_sources_open_with_their_own_stage_whatever_the_source() -> None:
    desk = Desk()
    desk.world.insert(IdentitySource("ID-9", 3))
    desk.stage(1)
    package = desk.package("S02-01", identity_source_id="ID-9")
    desk.refused("NOT_RELEASED", "ID-9", "submit_normalization", **package)


def test_a_notice_may_end_what_an_earlier_answer_named() -> None:
    desk = Desk(REASSIGNED)
    desk.stage(1)
    desk.stage(2)
    desk.refused("INPUT_NOT_CURRENT", "NRM:S02-01", "submit_aggregate", source_id="S02-01", totals=[])
    desk.refused("CLOSURE_NOT_CURRENT", "CLS:2@1", "review_stage", stage=2, closure="CLS:2@1", reviewer="ST-2")
