"""Skills and handbook: valid, usable as programs, and in agreement with the rules."""

from __future__ import annotations

import re
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon.skills.scripts import ScriptFailed
from skillhorizon.testing import Skillbook
from skillhorizon_financeops import rules

BOOK = Skillbook("skillhorizon_financeops")
run = BOOK.run

CODES = {"10": "sale", "20": "correction", "70": "metadata", "90": "withdrawn"}
COLUMNS = ["order", "rev", "code", "party", "amt"]
TERMS = {"day": 395, "disc_bps": 200, "disc_days": 120, "tol": 50}
CONTRACT = {"num": 1, "den": 10, "sign": 1, "basis": "gross", "tax_bps": 825, "codes": CODES}
SOURCE = {"policy": "first", "columns": COLUMNS, "rows": [["Oa", 1, "10", "K01", 100]], "map": {"K01": "E01"}}
CHOICE = {"contract_id": "CT-B", "identity_source_id": "ID-2", "policy": "first"}
CITED = {"citations": [["K01", "MP-2.0", "AC-01", 0, "E01"]]}
RECORD = ["Oa", "K01", "E01", 9]

EXAMPLES: dict[str, dict[str, Any]] = {
    "pick.py": {"day": 5, "candidates": [{"contract_id": "CT-A", "from": 0, "to": 9, "rank": 0}]},
    "resolve.py": {
        "day": 5,
        "aliases": ["K01"],
        "maps": [{"map_id": "MP-2.0", "from": 0, "to": 9, "rank": 0, "entries": {"K01": "AC-01"}}],
        "accounts": [{"account": "AC-01", "rank": 0, "from": 0, "to": 9, "entity": "E01"}],
    },
    "normalize.py": {**SOURCE, "contract": CONTRACT},
    "match.py": {**TERMS, "receipts": [["Qa", "E01", 5, ""]], "items": [["Oa", "E01", 9, 9, 1, 2]]},
    "aggregate.py": {"records": [RECORD]},
    "roll.py": {"opening": {"E01": 1}, "totals": [["E01", 1, 9]]},
    "basis.py": {"basis_stage": 1, "links": [[1, 1, "", "AGG:S01-01@1"]]},
    "impact.py": {"notice": {"kind": "source_amended", "sources": []}, "packages": [{"source_id": "S01-01"}]},
    "order.py": {"affected": ["a"], "edges": [["a", "b"]]},
    "check.py": {"package": {**CHOICE, **CITED, "records": [RECORD]}, "reference": {**CHOICE, **CITED}},
    "evidence.py": {"sources": [["AGG:S01-01@2", [["E01", 1, 9]], [["E01", 1, 4]]]]},
}
BROKEN: dict[str, dict[str, Any]] = {
    "pick.py": {"day": "5", "candidates": []},
    "resolve.py": {**EXAMPLES["resolve.py"], "day": 99},
    "normalize.py": {**SOURCE, "contract": CONTRACT, "map": {}},
    "match.py": {**TERMS, "receipts": [["Qa", "E01", -5, ""]], "items": []},
    "aggregate.py": {"records": [RECORD, RECORD]},
    "roll.py": {"opening": {}, "totals": [["E01", 1, 9]]},
    "basis.py": {"basis_stage": 2, "links": []},
    "impact.py": {"notice": {"kind": "rumour"}, "packages": []},
    "order.py": {"affected": ["a"], "edges": [["a", "b"], ["b", "a"]]},
    "check.py": {"package": {**CHOICE, "citations": [], "records": [RECORD]}, "reference": {**CHOICE, **CITED}},
    "evidence.py": {"sources": [["AGG:S01-01@2", [["E01", True, 9]], []]]},
}


@attrs.frozen
class Contract:
    """What the rules need of a contract."""

    num: int = 1
    den: int = 1
    sign: int = 1
    basis: str = "net"
    tax_bps: int = 0
    disc_bps: int = 0
    disc_days: int = 0
    tol: int = 0
    rank: int = 0
    from_day: int = 0
    to_day: int = 0


def test_every_skill_is_valid() -> None:
    assert len(BOOK.library.skills) == 12
    assert BOOK.lacking() == []


def test_every_skill_but_publication_has_one_script_of_its_own_name() -> None:
    scripts = [script for skill in BOOK.library.skills.values() for script in skill.scripts]
    assert sorted(scripts) == sorted(EXAMPLES)
    assert not BOOK.library.skills["publish-release"].scripts


def test_a_script_answers_the_same_as_a_program() -> None:
    assert BOOK.differing(EXAMPLES) == []


def test_a_script_refuses_bad_input_in_one_clear_sentence() -> None:
    assert BOOK.unclear(BROKEN.items()) == []


def test_a_script_refuses_a_missing_field_and_one_of_another_type_by_its_name() -> None:
    assert BOOK.unchecked(EXAMPLES) == []


def test_no_skill_holds_order_ids_of_a_task() -> None:
    for skill in BOOK.library.skills.values():
        for text in (skill.body, *(skill.read(path) for path in skill.files)):
            assert not re.search(r"\b[OQ]\d{6}\b", text), skill.name


TOPICS = (
    "aggregates allowances amounts artifacts closing governing identity matching release review selection stages "
    "updates views"
)
REJECTIONS = (
    "UNKNOWN_ID NOT_RELEASED CONTRACT_FORMAT MAP_SOURCE ORDER_UNKNOWN ORDER_DUPLICATE ALIAS_NOT_ON_ORDER "
    "ALIAS_UNRESOLVABLE NO_TICKETS NOT_REMITTANCE INPUT_NOT_CURRENT ITEM_NOT_OPEN NOT_CONSERVED OVER_APPLIED "
    "TOTALS_DO_NOT_TIE WRONG_AGGREGATE BASIS_NOT_CLOSED STAGE_NOT_OPEN PRECEDING_NOT_CURRENT OUTPUT_NOT_CURRENT "
    "VIEW_MISSING VIEW_NOT_DUE CLOSURE_DOES_NOT_TIE CLOSURE_NOT_CURRENT DUTY_CONFLICT NO_CAPACITY REVIEW_NOT_PASSED "
    "PREVIOUS_UNPUBLISHED STAGE_UNPUBLISHED OPEN_OBLIGATION BALANCES_DO_NOT_TIE NOT_DISCHARGEABLE EVIDENCE_INVALID "
    "RELIEF_NOT_NEEDED RELIEF_EXHAUSTED"
)


def test_the_handbook_has_every_topic_rule_and_rejection_code() -> None:
    assert sorted(BOOK.handbook) == TOPICS.split()
    assert BOOK.missing(REJECTIONS, rules=13) == []


def test_a_topic_fits_one_observation() -> None:
    assert max(len(text.encode()) for text in BOOK.handbook.values()) < 5_000


amounts = st.integers(-250_000, 250_000)
rows = st.lists(
    st.tuples(st.sampled_from(["Oa", "Ob", "Oc"]), st.integers(1, 4), st.sampled_from(sorted(CODES)), amounts),
    min_size=1,
    max_size=9,
)
contracts: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    num=st.sampled_from([1, 10, 10873]),
    den=st.sampled_from([1, 10, 10000]),
    sign=st.sampled_from([1, -1]),
    basis=st.sampled_from(["net", "gross"]),
    tax_bps=st.integers(0, 2500),
)


@given(rows, contracts, st.sampled_from(["first", "latest_revision"]))
def test_normalize_agrees_with_the_rules(drawn: list[tuple[str, int, str, int]], terms: Any, policy: str) -> None:
    cells: list[list[Any]] = [
        [order, rev, code, f"K{at:02}", amt] for at, (order, rev, code, amt) in enumerate(drawn, start=1)
    ]
    entities = {f"K{at:02}": f"E{at:02}" for at in range(1, len(cells) + 1)}
    orders, revisions, codes, aliases, amounts = zip(*cells, strict=True)
    contract = Contract(**terms)
    chosen = rules.selected(policy, orders, revisions, [CODES[code] for code in codes])
    expected = rules.records(chosen, aliases, amounts, contract, entities)
    data = {"policy": policy, "contract": {**terms, "codes": CODES}, "columns": COLUMNS, "rows": cells, "map": entities}
    found = run("normalize.py", data)
    assert found["records"] == [list(each) for each in expected]
    assert sorted(found["excluded"]) == sorted({row[0] for row in cells} - {each[0] for each in expected})


entities = st.sampled_from(["E01", "E02"])
items = st.lists(st.tuples(entities, st.integers(1, 3000), st.integers(1, 3000), st.integers(200, 390)), max_size=6)
receipts = st.lists(st.tuples(entities, st.integers(0, 5000), st.sampled_from(["", "O1", "O2", "O9"])), max_size=5)


@given(items, receipts, st.integers(0, 400), st.integers(0, 200), st.integers(0, 90))
def test_match_agrees_with_the_rules(drawn: Any, paid: Any, bps: int, days: int, tol: int) -> None:
    listed = [[f"O{n}", e, max(a, o), o, day, day + 150] for n, (e, a, o, day) in enumerate(drawn)]
    taken = [[f"Q{n}", e, cash, ref] for n, (e, cash, ref) in enumerate(paid)]
    terms = Contract(disc_bps=bps, disc_days=days, tol=tol)
    expected = rules.match([rules.Receipt(*r) for r in taken], [rules.OpenItem(*i) for i in listed], terms, 395)
    data = {"day": 395, "disc_bps": bps, "disc_days": days, "tol": tol, "receipts": taken[::-1], "items": listed[::-1]}
    found = run("match.py", data)
    assert found["lines"] == [list(line) for line in expected.lines]
    assert found["on_account"] == [list(rest) for rest in expected.on_account]


@given(items, receipts)
def test_aggregate_ties_a_match_as_the_rules_do(drawn: Any, paid: Any) -> None:
    listed = [[f"O{n}", e, max(a, o), o, day, day + 150] for n, (e, a, o, day) in enumerate(drawn)]
    taken = [[f"Q{n}", e, cash, ref] for n, (e, cash, ref) in enumerate(paid)]
    made = run("match.py", {**TERMS, "receipts": taken, "items": listed})
    settled = [(line[0], sum(line[2:])) for line in made["lines"]] + [(r[0], r[2]) for r in made["on_account"]]
    owners = {pay: entity for pay, entity, _, _ in taken}
    expected = [list(total) for total in rules.match_totals(settled, owners)]
    assert run("aggregate.py", {**made, "entities": owners})["totals"] == expected


@given(st.lists(st.tuples(st.sampled_from(rules.ENTITIES), amounts), max_size=12))
def test_sales_totals_and_the_roll_forward_agree_with_the_rules(posted: list[tuple[str, int]]) -> None:
    records = [[f"O{n}", "K01", entity, minor] for n, (entity, minor) in enumerate(posted)]
    totals = run("aggregate.py", {"records": records})["totals"]
    expected = rules.record_totals(posted)
    assert totals == [list(each) for each in expected]
    opening = {entity: n * 100 for n, entity in enumerate(rules.ENTITIES)}
    movement, closing = rules.roll(opening, expected)
    assert run("roll.py", {"opening": opening, "totals": totals}) == {"movement": movement, "closing": closing}


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=6), st.integers(0, 60))
def test_the_governing_contract_is_the_rules_one(ranges: list[tuple[int, int]], day: int) -> None:
    kept = [Contract(rank=rank, from_day=first, to_day=last) for rank, (first, last) in enumerate(ranges)]
    candidates = [{"contract_id": f"CT-{c.rank}", "from": c.from_day, "to": c.to_day, "rank": c.rank} for c in kept]
    expected = rules.governing(kept, day)
    if expected is None:
        with pytest.raises(ScriptFailed, match="no candidate covers"):
            run("pick.py", {"day": day, "candidates": candidates})
    else:
        assert run("pick.py", {"day": day, "candidates": candidates}) == {"contract_id": f"CT-{expected.rank}"}


def test_a_tax_that_leaves_no_divisor_is_refused() -> None:
    untaxed = {**CONTRACT, "basis": "gross", "tax_bps": -10_000}
    with pytest.raises(ScriptFailed, match="divisor must be positive, not 0"):
        run("normalize.py", {**EXAMPLES["normalize.py"], "contract": untaxed})


@pytest.mark.parametrize(
    ("cell", "name", "kind"), [(0, "order", "str"), (1, "rev", "int"), (2, "code", "str"), (4, "amt", "int")]
)
def test_normalize_names_the_row_whose_cell_is_of_another_type(cell: int, name: str, kind: str) -> None:
    whole = ["Oa", 1, "10", "K01", 100]
    broken = [*whole[:cell], None, *whole[cell + 1 :]]
    with pytest.raises(ScriptFailed, match=rf"row \[.*None.*\] needs a cell '{name}' of type {kind}"):
        run("normalize.py", {**EXAMPLES["normalize.py"], "rows": [whole, broken]})


def test_normalize_asks_for_the_columns_that_it_needs() -> None:
    rows = [["Oa", 1, "10", "K01"]]
    with pytest.raises(ScriptFailed, match="needs a cell 'amt' of type int"):
        run("normalize.py", {**EXAMPLES["normalize.py"], "columns": COLUMNS[:4], "rows": rows})
