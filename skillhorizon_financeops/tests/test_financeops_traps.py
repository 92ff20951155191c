"""The traps of the business: each mistake passes the gateway, and is caught where the specification says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest
from financeops_runs import Run, begun

from skillhorizon import Json, Sabotage
from skillhorizon_financeops.config import FinanceConfig
from skillhorizon_financeops.mutations.choices import under
from skillhorizon_financeops.mutations.places import contracts, final_replay, normalizes, quiet_sales
from skillhorizon_financeops.truth import Replay, governing, package, read_package, select

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from skillhorizon_financeops.plan import Plan
    from skillhorizon_financeops.rows import Source

INTEGRATION = FinanceConfig("heterogeneous-integration", "formats", 6, 8)
RECEIVABLES = FinanceConfig("receivables-reconciliation", "discounts", 6, 6)
MAINTENANCE = FinanceConfig("release-maintenance", "supersession", 4, 6)
Trap = tuple["Source", Sabotage]


def sprung(config: FinanceConfig, place: Callable[[Plan], Iterator[Trap]]) -> tuple[str, Run]:
    """Run the first task in which a mistake has a place; return its source and the run."""
    for seed in range(20):
        run = begun(config, seed)
        found = next(place(run.plan), None)
        if found is not None:
            return found[0].source_id, run.finished(found[1])
    raise AssertionError("the mistake has no place in 20 tasks")


def found_by_review(run: Run) -> list[list[str]]:
    return [finding for review in run.world.ledger.live("RVW") for finding in review.content["findings"]]


def newest_contract(plan: Plan) -> Iterator[Trap]:
    """A late arrival read under the contract of the day on which its stage closes."""
    for source in quiet_sales(plan):
        if source.day < 100 * source.stage:
            tiles = [c for c in plan.facts.contracts if c.format == source.format]
            newest = next(c for c in tiles if c.from_day <= 100 * source.stage + 99 <= c.to_day)
            if newest.contract_id != plan.truth.sources[source.source_id].contract_id:
                yield source, under(source, newest)


def test_the_newest_contract_for_a_late_arrival_is_found_as_f1() -> None:
    name, run = sprung(INTEGRATION, newest_contract)
    assert found_by_review(run) == [[name, "F1"]]
    unmet = run.unmet()
    assert "contract_true" in unmet[f"source:{name}"]
    assert "no_findings" in unmet["D2"]


def other_register(plan: Plan) -> Iterator[Trap]:
    """Aliases resolved through another identity source that knows all of them."""
    replay = final_replay(plan)
    for source in quiet_sales(plan):
        for register in plan.facts.identity_sources:
            other = attrs.evolve(source, identity_source_id=register.identity_source_id)
            if register.released_stage <= source.stage and other != source:
                try:
                    records = read_package(replay.book, other).records
                except LookupError:
                    continue
                entities = {alias: entity for _, alias, entity, _ in records}
                yield source, _through(source, _map_of(replay, other), entities)


def _map_of(replay: Replay, source: Source) -> tuple[str, str]:
    maps = replay.book.maps[source.identity_source_id]
    return source.identity_source_id, next(m.map_id for m in maps if m.from_day <= source.day <= m.to_day)


def _through(source: Source, identity: tuple[str, str], entities: dict[str, str]) -> Sabotage:
    def script(name: str, data: Any, output: Any) -> Any:
        if not normalizes(name, data, source.source_id):
            return output
        return {**output, "records": [[o, alias, entities[alias], minor] for o, alias, _, minor in output["records"]]}

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        if tool != "submit_normalization" or said["source_id"] != source.source_id:
            return said
        return {**said, "identity_source_id": identity[0], "identity_map_id": identity[1]}

    return Sabotage(script=script, arguments=arguments)


def test_another_identity_source_is_found_as_f2() -> None:
    name, run = sprung(INTEGRATION, other_register)
    assert found_by_review(run) == [[name, "F2"]]
    assert {"identity_source_true", "citations_true"} <= set(run.unmet()[f"source:{name}"])


def _read(plan: Plan, source: Source, policy: str, *, blind: bool = False) -> list[list[Any]]:
    """Records of a source under a policy; `blind` takes withdrawn rows for rows that do not count."""
    contract = contracts(plan)[plan.truth.sources[source.source_id].contract_id]
    codes = {code: "metadata" if blind and kind == "withdrawn" else kind for code, kind in contract.codes.items()}
    rows = [row for row in plan.facts.source_rows if row.source_id == source.source_id]
    replay = final_replay(plan)
    chosen = select(source.format, policy, codes, rows)
    return [list(record) for record in package(replay.book, source, governing(replay.book, source), chosen).records]


def _reading(source: Source, records: list[list[Any]], policy: str) -> Sabotage:
    def script(name: str, data: Any, output: Any) -> Any:
        return {**output, "records": records} if normalizes(name, data, source.source_id) else output

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        mine = tool == "submit_normalization" and said["source_id"] == source.source_id
        return {**said, "conflict_policy": policy} if mine else said

    return Sabotage(script=script, arguments=arguments)


def _still(plan: Plan) -> list[Source]:
    """Sales sources that no update amends, so that their first rows are all their rows."""
    return [source for source in quiet_sales(plan) if len(plan.truth.history[source.source_id]) == 1]


def withdrawn_kept(plan: Plan) -> Iterator[Trap]:
    for source in _still(plan):
        records = _read(plan, source, source.conflict_policy, blind=True)
        if len(records) > len(plan.truth.sources[source.source_id].records):
            yield source, _reading(source, records, source.conflict_policy)


def test_a_withdrawn_order_that_is_kept_passes_review_and_loses_the_goal() -> None:
    name, run = sprung(INTEGRATION, withdrawn_kept)
    assert found_by_review(run) == []
    unmet = run.unmet()
    assert "records_true" in unmet[f"source:{name}"]
    assert {"D1", "D3"} <= unmet.keys()


def policies_swapped(plan: Plan, *, said: bool) -> Iterator[Trap]:
    for source in _still(plan):
        other = "first" if source.conflict_policy == "latest_revision" else "latest_revision"
        records = _read(plan, source, other)
        if records != [list(row) for row in plan.truth.sources[source.source_id].records]:
            yield source, _reading(source, records, other if said else source.conflict_policy)


@pytest.mark.parametrize("said", [True, False])
def test_swapped_policies_lose_the_goal_and_are_f4_where_submitted(said: bool) -> None:
    name, run = sprung(INTEGRATION, lambda plan: policies_swapped(plan, said=said))
    assert found_by_review(run) == ([[name, "F4"]] if said else [])
    unmet = run.unmet()
    assert "records_true" in unmet[f"source:{name}"]
    assert ("policy_true" in unmet[f"source:{name}"]) == said


def late_discount(plan: Plan) -> Iterator[Trap]:
    """A discount granted to a receipt that comes after the item's days."""
    for source in plan.facts.sources:
        truth = plan.truth.sources[source.source_id]
        contract = contracts(plan)[truth.contract_id]
        days, tolerance = contract.disc_days or 0, contract.tol or 0
        days_of = {s.source_id: s.day for s in plan.facts.sources}
        for pay, item, applied, discount, writeoff in truth.lines or ():
            day = days_of.get(f"S{item[1:3]}-{item[3:5]}")
            if day is not None and source.day > day + days and 0 < writeoff <= tolerance:
                right, wrong = [pay, item, applied, discount, writeoff], [pay, item, applied, writeoff, discount]
                yield source, _matched(right, wrong)


def _matched(right: list[Any], wrong: list[Any]) -> Sabotage:
    def script(name: str, data: Any, output: Any) -> Any:
        if name != "match.py":
            return output
        return {**output, "lines": [wrong if line == right else line for line in output["lines"]]}

    return Sabotage(script=script)


def test_a_discount_outside_its_window_loses_the_goal_by_its_lines() -> None:
    name, run = sprung(RECEIVABLES, late_discount)
    assert run.unmet() == {f"source:{name}": ("lines_true",)}


def _listing(run: Run, notice: str, source_id: str) -> Sabotage:
    """Restatement evidence that also lists a source."""
    seen = {"ref": f"AGG:{source_id}@1"}

    def observation(tool: str, said: dict[str, Json], data: Any) -> Any:
        if tool == "submit_aggregate" and said["source_id"] == source_id:
            seen["ref"] = data["artifact"]
        return data

    def arguments(tool: str, said: dict[str, Any]) -> dict[str, Json]:
        if tool != "discharge_obligation" or said["obligation_id"] != f"restate:{notice}":
            return said
        return {**said, "evidence": [*said["evidence"], [seen["ref"], []]]}

    return Sabotage(observation=observation, arguments=arguments)


def test_a_remittance_moved_through_open_items_does_not_belong_into_evidence() -> None:
    for seed in range(20):
        run = begun(RECEIVABLES, seed)
        truth = run.plan.truth
        moved = [(n, s) for n in truth.evidence for s in truth.moved[n] if s not in truth.evidence[n]]
        if moved:
            assert run.finished(_listing(run, *moved[0])).unmet().keys() == {"D4"}
            return
    raise AssertionError("no notice moves a remittance through open items")


def test_a_decoys_sources_do_not_belong_into_evidence() -> None:
    for seed in range(40):
        run = begun(attrs.evolve(MAINTENANCE, variant="amendment", updates="more"), seed)
        decoys = [update for update in run.plan.updates if update.decoy]
        if decoys:
            near = run.plan.truth.near[decoys[0].id][0]
            assert run.finished(_listing(run, decoys[0].id, near)).unmet().keys() == {"D4"}
            return
    raise AssertionError("no task has a decoy")


def test_stopping_at_the_first_release_loses_every_delivery() -> None:
    run = begun(MAINTENANCE, 1)
    last = run.plan.updates[-1].id
    run.finished(Sabotage(skip=lambda step: step.update == last))
    assert run.world.ledger.event("released", "release") is not None
    assert {"D1", "D2", "D3", "D4"} <= run.unmet().keys()


def test_the_traps_read_a_source_rightly_before_they_read_it_wrongly() -> None:
    plan = begun(INTEGRATION, 0).plan
    for source in _still(plan)[:8]:
        right = [list(row) for row in plan.truth.sources[source.source_id].records]
        assert _read(plan, source, source.conflict_policy) == right
