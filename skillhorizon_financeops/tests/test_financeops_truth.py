"""Truth, worked examples and the tools' rules agree; truth shares no code with them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon import After
from skillhorizon_financeops import rules
from skillhorizon_financeops.plan import ContractSuperseded
from skillhorizon_financeops.rows import AccountValue, Contract, IdentityMap, OpeningItem, Source, SourceRow
from skillhorizon_financeops.truth import Book, OpenItem, Replay, match_receipts, read_package, scaled, select
from skillhorizon_financeops.truth.packages import totals_of

CODES = {"10": "sale", "20": "correction", "70": "metadata", "90": "withdrawn"}
EXAMPLE = [
    ("K07", 123450, "O3071", "10", 1),
    ("K07", 118000, "O3071", "20", 2),
    ("K02", 99999, "O3071", "70", 3),
    ("K02", 45005, "O3072", "10", 1),
    ("K02", 0, "O3072", "90", 2),
    ("K04", -20015, "O3073", "10", 1),
]
GROSS = Contract("CT-FB.0", "FB", 0, 9999, 0, 1, 10, 1, "gross", 825, CODES, None, None, None)
TERMS = Contract("CT-FR.0", "FR", 0, 9999, 0, 1, 1, 1, "net", 0, CODES, 200, 120, 50)

contracts = st.builds(
    Contract,
    contract_id=st.just("C"),
    format=st.just("FB"),
    from_day=st.just(0),
    to_day=st.just(9999),
    rank=st.just(0),
    num=st.integers(1, 14_000),
    den=st.sampled_from([1, 10, 100, 10_000]),
    sign=st.sampled_from([1, -1]),
    basis=st.sampled_from(["net", "gross"]),
    tax_bps=st.integers(0, 2_500),
    codes=st.just(CODES),
    disc_bps=st.integers(0, 500),
    disc_days=st.integers(0, 150),
    tol=st.integers(0, 100),
)


@st.composite
def feeds(draw: st.DrawFn) -> list[tuple[str, int, str, str, int]]:
    """Rows of format FB whose revisions are unique per order."""
    drawn = draw(
        st.lists(
            st.tuples(
                st.sampled_from("ABC"),
                st.integers(-250_000, 250_000),
                st.sampled_from(["O1", "O2", "O3"]),
                st.sampled_from(sorted(CODES)),
            ),
            max_size=14,
        )
    )
    ranks = draw(st.permutations(range(1, len(drawn) + 1)))
    return [(*row, rev) for row, rev in zip(drawn, ranks, strict=True)]


def source_rows(cells: list[Any]) -> tuple[SourceRow, ...]:
    return tuple(SourceRow("S03-07", pos, 1, row) for pos, row in enumerate(cells, start=1))


def source(policy: str = "latest_revision", day: int = 317) -> Source:
    return Source("S03-07", 3, "sales", "FB", day, "ID-2", policy, None, 1)


def example_book() -> Book:
    maps = [
        IdentityMap("MP-2.0", "ID-2", 0, 9999, 0, {"K02": "AC-02", "K04": "AC-04", "K07": "AC-11"}),
        IdentityMap("MP-2.1", "ID-2", 310, 340, 1, {"K07": "AC-19"}),
    ]
    values = [AccountValue("AC-19", 0, 0, 9999, "E02"), AccountValue("AC-19", 1, 300, 399, "E05")]
    values += [AccountValue(account, 0, 0, 9999, "E01") for account in ("AC-02", "AC-04", "AC-11")]
    book = Book([GROSS], maps, values)
    book.rows["S03-07"] = source_rows(EXAMPLE)
    return book


def test_the_worked_example_of_selection_amounts_and_identity() -> None:
    package = read_package(example_book(), source())
    assert package.records == (("O3071", "K07", "E05", 10901), ("O3073", "K04", "E01", -1849))
    assert package.citations == (("K04", "MP-2.0", "AC-04", 0), ("K07", "MP-2.1", "AC-19", 1))


def test_the_worked_example_under_the_first_policy() -> None:
    amounts = [minor for _, _, _, minor in read_package(example_book(), source("first")).records]
    assert amounts == [11404, 4158, -1849]


def test_an_alias_that_no_map_holds_is_told_with_its_register_and_day() -> None:
    book = example_book()
    book.rows["S03-07"] = source_rows([*EXAMPLE, ("K99", 500, "O3074", "10", 1)])
    with pytest.raises(LookupError, match="no map of ID-2 holds K99 on day 317") as raised:
        read_package(book, source())
    assert raised.type is LookupError


def test_the_worked_example_of_matching() -> None:
    listed: dict[str, tuple[OpenItem, ...]] = {
        "E05": (
            (390, "O2014", 4000, 4000, 240),
            (400, "O2019", 2000, 2000, 250),
            (440, "O2011", 10000, 10000, 290),
        )
    }
    receipts = [("Q4071", "E05", 9800, "O2011"), ("Q4072", "E05", 5960, ""), ("Q4073", "E05", 700, "O2011")]
    lines, on_account = match_receipts(TERMS, 395, receipts, listed)
    assert lines == (
        ("Q4071", "O2011", 9800, 200, 0),
        ("Q4072", "O2014", 4000, 0, 0),
        ("Q4072", "O2019", 1960, 0, 40),
    )
    assert on_account == (("Q4073", "E05", 700),)


@given(feeds(), contracts, st.sampled_from(["first", "latest_revision"]))
def test_selection_and_amounts_agree_with_the_tools_rules(rows: list[Any], contract: Contract, policy: str) -> None:
    chosen = rules.selected(policy, [r[2] for r in rows], [r[4] for r in rows], [CODES[r[3]] for r in rows])
    expected = {order: (at + 1, rows[at][0], rows[at][1], "") for order, at in chosen.items()}
    found = select("FB", policy, CODES, source_rows(rows))
    assert found == expected
    for _, _, amount, _ in found.values():
        assert scaled(contract, amount) == rules.minor(amount, contract)


@given(
    st.lists(
        st.tuples(st.sampled_from(["E01", "E02"]), st.integers(1, 3_000), st.integers(1, 3_000), st.integers(0, 300)),
        max_size=8,
    ),
    st.lists(
        st.tuples(st.sampled_from(["E01", "E02"]), st.integers(1, 5_000), st.integers(-1, 9)),
        max_size=6,
    ),
    contracts,
    st.integers(0, 400),
)
def test_matching_agrees_with_the_tools_rules(items: list[Any], paid: list[Any], terms: Any, day: int) -> None:
    opened = [
        rules.OpenItem(f"O{n}", entity, max(amount, left), min(amount, left), at, at + 150)
        for n, (entity, amount, left, at) in enumerate(items)
    ]
    receipts = [(f"Q{n}", entity, cash, f"O{ref}" if ref >= 0 else "") for n, (entity, cash, ref) in enumerate(paid)]
    expected = rules.match([rules.Receipt(*receipt) for receipt in receipts], opened, terms, day)
    listed: dict[str, list[OpenItem]] = {}
    for each in opened:
        listed.setdefault(each.entity, []).append((each.due, each.item, each.amount, each.open, each.day))
    ordered = {entity: tuple(sorted(rows)) for entity, rows in listed.items()}
    lines, on_account = match_receipts(terms, day, receipts, ordered)
    assert (sorted(lines), sorted(on_account)) == (sorted(expected.lines), sorted(expected.on_account))


@given(st.lists(st.tuples(st.sampled_from(rules.ENTITIES), st.integers(-(10**6), 10**6)), max_size=30))
def test_totals_agree_with_the_tools_rules(amounts: list[tuple[str, int]]) -> None:
    assert [tuple(total) for total in totals_of(amounts)] == [tuple(total) for total in rules.record_totals(amounts)]


def test_a_fact_that_touches_nothing_opened_changes_nothing() -> None:
    replay = Replay(example_book(), [at_stage(1)], [])
    replay.open_stage()
    before = replay.truths["S03-07"]
    effect = replay.learn(superseding(400, 500))
    assert (effect.evidence, effect.moved) == ({}, ())
    assert replay.truths["S03-07"] is before


def test_a_governing_contract_changes_the_source_it_covers() -> None:
    replay = Replay(example_book(), [at_stage(1)], [])
    replay.open_stage()
    effect = replay.learn(superseding(300, 320))
    assert effect.moved == ("S03-07",)
    assert effect.evidence == {"S03-07": (("E01", 20015 * -10 + 1849), ("E05", 1180000 - 10901))}
    assert [known for known, _ in replay.history["S03-07"]] == [0, 1]


def at_stage(stage: int) -> Source:
    return Source("S03-07", stage, "sales", "FB", 317, "ID-2", "latest_revision", None, 1)


def superseding(first: int, last: int) -> ContractSuperseded:
    contract = Contract("CT-FB.1", "FB", first, last, 1, 10, 1, 1, "net", 0, CODES, None, None, None)
    return ContractSuperseded(id="N-01", trigger=After("stage_closed", 1), stage=1, decoy=False, contract=contract)


def test_open_items_are_carried_from_stage_to_stage() -> None:
    book = Book([TERMS, GROSS], [IdentityMap("MP-1.0", "ID-1", 0, 9999, 0, {"K01": "AC-01"})], [])
    book.values["AC-01"] = [AccountValue("AC-01", 0, 0, 9999, "E05")]
    sources = []
    for stage in (1, 2):
        sources.append(Source(f"S0{stage}-01", stage, "sales", "FB", 100 * stage, "ID-1", "first", "LB-01", 1))
        sources.append(Source(f"S0{stage}-02", stage, "remittance", "FR", 100 * stage + 2, "ID-1", "first", "LB-01", 1))
        book.rows[f"S0{stage}-01"] = (SourceRow(f"S0{stage}-01", 1, 1, ("K01", 10825, f"O0{stage}0101", "10", 1)),)
        pay = (f"Q0{stage}0201", 1, "10", "K01", 1500, "")
        book.rows[f"S0{stage}-02"] = (SourceRow(f"S0{stage}-02", 1, 1, pay),)
    replay = Replay(book, sources, [OpeningItem("O000101", "LB-01", "E05", 1200, 10, 160)])
    replay.open_stage()
    replay.open_stage()
    assert replay.truths["S01-02"].lines == (("Q010201", "O000101", 1200, 0, 0),)
    assert replay.truths["S01-02"].on_account == (("Q010201", "E05", 300),)
    assert replay.truths["S02-02"].lines == (("Q020201", "O010101", 1000, 0, 0),)
    assert replay.items("LB-01", 3) == {"E05": ((350, "O020101", 1000, 1000, 200),)}


@pytest.mark.parametrize(
    ("day", "paid", "given"),
    [
        (420, 9_800, (200, 0)),
        (420, 9_799, (0, 0)),
        (421, 9_800, (0, 0)),
        (421, 9_950, (0, 50)),
        (421, 9_949, (0, 0)),
        (420, 9_950, (50, 0)),
        (420, 10_000, (0, 0)),
    ],
)
@pytest.mark.parametrize("open_amount", [10_000, 5_000])
def test_discounts_and_write_offs_end_where_the_rules_say(
    day: int, paid: int, given: tuple[int, int], open_amount: int
) -> None:
    """An item of 10,000 of day 300 under 200 basis points, 120 days and a tolerance of 50, whatever is open of it."""
    cash = paid - 10_000 + open_amount
    line = ("Q1", "O1", cash, *given)
    listed: dict[str, tuple[OpenItem, ...]] = {"E05": ((450, "O1", 10_000, open_amount, 300),)}
    assert match_receipts(TERMS, day, [("Q1", "E05", cash, "")], listed) == ((line,), ())
    item = rules.OpenItem("O1", "E05", 10_000, open_amount, 300, 450)
    terms: Any = TERMS
    made = rules.match([rules.Receipt("Q1", "E05", cash, "")], [item], terms, day)
    assert made == rules.Match((line,), ())


@pytest.mark.parametrize(("paid", "given"), [(9_824, (201, 0)), (9_823, (0, 0))])
def test_the_most_that_a_discount_grants_is_rounded(paid: int, given: tuple[int, int]) -> None:
    """200 basis points of 10,025 are 200.5, rounded away from zero."""
    listed: dict[str, tuple[OpenItem, ...]] = {"E05": ((450, "O1", 10_025, 10_025, 300),)}
    line = ("Q1", "O1", paid, *given)
    assert match_receipts(TERMS, 395, [("Q1", "E05", paid, "")], listed) == ((line,), ())
    item, terms = rules.OpenItem("O1", "E05", 10_025, 10_025, 300, 450), TERMS
    made = rules.match([rules.Receipt("Q1", "E05", paid, "")], [item], terms, 395)  # type: ignore[arg-type]  # FR has terms
    assert made == rules.Match((line,), ())
