"""Reviews, publications, the release, obligations and relief."""

from __future__ import annotations

from typing import Any

import pytest
from financeops_desk import OVERLAY, REASSIGNED, Desk, world

from skillhorizon_financeops.rows import Allowance, Spending, Staff


@pytest.fixture
def desk() -> Desk:
    """Return a clerk whose three stages are closed."""
    made = Desk()
    made.stage(1)
    made.stage(2)
    made.stage(3, views=[made.view()])
    return made


def test_a_clean_review_passes_and_spends_one_review(desk: Desk) -> None:
    made = desk.review(1, "ST-2")
    assert (made["artifact"], made["findings"]) == ("RVW:1@1", [])
    assert desk.world.get(Staff, "ST-2") == Staff("ST-2", 4, 3)
    assert desk.world.select(Spending) == [Spending("review", "ST-2", 1, "RVW:1@1")]


def test_an_equal_review_returns_the_version_and_spends_nothing(desk: Desk) -> None:
    desk.review(1, "ST-2")
    before = desk.world.digest()
    assert desk.review(1, "ST-2")["artifact"] == "RVW:1@1"
    assert desk.world.digest() == before


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({"contract_id": "FB-1"}, ["F1"]),
        ({"identity_source_id": "ID-2", "identity_map_id": "MP-2.0"}, ["F2", "F5"]),
        ({"identity_map_id": "MP-1.0"}, ["F3", "F5"]),
        ({"conflict_policy": "first"}, ["F4"]),
        ({"records": [["O020101", "K01", "E12", 1]]}, ["F5"]),
    ],
)
def test_a_review_finds_what_was_chosen_wrongly(change: dict[str, Any], codes: list[str]) -> None:
    desk = Desk()
    desk.stage(1)
    desk.work("S02-02")
    desk.normalize("S02-01", **change)
    desk.aggregate("S02-01")
    desk.close(2)
    closure = desk.world.ledger.current("CLS:2")
    assert closure is not None
    seen = desk.observe("review_stage", stage=2, closure=closure.ref, reviewer="ST-2")
    assert seen.outcome == "failed"
    assert seen.data["findings"] == [["S02-01", code] for code in codes]
    assert seen.data["error"]["code"] == "REVIEW_FINDINGS"
    assert desk.world.get(Staff, "ST-2") == Staff("ST-2", 4, 3)
    desk.refused("REVIEW_NOT_PASSED", "RVW:2@1", "publish_stage", stage=2, review="RVW:2@1")


def test_amounts_are_not_performed_again(desk: Desk) -> None:
    records = desk.content("NRM:S01-01")["records"]
    wrong = [[order, alias, entity, minor + 1] for order, alias, entity, minor in records]
    desk.normalize("S01-01", records=wrong)
    desk.aggregate("S01-01")
    desk.close(1)
    assert desk.review(1)["findings"] == []


@pytest.mark.parametrize(
    ("stage", "closure"), [(1, "CLS:2@1"), (1, "CLS:1@2"), (9, "CLS:9@1"), (1, "nonsense"), (1, "RVW:1@1")]
)
def test_only_the_current_closure_is_reviewed(desk: Desk, stage: int, closure: str) -> None:
    desk.refused("CLOSURE_NOT_CURRENT", closure, "review_stage", stage=stage, closure=closure, reviewer="ST-2")


def test_reviews_name_unknown_staff(desk: Desk) -> None:
    desk.refused("UNKNOWN_ID", "ST-7", "review_stage", stage=1, closure="CLS:1@1", reviewer="ST-7")


def test_the_preparer_may_not_review(desk: Desk) -> None:
    desk.refused("DUTY_CONFLICT", "ST-1", "review_stage", stage=1, closure="CLS:1@1", reviewer="ST-1")


@pytest.mark.parametrize("neighbour", [1, 3])
def test_reviewers_of_neighbouring_stages_may_not_review(desk: Desk, neighbour: int) -> None:
    desk.review(neighbour, "ST-2")
    desk.refused("DUTY_CONFLICT", "ST-2", "review_stage", stage=2, closure="CLS:2@1", reviewer="ST-2")


def test_a_reviewer_without_capacity_may_not_review() -> None:
    desk = Desk(made=world(reviews=0))
    desk.stage(1)
    desk.refused("NO_CAPACITY", "ST-2", "review_stage", stage=1, closure="CLS:1@1", reviewer="ST-2")


def test_stages_are_published_in_order(desk: Desk) -> None:
    for stage in (1, 2):
        desk.review(stage)
    seen = desk.observe("publish_stage", stage=2, review="RVW:2@1")
    assert seen.data["error"]["code"] == "PREVIOUS_UNPUBLISHED"
    assert desk.publish(1)["artifact"] == "PUB:1@1"
    assert desk.publish(2)["artifact"] == "PUB:2@1"


@pytest.mark.parametrize("review", ["RVW:1@2", "RVW:2@1", "CLS:1@1", "nonsense"])
def test_only_the_current_review_is_published(desk: Desk, review: str) -> None:
    desk.review(1)
    desk.refused("REVIEW_NOT_PASSED", review, "publish_stage", stage=1, review=review)


def test_another_closing_ends_review_and_publication(desk: Desk) -> None:
    desk.review(1)
    desk.publish(1)
    desk.close(1, preparer="ST-3")
    for artifact in ("RVW:1", "PUB:1", "CLS:2", "CLS:3"):
        assert desk.world.ledger.current(artifact) is None


def test_a_release_needs_every_stage_published(desk: Desk) -> None:
    desk.review(1)
    desk.publish(1)
    desk.refused("STAGE_UNPUBLISHED", "PUB:2", "publish_release", balances={})


def _publish_all(desk: Desk) -> None:
    for stage in (1, 2, 3):
        desk.review(stage)
        desk.publish(stage)


def test_a_release_needs_every_obligation_discharged(desk: Desk) -> None:
    _publish_all(desk)
    desk.world.sql("UPDATE obligation SET status = 'open'")
    desk.refused("OPEN_OBLIGATION", "view:S01-01.1/3", "publish_release", balances={})


def test_a_release_must_tie_to_the_last_closing(desk: Desk) -> None:
    _publish_all(desk)
    balances = dict(desk.content("CLS:3")["closing"])
    desk.refused("BALANCES_DO_NOT_TIE", "E02", "publish_release", balances={**balances, "E02": 1})
    desk.refused("BALANCES_DO_NOT_TIE", "E01", "publish_release", balances={})
    desk.refused("UNKNOWN_ID", "E20", "publish_release", balances={"E20": 1})
    assert desk.call("publish_release", balances=balances)["artifact"] == "REL:release@1"
    assert desk.world.ledger.event("released", "release") is not None


@pytest.fixture
def noticed() -> Desk:
    """Return a clerk whose second closing brought a notice."""
    desk = Desk(OVERLAY)
    desk.stage(1)
    desk.stage(2)
    return desk


def test_a_restatement_is_discharged_with_current_aggregates(noticed: Desk) -> None:
    noticed.work("S02-01")
    evidence = [["AGG:S02-01@2", [["E05", -1], ["E01", 1]]]]
    made = noticed.call("discharge_obligation", obligation_id="restate:N-01", evidence=evidence)
    assert (made["obligation"], made["status"]) == ("restate:N-01", "discharged")
    duty = noticed.obligation("restate:N-01")
    assert duty is not None
    assert duty.evidence == [["AGG:S02-01@2", [["E01", 1], ["E05", -1]]]]
    notice = noticed.world.ledger.notice("N-01")
    assert notice is not None
    assert notice.resolved


def test_equal_evidence_changes_nothing_and_other_evidence_replaces_it(noticed: Desk) -> None:
    noticed.call("discharge_obligation", obligation_id="restate:N-01", evidence=[])
    before = noticed.world.digest()
    noticed.call("discharge_obligation", obligation_id="restate:N-01", evidence=[])
    assert noticed.world.digest() == before
    other: list[Any] = [["AGG:S01-01@1", []]]
    noticed.call("discharge_obligation", obligation_id="restate:N-01", evidence=other)
    duty = noticed.obligation("restate:N-01")
    assert duty is not None
    assert duty.evidence == other


@pytest.mark.parametrize("ref", ["AGG:S02-01@1", "AGG:S01-01@7", "NRM:S01-01@1", "nonsense"])
def test_restatement_evidence_must_be_current_aggregates(noticed: Desk, ref: str) -> None:
    noticed.refused("EVIDENCE_INVALID", ref, "discharge_obligation", obligation_id="restate:N-01", evidence=[[ref, []]])


def test_unknown_obligations_and_entities_are_named(noticed: Desk) -> None:
    noticed.refused("UNKNOWN_ID", "restate:N-02", "discharge_obligation", obligation_id="restate:N-02", evidence=[])
    rows = [["AGG:S01-01@1", [["E21", 1]]]]
    noticed.refused("UNKNOWN_ID", "E21", "discharge_obligation", obligation_id="restate:N-01", evidence=rows)


def test_views_are_discharged_by_closing_only(noticed: Desk) -> None:
    name = "view:S01-01.1/3"
    noticed.refused("NOT_DISCHARGEABLE", name, "discharge_obligation", obligation_id=name, evidence=[])


def test_relief_is_not_granted_while_tickets_are_left(desk: Desk) -> None:
    desk.refused("RELIEF_NOT_NEEDED", "relief:revision", "request_relief", kind="revision")


def _spent(tickets: int = 0, reliefs: int = 1) -> Desk:
    desk = Desk(made=world(tickets=tickets, reliefs=reliefs))
    desk.stage(1)
    return desk


def test_relief_grants_three_tickets_once_and_must_be_attested() -> None:
    desk = _spent()
    made = desk.call("request_relief", kind="revision")
    assert (made["obligation"], made["status"], made["tickets_left"]) == ("attest:revision.1", "open", 3)
    assert desk.world.get(Allowance, "tickets") == Allowance("tickets", 3, 0)
    for n in range(3):
        desk.normalize("S01-01", records=[["O010101", "K01", "E01", n]])
    desk.refused("RELIEF_EXHAUSTED", "relief:revision", "request_relief", kind="revision")


def test_a_later_spending_opens_an_attestation_again() -> None:
    desk = _spent(reliefs=2)
    desk.call("request_relief", kind="revision")
    desk.call("discharge_obligation", obligation_id="attest:revision.1", evidence=[])
    desk.normalize("S01-01", records=[])
    duty = desk.obligation("attest:revision.1")
    assert duty is not None
    assert duty.status == "open"
    desk.call("discharge_obligation", obligation_id="attest:revision.1", evidence=[["NRM:S01-01@2", []]])


def test_a_second_relief_has_an_attestation_of_its_own() -> None:
    desk = _spent(reliefs=2)
    desk.call("request_relief", kind="revision")
    for n in range(3):
        desk.normalize("S01-01", records=[["O010101", "K01", "E01", n]])
    desk.call("discharge_obligation", obligation_id="attest:revision.1", evidence=[])
    assert desk.call("request_relief", kind="revision")["obligation"] == "attest:revision.2"
    desk.normalize("S01-01", records=[])
    first, second = (desk.obligation(f"attest:revision.{n}") for n in (1, 2))
    assert first is not None
    assert second is not None
    assert (first.status, second.status) == ("discharged", "open")


def test_attestations_name_versions_that_exist() -> None:
    desk = _spent()
    desk.call("request_relief", kind="revision")
    rows: list[Any] = [["NRM:S01-01@9", []]]
    desk.refused(
        "EVIDENCE_INVALID", "NRM:S01-01@9", "discharge_obligation", obligation_id="attest:revision.1", evidence=rows
    )


@pytest.mark.parametrize("arguments", [{}, {"stage": 2}, {"stage": 8}])
def test_relief_of_reviews_names_a_closed_stage(arguments: dict[str, int]) -> None:
    desk = Desk(made=world(reviews=0))
    desk.stage(1)
    desk.refused("RELIEF_NOT_NEEDED", "relief:review", "request_relief", kind="review", **arguments)


def test_relief_of_reviews_is_not_granted_while_somebody_may_review(desk: Desk) -> None:
    desk.refused("RELIEF_NOT_NEEDED", "CLS:1", "request_relief", kind="review", stage=1)


def test_relief_of_reviews_grants_each_of_the_staff_one() -> None:
    desk = Desk(made=world(reviews=0))
    desk.stage(1)
    desk.call("request_relief", kind="review", stage=1)
    assert [(s.granted, s.left) for s in desk.world.select(Staff)] == [(1, 1)] * 3
    desk.call("discharge_obligation", obligation_id="attest:review.1", evidence=[])
    desk.review(1, "ST-2")
    duty = desk.obligation("attest:review.1")
    assert duty is not None
    assert duty.status == "open"
    desk.close(1, preparer="ST-2")
    for who, count in (("ST-3", 1), ("ST-1", 1)):
        assert desk.world.get(Staff, who) == Staff(who, 1, count)


def test_reliefs_of_reviews_are_limited() -> None:
    desk = Desk(made=world(reviews=0, reliefs=0))
    desk.stage(1)
    desk.refused("RELIEF_EXHAUSTED", "relief:review", "request_relief", kind="review", stage=1)


def test_a_notice_after_the_release_ends_it() -> None:
    late = REASSIGNED.__class__(
        id="N-01",
        trigger=REASSIGNED.trigger.__class__("released", 1),
        stage=3,
        decoy=False,
        value=REASSIGNED.value,
    )
    desk = Desk(late)
    desk.stage(1)
    desk.stage(2)
    desk.stage(3, views=[desk.view()])
    _publish_all(desk)
    made = desk.call("publish_release", balances=desk.content("CLS:3")["closing"])
    assert made["notices"][0]["obligation"] == "restate:N-01"
    assert desk.world.ledger.current("REL:release") is None
    assert desk.call("get_release_status")["release"] is None
