"""What is drawn: ranges, shares and mixes of the generator, each as a claim about composed plans."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from financeops_trial import tells

from skillhorizon import Rng
from skillhorizon_financeops.composer import compose
from skillhorizon_financeops.composer.trial import beside
from skillhorizon_financeops.config import FAMILIES, INTEGRATION, MAINTENANCE, RECEIVABLES, FinanceConfig
from skillhorizon_financeops.rows import COLUMNS
from skillhorizon_financeops.truth import Book

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon_financeops.plan import Plan
    from skillhorizon_financeops.rows import Contract, Source

CELLS = [(family, variant) for family, variants in FAMILIES.items() for variant in variants]
RECEIVABLE = [cell for cell in CELLS if cell[0] == RECEIVABLES]


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    """A plan of ten stages and twenty sources a stage of each variant."""
    return {v: compose(FinanceConfig(f, v, 10, 20), Rng("generator", 1)) for f, v in CELLS}


def rows_of(plan: Plan) -> Iterator[tuple[Source, dict[str, Any]]]:
    """Every row as a dict, with its source."""
    sources = {source.source_id: source for source in plan.facts.sources}
    for row in plan.facts.source_rows:
        source = sources[row.source_id]
        yield source, dict(zip(COLUMNS[source.format], row.cells, strict=True))


def share(found: Iterable[object]) -> float:
    judged = [bool(each) for each in found]
    assert len(judged) > 100
    return sum(judged) / len(judged)


def tiles(plan: Plan) -> dict[str, list[Contract]]:
    found: dict[str, list[Contract]] = {}
    for contract in plan.facts.contracts:
        found.setdefault(contract.format, []).append(contract)
    return found


@pytest.mark.parametrize(
    ("stages", "breadth", "reach"),
    [
        (4, 1, (1, 1, 1)),
        (8, 1, (1, 2, 2)),
        (10, 2, (1, 2, 2)),
        (12, 2, (1, 2, 3)),
        (20, 3, (1, 2, 3)),
        (96, 3, (1, 2, 3)),
    ],
)
def test_a_notice_ends_more_and_reaches_further_in_longer_releases(
    stages: int, breadth: int, reach: tuple[int, int, int]
) -> None:
    cells = ((INTEGRATION, "legacy"), (MAINTENANCE, "amendment"), (MAINTENANCE, "rolling-views"))
    configs = [FinanceConfig(family, variant, stages, 4) for family, variant in cells]
    assert [config.breadth for config in configs] == [breadth] * 3
    assert tuple(config.reach_back for config in configs) == reach


@pytest.mark.parametrize("variant", [variant for _, variant in CELLS])
def test_contracts_tile_the_days_in_spans_of_150_to_350_with_ascending_ranks(
    plans: dict[str, Plan], variant: str
) -> None:
    for contracts in tiles(plans[variant]).values():
        assert [each.rank for each in contracts] == list(range(len(contracts)))
        assert contracts[0].from_day == 0
        assert all(150 <= two.from_day - one.from_day <= 350 for one, two in pairwise(contracts))


def test_contracts_have_the_scales_of_their_variant(plans: dict[str, Plan]) -> None:
    for variant, plan in plans.items():
        for name, contracts in tiles(plan).items():
            scales = {(each.num, each.den) for each in contracts}
            if name == "FR":
                assert scales <= {(1, 1), (10, 1)}
                assert all(100 <= (each.disc_bps or 0) <= 250 for each in contracts)
                assert all(90 <= (each.disc_days or 0) <= 150 for each in contracts)
                assert all(20 <= (each.tol or 0) <= 80 for each in contracts)
                assert {each.basis for each in contracts} == {"net"}
            elif variant == "currencies":
                assert all(8_000 <= num <= 14_001 and den == 10_000 for num, den in scales)
            else:
                assert scales <= {(1, 1), (1, 10), (10, 1)}


def test_identity_sources_are_released_at_the_first_and_every_second_stage(plans: dict[str, Plan]) -> None:
    facts = plans["formats"].facts
    assert [each.released_stage for each in facts.identity_sources] == [1, 1, 1, 2, 4, 6, 8, 10]


def test_base_maps_have_ten_aliases_and_every_second_register_an_overlay_of_three(plans: dict[str, Plan]) -> None:
    for plan in plans.values():
        maps = plan.facts.identity_maps
        base = {each.identity_source_id: each for each in maps if each.rank == 0}
        assert all(len(set(each.entries.values())) == len(each.entries) == 10 for each in base.values())
        overlays = [each for each in maps if each.rank]
        assert [each.identity_source_id for each in overlays] == [*base][1::2]
        for overlay in overlays:
            below = base[overlay.identity_source_id].entries
            assert len(overlay.entries) == 3
            assert all(alias in below and below[alias] != account for alias, account in overlay.entries.items())
            assert 100 <= overlay.to_day - overlay.from_day + 1 <= 140


def test_a_quarter_of_the_accounts_belongs_to_another_entity_for_some_days(plans: dict[str, Plan]) -> None:
    for plan in plans.values():
        ranks = Counter(value.rank for value in plan.facts.account_values)
        assert ranks == {0: 36, 1: 9}


def test_seventy_percent_of_legacy_sources_use_an_old_register_others_a_third(
    plans: dict[str, Plan],
) -> None:
    for variant, plan in plans.items():
        released = {each.identity_source_id: each.released_stage for each in plan.facts.identity_sources}
        later = [source for source in plan.facts.sources if source.stage > 3]
        old = share(released[source.identity_source_id] <= source.stage - 3 for source in later)
        assert abs(old - (0.70 if variant == "legacy" else 0.35)) < 0.12


def test_a_tenth_of_the_sales_sources_of_later_stages_arrives_late(plans: dict[str, Plan]) -> None:
    sales = [s for plan in plans.values() for s in plan.facts.sources if s.kind == "sales" and s.stage > 1]
    assert abs(share(source.day < 100 * source.stage for source in sales) - 0.10) < 0.03
    first = [s for plan in plans.values() for s in plan.facts.sources if s.stage == 1]
    assert all(source.day >= 100 for source in first)


def test_eight_percent_are_refunds_and_none_become_open_items(plans: dict[str, Plan]) -> None:
    for family, variant in CELLS:
        sales = [row for source, row in rows_of(plans[variant]) if source.kind == "sales" and row["rev"] == 1]
        refunds = share(row["amt"] < 0 for row in sales)
        assert refunds == 0 if family == RECEIVABLES else abs(refunds - 0.08) < 0.05


def test_raw_amounts_of_sales_lie_between_500_and_250_000(plans: dict[str, Plan]) -> None:
    for plan in plans.values():
        amounts = [abs(row["amt"]) for source, row in rows_of(plan) if source.kind == "sales" and row["amt"]]
        assert min(amounts) >= 500
        assert max(amounts) <= 250_000


def test_orders_have_second_rows_of_every_kind_and_never_begin_with_what_does_not_count(plans: dict[str, Plan]) -> None:
    for plan in plans.values():
        book = Book(plan.facts.contracts, plan.facts.identity_maps, plan.facts.account_values)
        orders: dict[str, list[str]] = {}
        for source, row in rows_of(plan):
            kind = book.contract(source.format, source.day).codes[row["code"]]
            orders.setdefault(row["order"], []).append(kind)
        assert all(kinds[0] in ("sale", "correction") for kinds in orders.values())
        assert {len(kinds) for kinds in orders.values()} == {1, 2, 3}
        further = [kind for kinds in orders.values() for kind in kinds if kind != "sale"]
        assert set(further) == {"correction", "metadata", "withdrawn"}
        if plan is plans["formats"]:  # sources of few rows are drawn again until they tell, which prefers some kinds
            for kind, expected in (("correction", 0.45), ("metadata", 0.30), ("withdrawn", 0.25)):
                assert abs(share(each == kind for each in further) - expected) < 0.05
            for count, expected in ((1, 0.55), (2, 0.30), (3, 0.15)):
                assert abs(share(len(kinds) == count for kinds in orders.values()) - expected) < 0.05


@pytest.mark.parametrize(("variant", "right"), [("referenced", 0.80), ("discounts", 0.50), ("unreferenced", 0.10)])
def test_receipts_refer_as_often_as_their_variant_says(plans: dict[str, Plan], variant: str, right: float) -> None:
    """Of the receipts without the right reference a third has a wrong one, so that this share of receipts has any."""
    plan = plans[variant]
    chosen = {order for truth in plan.truth.sources.values() for order, *_ in truth.records}
    rows = [row for source, row in rows_of(plan) if source.kind == "remittance" and row["order"] in chosen]
    alone = Counter(row["order"] for row in rows)
    refs = [row["ref"] for row in rows if alone[row["order"]] == 1]
    assert abs(share(refs) - (right + (1 - right) / 3)) < 0.09


@pytest.mark.parametrize("variant", [variant for _, variant in RECEIVABLE])
def test_discounts_are_what_the_variant_of_that_name_is_about(plans: dict[str, Plan], variant: str) -> None:
    lines = [line for truth in plans[variant].truth.sources.values() for line in truth.lines or ()]
    forgiven = share(discount or writeoff for *_, discount, writeoff in lines)
    assert forgiven > 0.40 if variant == "discounts" else 0 < forgiven < 0.36


@pytest.mark.parametrize(("family", "variant"), CELLS)
def test_each_lockbox_has_four_opening_items(plans: dict[str, Plan], family: str, variant: str) -> None:
    items = plans[variant].facts.opening_items
    boxes = Counter(item.lockbox for item in items)
    assert boxes == (dict.fromkeys((f"LB-{n:02}" for n in range(1, 11)), 4) if family == RECEIVABLES else {})
    for item in items:
        assert 2_000 <= item.amount <= 60_000
        assert 0 <= item.day <= 90
        assert item.due == item.day + 150


LAGS = {"legacy": 3, "rolling-views": 3}


@pytest.mark.parametrize(("family", "variant"), CELLS)
def test_comparative_views_are_of_the_stage_that_lies_the_variants_lag_before(
    plans: dict[str, Plan], family: str, variant: str
) -> None:
    plan = plans[variant]
    stages = {source.source_id: source.stage for source in plan.facts.sources}
    for view in plan.views:
        if not view.notice:
            assert stages[view.source_id] == max(1, view.due - LAGS.get(variant, 2))


def test_a_view_shows_other_totals_than_the_latest_where_a_source_of_its_stage_has_any(plans: dict[str, Plan]) -> None:
    telling = 0
    for plan in plans.values():
        for view in plan.views:
            history = plan.truth.history[view.source_id]
            telling += not view.notice and history[-1][1].totals != plan.truth.views[view.subject]
    assert telling > 10


def test_a_source_of_an_overlays_day_that_uses_none_of_its_aliases_tells_nothing(plans: dict[str, Plan]) -> None:
    told = blind = 0
    for plan in plans.values():
        book = Book(plan.facts.contracts, plan.facts.identity_maps, plan.facts.account_values)
        for row in plan.facts.source_rows:
            book.rows[row.source_id] = (*book.rows.get(row.source_id, ()), row)
        around = beside(book)
        for source in plan.facts.sources:
            overlays = [
                m for m in book.maps[source.identity_source_id] if m.rank and m.from_day <= source.day <= m.to_day
            ]
            used = {row[1] for row in plan.truth.history[source.source_id][0][1].records}
            missed = [overlay for overlay in overlays if not used & overlay.entries.keys()]
            told += bool(overlays)
            blind += bool(missed) and tells(book, source, around)
    assert told > 100
    assert blind == 0


KINDS = ("map_superseded", "account_reassigned", "contract_superseded", "source_amended")
MIXES: dict[str, tuple[float, float, float, float]] = {
    "formats": (0.45, 0.22, 0.28, 0.05),
    "referenced": (0.30, 0.20, 0.0, 0.50),
    "supersession": (0.67, 0.28, 0.0, 0.05),
    "amendment": (0.25, 0.0, 0.0, 0.75),
    "rolling-views": (0.50, 0.30, 0.0, 0.20),
}
"""Shares of the kinds, decoys included."""
DECOYS = {"formats": 0.10, "supersession": 0.10, "amendment": 0.20}


@pytest.mark.parametrize("variant", MIXES)
def test_notices_are_of_the_kinds_and_decoys_of_the_variants_mix(variant: str) -> None:
    (family,) = (family for family, variants in FAMILIES.items() if variant in variants)
    config = FinanceConfig(family, variant, 20, 4, updates="more")
    updates = [update for seed in range(8) for update in compose(config, Rng("mix", seed)).updates]
    kinds = Counter(update.kind for update in updates)
    for kind, expected in zip(KINDS, MIXES[variant], strict=True):
        assert (kinds[kind] > 0) == (expected > 0)
        assert abs(kinds[kind] / len(updates) - expected) < 0.12
    assert abs(share(update.decoy for update in updates) - DECOYS.get(variant, 0.0)) < 0.07


def test_the_first_notice_is_never_a_decoy() -> None:
    config = FinanceConfig(MAINTENANCE, "amendment", 4, 4)
    assert not [seed for seed in range(60) if compose(config, Rng("first", seed)).updates[0].decoy]
