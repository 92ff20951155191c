"""The rules against the skills' scripts, and the kept lists of open items against a replay from scratch."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs
import pytest
from financeops_desk import CODES, Desk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skillhorizon import World
from skillhorizon_financeops.gateway.open_items import open_items
from skillhorizon_financeops.reference import alias_token, readings_of, values_of
from skillhorizon_financeops.rows import TABLES, AccountValue, Contract, IdentityMap
from skillhorizon_financeops.rules import (
    ENTITIES,
    Citation,
    OpenItem,
    Package,
    Receipt,
    findings,
    governing,
    match,
    match_totals,
    rdiv,
    record_totals,
    records,
    resolve,
    roll,
    selected,
    usable,
)

FORMAT = ["party", "amt", "order", "code", "rev"]


@cache
def script(skill: str, name: str) -> Any:
    path = Path(str(files("skillhorizon_financeops"))) / "skills" / skill / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"_script_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.run


contracts = st.builds(
    Contract,
    contract_id=st.just("FB-1"),
    format=st.just("FB"),
    from_day=st.just(0),
    to_day=st.just(999),
    rank=st.just(0),
    num=st.integers(1, 20_000),
    den=st.sampled_from([1, 10, 100, 10_000]),
    sign=st.sampled_from([1, -1]),
    basis=st.sampled_from(["net", "gross"]),
    tax_bps=st.integers(0, 2_500),
    codes=st.just(CODES),
    disc_bps=st.integers(0, 500),
    disc_days=st.integers(0, 200),
    tol=st.integers(0, 100),
)


@st.composite
def feeds(draw: st.DrawFn) -> list[list[Any]]:
    """Draw the rows of a source, revisions unique per order."""
    rows = []
    for order in range(draw(st.integers(0, 4))):
        for rev in draw(st.lists(st.integers(1, 5), min_size=1, max_size=4, unique=True)):
            alias = draw(st.sampled_from(["K01", "K02", "K03"]))
            code = draw(st.sampled_from(sorted(CODES)))
            rows.append([alias, draw(st.integers(-(10**6), 10**6)), f"O{order}", code, rev])
    return draw(st.permutations(rows))


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**5))
def test_rounding_is_symmetric_and_nearest(value: int, divisor: int) -> None:
    assert rdiv(-value, divisor) == -rdiv(value, divisor)
    assert 2 * abs(rdiv(value, divisor) * divisor - value) <= divisor


@given(feeds(), contracts, st.sampled_from(["first", "latest_revision"]))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_selection_and_amounts_equal_the_skills_script(rows: list[list[Any]], contract: Contract, policy: str) -> None:
    entities = {"K01": "E01", "K02": "E02", "K03": "E03"}
    aliases, amounts, orders, codes, revisions = zip(*rows, strict=True) if rows else ((),) * 5
    chosen = selected(policy, orders, revisions, [CODES[code] for code in codes])
    ours = records(chosen, aliases, amounts, contract, entities)
    data = {
        "policy": policy,
        "contract": {name: getattr(contract, name) for name in ("num", "den", "sign", "basis", "tax_bps", "codes")},
        "columns": FORMAT,
        "rows": rows,
        "map": entities,
    }
    theirs = script("normalize-source", "normalize")(data)
    assert [list(record) for record in ours] == theirs["records"]
    assert {record[0] for record in ours}.isdisjoint(theirs["excluded"])


items = st.lists(
    st.builds(
        OpenItem,
        item=st.integers(0, 99).map(lambda n: f"O{n:02}"),
        entity=st.sampled_from(["E01", "E02"]),
        amount=st.integers(1, 5_000),
        open=st.integers(1, 5_000),
        day=st.integers(0, 300),
        due=st.integers(150, 400),
    ).map(lambda item: attrs.evolve(item, open=min(item.open, item.amount))),
    max_size=6,
    unique_by=lambda item: item.item,
)
receipts = st.lists(
    st.builds(
        Receipt,
        pay=st.integers(0, 99).map(lambda n: f"Q{n:02}"),
        entity=st.sampled_from(["E01", "E02", "E03"]),
        minor=st.integers(1, 6_000),
        ref=st.sampled_from(["", "O01", "O50", "O99"]),
    ),
    max_size=6,
    unique_by=lambda receipt: receipt.pay,
)


@given(receipts, items, contracts, st.integers(0, 400))
def test_matching_equals_the_skills_script_and_conserves(
    paid: list[Receipt], listed: list[OpenItem], contract: Contract, day: int
) -> None:
    ours = match(paid, listed, contract, day)  # type: ignore[arg-type]  # drawn with terms
    data = {
        "day": day,
        "disc_bps": contract.disc_bps,
        "disc_days": contract.disc_days,
        "tol": contract.tol,
        "receipts": [list(attrs.astuple(receipt)) for receipt in paid],
        "items": [list(attrs.astuple(item)) for item in listed],
    }
    theirs = script("match-remittance", "match")(data)
    assert sorted(map(list, ours.lines)) == sorted(theirs["lines"])
    assert sorted(map(list, ours.on_account)) == sorted(theirs["on_account"])
    for receipt in paid:
        applied = sum(line[2] for line in ours.lines if line[0] == receipt.pay)
        assert applied + sum(row[2] for row in ours.on_account if row[0] == receipt.pay) == receipt.minor
    for item in listed:
        assert sum(sum(line[2:]) for line in ours.lines if line[1] == item.item) <= item.open


@given(receipts, items, contracts, st.integers(0, 400))
def test_totals_equal_the_skills_script(
    paid: list[Receipt], listed: list[OpenItem], contract: Contract, day: int
) -> None:
    made = match(paid, listed, contract, day)  # type: ignore[arg-type]  # drawn with terms
    entities = {receipt.pay: receipt.entity for receipt in paid}
    settled = [(pay, applied + less + off) for pay, _, applied, less, off in made.lines]
    settled += [(pay, amount) for pay, _, amount in made.on_account]
    data = {
        "lines": [list(line) for line in made.lines],
        "on_account": [list(row) for row in made.on_account],
        "entities": entities,
    }
    theirs = script("aggregate-source", "aggregate")(data)
    assert [list(total) for total in match_totals(settled, entities)] == theirs["totals"]
    sales = [(receipt.pay, "K01", receipt.entity, receipt.minor) for receipt in paid]
    theirs = script("aggregate-source", "aggregate")({"records": [list(record) for record in sales]})
    assert [list(t) for t in record_totals((entity, minor) for _, _, entity, minor in sales)] == theirs["totals"]


@given(st.lists(st.tuples(st.sampled_from(ENTITIES), st.integers(0, 9), st.integers(-(10**6), 10**6)), max_size=30))
def test_rolling_equals_the_skills_script(totals: list[tuple[str, int, int]]) -> None:
    opening = {entity: n * 1_000 for n, entity in enumerate(ENTITIES)}
    movement, closing = roll(opening, totals)
    theirs = script("close-stage", "roll")({"opening": opening, "totals": [list(total) for total in totals]})
    assert theirs == {"movement": movement, "closing": closing}


ranged = st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=5)


@given(ranged, st.integers(0, 60))
def test_the_governing_map_is_the_first_usable_one(ranges: list[tuple[int, int]], day: int) -> None:
    maps = [
        IdentityMap(f"MP-1.{rank}", "ID-1", low, high, rank, {"K01": "AC-01"})
        for rank, (low, high) in enumerate(ranges)
    ]
    found = governing(maps, day)
    assert usable(maps, day)[:1] == ([] if found is None else [found])
    cited = resolve("K01", usable(maps, day), {"AC-01": (0, "E01")})
    assert (cited is None) == (found is None)
    if cited is not None and found is not None:
        assert cited.map_id == found.map_id


days = st.integers(0, 9)
spans = st.tuples(days, days).map(lambda pair: (min(pair), max(pair)))
aliases = ["K01", "K02", "K03"]
accounts = ["AC-01", "AC-02", "AC-03"]


@given(
    st.lists(st.tuples(spans, st.dictionaries(st.sampled_from(aliases), st.sampled_from(accounts))), max_size=4),
    st.lists(st.tuples(spans, st.sampled_from(accounts)), max_size=6),
    days,
    st.integers(0, 3),
)
@settings(max_examples=150, deadline=None)
def test_a_world_resolves_aliases_as_the_rules_do(
    drawn: list[tuple[tuple[int, int], dict[str, str]]], held: list[tuple[tuple[int, int], str]], day: int, cap: int
) -> None:
    maps = [IdentityMap(f"MP-1.{n}", "ID-1", *span, n, entries) for n, (span, entries) in enumerate(drawn)]
    values = [AccountValue(account, n, *span, f"E{n + 1:02}") for n, (span, account) in enumerate(held)]
    other = IdentityMap("MP-2.0", "ID-2", 0, 9, 0, dict(zip(aliases, accounts, strict=True)))
    world = World.empty(TABLES)
    world.insert(other, *maps, *values)
    readings = readings_of(world, "ID-1", day, aliases)
    reigning = {name: governing([v for v in values if v.account == name], day) for name in accounts}
    known = {name: (value.rank, value.entity) for name, value in reigning.items() if value is not None}
    assert values_of(world, accounts, day) == known
    for alias in aliases:
        own = [reading for reading in readings if reading[0] == alias]
        first = next((reading for reading in own if reading[-1] <= cap), None)
        cited = None if first is None or first[3] is None else Citation(*first[:-1])  # type: ignore[arg-type]  # a rank comes with an entity
        assert cited == resolve(alias, usable(maps, day, cap), known)
        assert (own[0][1] if own else "") == alias_token(usable(maps, day), alias)
    world.close()


def _replayed(desk: Desk, stage: int) -> list[tuple[Any, ...]]:
    """Return a list of open items from the ledger's latest versions alone (R6)."""
    listed = {
        row[0]: list(row) for row in desk.world.sql("SELECT item, entity, amount, amount, day, due FROM opening_item")
    }
    for t in range(1, stage):
        matched = desk.world.ledger.last(f"MAT:S0{t}-02")
        for _, item, *parts in matched.content["lines"] if matched else ():
            if item in listed:
                listed[item][3] -= sum(parts)
        listed = {item: row for item, row in listed.items() if row[3] > 0}
        sold = desk.world.ledger.last(f"NRM:S0{t}-01")
        for order, _, entity, minor in sold.content["records"] if sold else ():
            if minor > 0:
                listed[order] = [order, entity, minor, minor, 100 * t, 100 * t + 150]
    return [tuple(listed[item]) for item in sorted(listed)]


changes = st.lists(
    st.tuples(
        st.sampled_from(["sell", "pay", "account"]),
        st.integers(1, 3),
        st.integers(-50, 30_000),
        st.sampled_from(["E01", "E02", "E05"]),
    ),
    max_size=8,
)


@given(changes)
@settings(max_examples=60, deadline=None)
def test_open_items_and_their_tokens_equal_a_replay_after_any_remakes(moves: list[tuple[str, int, int, str]]) -> None:
    desk = Desk()
    desk.world.sql("UPDATE allowance SET granted = 99 WHERE name = 'tickets'")
    for stage in (1, 2):
        desk.stage(stage)
    desk.work("S03-01")
    desk.work("S03-02")
    for what, stage, minor, entity in moves:
        order = f"O0{stage}0101"
        if what == "sell":
            desk.observe(
                "submit_normalization", **desk.package(f"S0{stage}-01", records=[[order, "K01", entity, minor]])
            )
        elif desk.world.ledger.current(f"NRM:S0{stage}-02") is None:
            desk.normalize(f"S0{stage}-02")
        elif what == "pay":
            desk.match(f"S0{stage}-02")
        else:
            pays = [[f"Q0{stage}0201", "E01", 4_950], [f"Q0{stage}0202", "E02", 1_000]]
            desk.observe("submit_match", source_id=f"S0{stage}-02", lines=[], on_account=pays)
        for later in (1, 2, 3):
            assert open_items(desk.world, "LB-01", later) == _replayed(desk, later)
        assert not desk.world.ledger.inconsistent()


@pytest.mark.parametrize("policy", ["first", "latest_revision"])
def test_metadata_alone_includes_nothing(policy: str) -> None:
    assert selected(policy, ["O1"], [1], ["metadata"]) == {}


@pytest.mark.parametrize(
    ("change", "codes"),
    [
        ({}, []),
        ({"ranks": {"AC-11": 1}}, ["F3"]),
        ({"maps": {"K07": "MP-2.1"}}, ["F3"]),
        ({"maps": {"K07": "MP-2.1"}, "declared_identity": "ID-1"}, ["F2"]),
        ({"governing_contract": "FB-4", "policy": "latest_revision", "records": [("K07", "E09")]}, ["F1", "F4", "F5"]),
    ],
)
def test_a_review_finds_each_choice_that_does_not_govern(change: dict[str, Any], codes: list[str]) -> None:
    package = Package(
        contract_id="FB-3",
        identity_source_id="ID-2",
        policy="first",
        declared_identity="ID-2",
        declared_policy="first",
        governing_contract="FB-3",
        records=[("K07", "E02")],
        citations=[Citation("K07", "MP-2.0", "AC-11", 0, "E02")],
        maps={"K07": "MP-2.0"},
        ranks={"AC-11": 0},
    )
    assert findings(attrs.evolve(package, **change)) == codes
