"""Normalizing, matching and aggregating a source."""

from __future__ import annotations

from typing import Any

import pytest
from financeops_desk import AMENDED, OVERLAY, REASSIGNED, SUPERSEDED, Desk, world

from skillhorizon_financeops.rows import AccountValue, Citations, Receivable, Settlement, Spending


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_a_normalization_is_made_and_takes_six_minutes(desk: Desk) -> None:
    assert desk.normalize("S01-01") == {"artifact": "NRM:S01-01@1", "clock": 6, "tickets_left": 4}
    assert desk.content("NRM:S01-01") == {
        "contract_id": "FB-1",
        "identity_source_id": "ID-1",
        "identity_map_id": "MP-1.0",
        "conflict_policy": "latest_revision",
        "records": [["O010101", "K01", "E01", 10_000], ["O010102", "K02", "E02", 22_000]],
    }


def test_each_alias_used_leaves_a_citation_apart_from_the_content(desk: Desk) -> None:
    desk.stage(1)
    desk.normalize("S02-01")
    cited = desk.world.get(Citations, "S02-01", 1)
    assert cited is not None
    assert cited.entries == [["K01", "MP-1.0", "AC-01", 0, "E01"], ["K02", "MP-1.1", "AC-03", 1, "E05"]]


def test_a_submitted_map_of_lower_rank_hides_its_overlay(desk: Desk) -> None:
    desk.stage(1)
    desk.normalize("S02-01", identity_map_id="MP-1.0")
    cited = desk.world.get(Citations, "S02-01", 1)
    assert cited is not None
    assert cited.entries[1] == ["K02", "MP-1.0", "AC-02", 0, "E02"]


def test_tokens_hold_what_governs_not_what_was_submitted(desk: Desk) -> None:
    desk.stage(1)
    desk.normalize("S02-01", identity_map_id="MP-1.0", contract_id="FB-1")
    made = desk.world.ledger.current("NRM:S02-01")
    assert made is not None
    cites = {cite.ref: cite.token for cite in desk.world.ledger.cites(made)}
    assert cites["contract:FB/200"] == "FB-2"
    assert cites["alias:ID-1/K02/200"] == "MP-1.1"
    assert cites["account:AC-02/200"] == "0"
    assert set(cites) == {
        "contract:FB/200",
        "rows:S02-01",
        "alias:ID-1/K01/200",
        "alias:ID-1/K02/200",
        "account:AC-01/200",
        "account:AC-02/200",
    }


UNKNOWN = [
    ({"source_id": "S00-00"}, "S00-00"),
    ({"contract_id": "FB-9"}, "FB-9"),
    ({"identity_source_id": "ID-9"}, "ID-9"),
    ({"identity_map_id": "MP-9.9"}, "MP-9.9"),
    ({"records": [["O010101", "K01", "E99", 1]]}, "E99"),
]


@pytest.mark.parametrize(("change", "culprit"), UNKNOWN)
def test_unknown_ids_of_a_normalization_are_named(desk: Desk, change: dict[str, Any], culprit: str) -> None:
    desk.refused("UNKNOWN_ID", culprit, "submit_normalization", **{**desk.package("S01-01"), **change})


WRONG = [
    ("CONTRACT_FORMAT", "FA-1", {"contract_id": "FA-1"}),
    ("MAP_SOURCE", "MP-2.0", {"identity_map_id": "MP-2.0"}),
    ("ORDER_UNKNOWN", "O999999", {"records": [["O010101", "K01", "E01", 1], ["O999999", "K01", "E01", 1]]}),
    ("ORDER_DUPLICATE", "O010101", {"records": [["O010101", "K01", "E01", 1], ["O010101", "K01", "E01", 2]]}),
    ("ALIAS_NOT_ON_ORDER", "O010101", {"records": [["O010101", "K02", "E01", 1]]}),
]


@pytest.mark.parametrize(("code", "culprit", "change"), WRONG)
def test_wrong_normalizations_are_refused(desk: Desk, code: str, culprit: str, change: dict[str, Any]) -> None:
    desk.refused(code, culprit, "submit_normalization", **{**desk.package("S01-01"), **change})


def test_an_alias_that_no_usable_map_holds_is_refused(desk: Desk) -> None:
    desk.world.sql("UPDATE identity_map SET entries = '{}' WHERE map_id = 'MP-2.0'")
    package = desk.package("S01-01") | {"identity_source_id": "ID-2", "identity_map_id": "MP-2.0"}
    desk.refused("ALIAS_UNRESOLVABLE", "K01", "submit_normalization", **package)


def test_an_alias_whose_account_has_no_value_that_day_is_refused(desk: Desk) -> None:
    package = desk.package("S01-01")
    desk.world.sql("UPDATE account_value SET from_day = 500 WHERE account = 'AC-02'")
    desk.refused("ALIAS_UNRESOLVABLE", "K02", "submit_normalization", **package)


def test_preconditions_are_judged_in_their_order(desk: Desk) -> None:
    faulty = desk.package("S01-01", contract_id="FA-1", identity_map_id="MP-2.0", records=[["O1", "K9", "E01", 1]])
    desk.refused("CONTRACT_FORMAT", "FA-1", "submit_normalization", **faulty)
    desk.refused("MAP_SOURCE", "MP-2.0", "submit_normalization", **{**faulty, "contract_id": "FB-1"})


def test_another_identity_source_and_wrong_amounts_are_accepted(desk: Desk) -> None:
    records = [["O010101", "K01", "E07", -5]]
    made = desk.normalize("S01-01", identity_source_id="ID-2", identity_map_id="MP-2.0", records=records)
    assert made["artifact"] == "NRM:S01-01@1"


def test_each_version_from_the_second_on_costs_a_ticket(desk: Desk) -> None:
    package = desk.package("S01-01")
    desk.call("submit_normalization", **package)
    changed = {**package, "records": package["records"][:1]}
    assert desk.call("submit_normalization", **changed)["tickets_left"] == 3
    assert desk.world.select(Spending) == [Spending("revision", "", 1, "NRM:S01-01@2")]


def test_an_equal_submission_returns_the_version_and_spends_nothing(desk: Desk) -> None:
    desk.normalize("S01-01")
    before = desk.world.digest()
    package = desk.package("S01-01")
    package["records"].reverse()
    again = desk.call("submit_normalization", **package)
    assert again == {"artifact": "NRM:S01-01@1", "clock": 6, "tickets_left": 4}
    assert desk.world.digest() == before


def test_without_tickets_there_is_no_second_version() -> None:
    desk = Desk(made=world(tickets=0))
    package = desk.package("S01-01")
    desk.call("submit_normalization", **package)
    changed = {**package, "records": package["records"][:1]}
    desk.refused("NO_TICKETS", "NRM:S01-01@2", "submit_normalization", **changed)
    desk.call("submit_normalization", **package)


def test_sales_become_items_of_their_lockbox_and_refunds_do_not(desk: Desk) -> None:
    desk.normalize("S01-01", records=[["O010101", "K01", "E01", -7], ["O010102", "K02", "E02", 9]])
    assert [(r.item, r.amount, r.day, r.due) for r in desk.world.select(Receivable, lockbox="LB-01", stage=1)] == [
        ("O010102", 9, 100, 250)
    ]
    desk.normalize("S01-01")
    assert [r.amount for r in desk.world.select(Receivable, lockbox="LB-01", stage=1)] == [10_000, 22_000]


@pytest.fixture
def cash(desk: Desk) -> Desk:
    """Return a clerk whose first remittance is normalized."""
    desk.normalize("S01-02")
    return desk


def test_a_match_follows_the_rules_and_takes_eight_minutes(cash: Desk) -> None:
    right = cash.matched("S01-02")
    assert right["lines"] == [["Q010201", "A0001", 4_950, 50, 0], ["Q010202", "A0002", 1_000, 0, 0]]
    assert cash.call("submit_match", **right) == {"artifact": "MAT:S01-02@1", "clock": 14, "tickets_left": 4}
    assert [(s.item, s.amount) for s in cash.world.select(Settlement)] == [("A0001", 5_000), ("A0002", 1_000)]


def test_a_match_cites_its_normalization_and_the_lists_of_its_entities(cash: Desk) -> None:
    cash.match("S01-02")
    made = cash.world.ledger.current("MAT:S01-02")
    assert made is not None
    assert [(c.role, c.ref) for c in cash.world.ledger.cites(made)] == [
        ("normalization", "NRM:S01-02"),
        ("open", "open:LB-01/1/E01"),
        ("open", "open:LB-01/1/E02"),
    ]


MATCHES: list[tuple[str, str, list[list[Any]], list[list[Any]]]] = [
    ("ORDER_UNKNOWN", "Q1", [["Q1", "A0001", 1, 0, 0]], []),
    ("ORDER_UNKNOWN", "Q2", [], [["Q2", "E01", 1]]),
    ("ITEM_NOT_OPEN", "A0009", [["Q010201", "A0009", 1, 0, 0]], []),
    ("NOT_CONSERVED", "Q010201", [["Q010201", "A0001", 4_949, 0, 0]], [["Q010202", "E02", 1_000]]),
    ("NOT_CONSERVED", "Q010202", [["Q010201", "A0001", 4_950, 0, 0]], [["Q010202", "E02", 1_001]]),
    ("OVER_APPLIED", "A0001", [["Q010201", "A0001", 4_950, 51, 0]], [["Q010202", "E02", 1_000]]),
    (
        "OVER_APPLIED",
        "A0002",
        [["Q010201", "A0002", 2_950, 0, 51]],
        [["Q010201", "E01", 2_000], ["Q010202", "E02", 1_000]],
    ),
]


@pytest.mark.parametrize(("code", "culprit", "lines", "on_account"), MATCHES)
def test_wrong_matches_are_refused(
    cash: Desk, code: str, culprit: str, lines: list[list[Any]], on_account: list[list[Any]]
) -> None:
    cash.refused(code, culprit, "submit_match", source_id="S01-02", lines=lines, on_account=on_account)


def test_only_remittances_are_matched(desk: Desk) -> None:
    desk.normalize("S01-01")
    desk.refused("NOT_REMITTANCE", "S01-01", "submit_match", source_id="S01-01", lines=[], on_account=[])


def test_a_match_needs_a_current_normalization(desk: Desk) -> None:
    seen = desk.observe("submit_match", source_id="S01-02", lines=[], on_account=[])
    assert seen.data["error"]["code"] == "INPUT_NOT_CURRENT"


def test_a_match_names_unknown_sources_and_entities(cash: Desk) -> None:
    cash.refused("UNKNOWN_ID", "S77-02", "submit_match", source_id="S77-02", lines=[], on_account=[])
    rows = [["Q010201", "E77", 1]]
    cash.refused("UNKNOWN_ID", "E77", "submit_match", source_id="S01-02", lines=[], on_account=rows)


def test_negative_amounts_of_a_match_are_malformed(cash: Desk) -> None:
    line = ["Q010201", "A0001", -1, 0, 0]
    assert cash.observe("submit_match", source_id="S01-02", lines=[line], on_account=[]).outcome == "malformed"


def test_totals_tie_to_records_or_match(cash: Desk) -> None:
    cash.normalize("S01-01")
    cash.match("S01-02")
    assert cash.aggregate("S01-01")["artifact"] == "AGG:S01-01@1"
    assert cash.content("AGG:S01-01") == {"totals": [["E01", 1, 10_000], ["E02", 1, 22_000]]}
    cash.aggregate("S01-02")
    assert cash.content("AGG:S01-02") == {"totals": [["E01", 1, -5_000], ["E02", 1, -1_000]]}


@pytest.mark.parametrize(
    ("totals", "culprit"),
    [
        ([["E01", 1, 10_001], ["E02", 1, 22_000]], "E01"),
        ([["E01", 1, 10_000]], "E02"),
        ([["E01", 1, 10_000], ["E02", 2, 22_000]], "E02"),
        ([["E01", 1, 10_000], ["E02", 1, 22_000], ["E03", 0, 0]], "E03"),
        ([["E01", 1, 10_000], ["E01", 1, 10_000], ["E02", 1, 22_000]], "E01"),
    ],
)
def test_totals_that_do_not_tie_are_refused(desk: Desk, totals: list[list[Any]], culprit: str) -> None:
    desk.normalize("S01-01")
    desk.refused("TOTALS_DO_NOT_TIE", culprit, "submit_aggregate", source_id="S01-01", totals=totals)


def test_totals_name_unknown_entities(desk: Desk) -> None:
    desk.refused("UNKNOWN_ID", "E44", "submit_aggregate", source_id="S01-01", totals=[["E44", 1, 1]])


@pytest.mark.parametrize("source_id", ["S01-01", "S01-02"])
def test_totals_need_a_current_input(desk: Desk, source_id: str) -> None:
    desk.normalize("S01-02")
    seen = desk.observe("submit_aggregate", source_id=source_id, totals=[])
    assert seen.data["error"]["code"] == "INPUT_NOT_CURRENT"


def test_another_version_of_a_sale_ends_matches_whose_list_it_changes(desk: Desk) -> None:
    desk.stage(1)
    desk.stage(2)
    records = desk.content("NRM:S01-01")["records"]
    changed = [[order, alias, entity, minor + 1] for order, alias, entity, minor in records[:1]] + records[1:]
    desk.normalize("S01-01", records=changed)
    ended = desk.world.ledger.last("MAT:S02-02")
    assert ended is not None
    assert ended.ended_as == "stale"
    assert desk.world.ledger.current("MAT:S01-02") is not None
    assert not desk.world.ledger.inconsistent()


def test_a_change_of_another_entitys_items_leaves_a_match_alone(desk: Desk) -> None:
    desk.stage(1)
    desk.stage(2)
    records = [["O010103", "K01", "E09", 5], *desk.content("NRM:S01-01")["records"]]
    desk.normalize("S01-01", records=records)
    assert desk.world.ledger.current("MAT:S02-02") is not None


def test_another_match_changes_what_later_stages_find_open(desk: Desk) -> None:
    desk.stage(1)
    desk.stage(2)
    on_account = [["Q010201", "E01", 4_950], ["Q010202", "E02", 1_000]]
    desk.call("submit_match", source_id="S01-02", lines=[], on_account=on_account)
    assert [(i.item, i.open) for i in desk.open_items(2)][:2] == [("A0001", 5_000), ("A0002", 3_000)]
    assert desk.world.ledger.current("MAT:S02-02") is None
    assert not desk.world.ledger.inconsistent()
    desk.match("S01-02")
    desk.match("S02-02")
    assert desk.open_items(2)[0].item == "A0002"


@pytest.mark.parametrize(
    ("update", "ended"),
    [(OVERLAY, "S02-01"), (REASSIGNED, "S02-01"), (SUPERSEDED, "S01-01"), (AMENDED, "S01-01")],
    ids=lambda value: getattr(value, "kind", value),
)
def test_an_update_ends_exactly_the_packages_that_cite_what_it_changed(update: Any, ended: str) -> None:
    desk = Desk(update)
    desk.stage(1)
    seen = desk.stage(2)
    assert [notice["id"] for notice in seen["notices"]] == ["N-01"]
    gone = [
        source for source in ("S01-01", "S01-02", "S02-01", "S02-02") if not desk.world.ledger.current(f"NRM:{source}")
    ]
    assert gone == [ended]
    assert not desk.world.ledger.inconsistent()
    desk.normalize(ended)
    assert not desk.world.ledger.inconsistent()


def test_a_wrong_choice_ends_like_a_right_one() -> None:
    desk = Desk(REASSIGNED)
    desk.stage(1)
    for source in ("S02-01", "S02-02"):
        desk.work(source)
    desk.world.insert(AccountValue("AC-02", 1, 900, 901, "E09"))
    desk.normalize("S02-01", contract_id="FB-1")
    desk.aggregate("S02-01")
    desk.close(2)
    assert desk.world.ledger.current("NRM:S02-01") is None
