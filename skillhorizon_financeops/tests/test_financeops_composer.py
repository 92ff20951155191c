"""Composed plans: what the generator promises of sources, updates, views, goals and the graph."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from financeops_trial import tells

from skillhorizon import Rng
from skillhorizon_financeops.composer import compose
from skillhorizon_financeops.composer.shape import shape
from skillhorizon_financeops.composer.trial import beside
from skillhorizon_financeops.config import FAMILIES, RECEIVABLES, FinanceConfig
from skillhorizon_financeops.instruction import instruction
from skillhorizon_financeops.plan import Plan, SourceAmended
from skillhorizon_financeops.truth import Book, Replay

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import Contract

CELLS = [(family, variant) for family, variants in FAMILIES.items() for variant in variants]


def configuration(family: str, variant: str, stages: int = 10, updates: str = "more") -> FinanceConfig:
    return FinanceConfig(family, variant, stages, 12, updates=updates)


@pytest.fixture(scope="module", params=CELLS, ids=[variant for _, variant in CELLS])
def config(request: pytest.FixtureRequest) -> FinanceConfig:
    return configuration(*request.param)


@pytest.fixture(scope="module")
def plan(config: FinanceConfig) -> Plan:
    return compose(config, Rng("composer", 3))


def book(plan: Plan) -> Book:
    facts = plan.facts
    found = Book(facts.contracts, facts.identity_maps, facts.account_values)
    for row in facts.source_rows:
        found.rows[row.source_id] = (*found.rows.get(row.source_id, ()), row)
    return found


def test_the_same_seed_composes_the_same_plan(config: FinanceConfig, plan: Plan) -> None:
    assert compose(config, Rng("composer", 3)) == plan


def test_another_seed_composes_another_plan(config: FinanceConfig, plan: Plan) -> None:
    assert compose(config, Rng("composer", 4)).facts.source_rows != plan.facts.source_rows


def test_nine_tenths_of_the_sources_tell_right_from_wrong(plan: Plan) -> None:
    facts = book(plan)
    around = beside(facts)
    assert sum(tells(facts, source, around) for source in plan.facts.sources) >= 0.9 * len(plan.facts.sources)


def test_a_second_replay_comes_to_what_one_from_nothing_does(plan: Plan) -> None:
    facts = plan.facts
    first = Replay(book(plan), facts.sources, facts.opening_items)
    for _ in range(plan.stages):
        first.open_stage()
    again, fresh = first.again(), Replay(book(plan), facts.sources, facts.opening_items)
    for stage in range(1, plan.stages + 1):
        for replay in (again, fresh):
            replay.open_stage()
        for update in plan.updates:
            if update.stage == stage:
                assert again.learn(update) == fresh.learn(update)
    assert again.history == fresh.history == {name: list(held) for name, held in plan.truth.history.items()}
    for source in facts.sources:
        if source.lockbox is not None:
            assert again.items(source.lockbox, source.stage) == fresh.items(source.lockbox, source.stage)


def test_every_source_keeps_an_included_order_at_every_knowledge(plan: Plan) -> None:
    assert all(truth.records for history in plan.truth.history.values() for _, truth in history)


def test_sources_have_the_variants_number_of_rows_give_or_take_one(config: FinanceConfig, plan: Plan) -> None:
    counts = {len(rows) for rows in book(plan).rows.values()}
    assert counts <= set(range(shape(config).rows - 1, shape(config).rows + 2))


def test_days_are_unique_and_late_arrivals_have_odd_days_of_earlier_stages(plan: Plan) -> None:
    sources = plan.facts.sources
    assert len({source.day for source in sources}) == len(sources)
    late = [source for source in sources if source.day % 2]
    assert late
    for source in late:
        assert source.kind == "sales"
        assert 100 * max(1, source.stage - 3) < source.day < 100 * source.stage


def test_sources_use_identity_sources_that_are_released(plan: Plan) -> None:
    released = {each.identity_source_id: each.released_stage for each in plan.facts.identity_sources}
    assert all(released[source.identity_source_id] <= source.stage for source in plan.facts.sources)


def test_contracts_tile_all_days_and_neighbours_differ_in_two_respects(config: FinanceConfig, plan: Plan) -> None:
    by_format: dict[str, list[Contract]] = {}
    for contract in plan.facts.contracts:
        by_format.setdefault(contract.format, []).append(contract)
    for tiles in by_format.values():
        for one, two in pairwise(tiles):
            assert two.from_day == one.to_day + 1
            respects = [
                (one.num, one.den) != (two.num, two.den),
                one.sign != two.sign,
                (one.basis, one.tax_bps) != (two.basis, two.tax_bps),
                one.codes != two.codes,
            ]
            assert sum(respects) == 2
    if config.family == RECEIVABLES:
        assert {contract.sign for contract in plan.facts.contracts} == {1}


def test_a_notice_ends_as_many_normalizations_as_it_should_within_its_reach(config: FinanceConfig, plan: Plan) -> None:
    stages = {source.source_id: source.stage for source in plan.facts.sources}
    for update in plan.updates:
        affected = plan.truth.evidence[update.id]
        assert bool(affected) != update.decoy
        assert update.decoy or abs(len(affected) - config.breadth) <= 1
        assert all(update.stage - config.reach_back <= stages[source] <= update.stage for source in affected)


def test_every_notice_has_near_misses_that_it_does_not_touch(plan: Plan) -> None:
    for update in plan.updates:
        near = plan.truth.near[update.id]
        assert near
        assert not set(near) & plan.truth.evidence[update.id].keys()


def test_the_first_notice_and_the_one_after_the_release_are_no_decoys(config: FinanceConfig) -> None:
    for seed in range(6):
        updates = compose(config, Rng("decoys", seed)).updates
        assert not updates[0].decoy
        assert not (config.maintenance and updates[-1].decoy)


def test_only_release_maintenance_has_a_notice_after_the_release(config: FinanceConfig, plan: Plan) -> None:
    events = [update.trigger.event for update in plan.updates]
    assert events[:-1] == ["stage_closed"] * (len(events) - 1)
    assert events[-1] == ("released" if config.maintenance else "stage_closed")


def test_an_amendment_lists_one_source_more_than_a_notice_ends(config: FinanceConfig, plan: Plan) -> None:
    for update in plan.updates:
        if isinstance(update, SourceAmended):
            assert len(update.sources) == config.breadth + 1
            assert {row.source_id for row in update.rows} == set(update.sources)


def test_a_notice_never_discloses_rows_or_whom_it_reaches(plan: Plan) -> None:
    for update in plan.updates:
        assert update.body.keys() <= {
            "identity_source_id",
            "map_id",
            "aliases",
            "account",
            "entity",
            "format",
            "contract_id",
            "from",
            "to",
            "sources",
            "obligation",
        }


def test_comparative_views_fall_due_at_every_stage_from_the_third(config: FinanceConfig, plan: Plan) -> None:
    due = [view.due for view in plan.views if not view.notice]
    per_stage = 2 if config.variant == "rolling-views" else 1
    assert due == [stage for stage in range(3, config.stages + 1) for _ in range(per_stage)]
    stages = {source.source_id: source.stage for source in plan.facts.sources}
    assert all(stages[view.source_id] <= view.basis < view.due for view in plan.views if not view.notice)


def test_each_affected_source_has_a_view_of_what_was_known_when_the_notice_fired(plan: Plan) -> None:
    triples = {view.obligation_id for view in plan.views}
    assert len(triples) == len(plan.views)
    for update in plan.updates:
        due = min(update.stage + 1, plan.stages)
        for source_id in plan.truth.evidence[update.id]:
            assert f"view:{source_id}.{update.stage}/{due}" in triples


def test_goals_and_edges_name_modules_and_the_graph_is_acyclic(plan: Plan) -> None:
    modules = plan.graph.by_id
    assert [goal.id for goal in plan.goals] == [f"source:{source.source_id}" for source in plan.facts.sources]
    assert all(module in modules for goal in plan.goals for module in goal.modules)
    assert plan.graph.levels.keys() == modules.keys()


def test_a_decoy_leads_to_the_release_only(plan: Plan) -> None:
    for update in plan.updates:
        if update.decoy:
            assert plan.graph.downstream[f"restatement:{update.id}"] == ("release",)


def test_nothing_lies_downstream_of_the_notice_after_the_release(config: FinanceConfig, plan: Plan) -> None:
    if config.maintenance:
        last = f"restatement:{plan.updates[-1].id}"
        views = plan.graph.downstream.get(last, ())
        assert all(view.startswith("view:") and not plan.graph.downstream.get(view) for view in views)


def test_an_open_quantity_edge_comes_from_sales_that_the_remittance_settles(plan: Plan) -> None:
    edges = [edge for edge in plan.graph.edges if edge.downstream.startswith("package:")]
    for edge in edges:
        sales, cash = (module.removeprefix("package:") for module in (edge.upstream, edge.downstream))
        items = {line[1] for _, truth in plan.truth.history[cash] for line in truth.lines or ()}
        assert any(item[1:5] == sales[1:3] + sales[4:6] for item in items)


def test_work_counts_are_those_of_the_configuration(config: FinanceConfig, plan: Plan) -> None:
    assert plan.work["packages"] == config.packages == len(plan.facts.sources)
    assert plan.work["notices"] == len(config.notice_stages) == len(plan.updates)
    assert plan.work["views"] == sum(module.kind == "view" for module in plan.graph.modules)


def test_without_updates_nothing_is_restated(config: FinanceConfig) -> None:
    still = compose(configuration(config.family, config.variant, 4, "none"), Rng("still", 1))
    assert still.updates == ()
    assert all(len(history) == 1 for history in still.truth.history.values())


@pytest.mark.parametrize(("family", "variant"), CELLS)
def test_the_smallest_task_can_be_composed_with_every_seed(family: str, variant: str) -> None:
    for seed in range(30):
        plan = compose(FinanceConfig(family, variant, 4, 2), Rng("smallest", seed))
        assert all(plan.truth.near[update.id] for update in plan.updates)


def test_the_instruction_names_no_skill_and_no_order_of_work(config: FinanceConfig, plan: Plan) -> None:
    text = instruction(config, plan)
    skills = {skill for module in plan.graph.modules for skill in module.skills}
    assert not [skill for skill in skills if skill in text]
    assert str(plan.resources["tickets"]) in text
