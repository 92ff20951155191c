"""Truth agrees with a slow replay that works everything out anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from financeops_oracle import replay, tables

from skillhorizon import Rng
from skillhorizon_financeops.composer import compose
from skillhorizon_financeops.config import FAMILIES, FinanceConfig
from skillhorizon_financeops.truth import known_at

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan, SourceTruth

CELLS = [(family, variant) for family, variants in FAMILIES.items() for variant in variants]
UPDATES = ("default", "more", "default", "none")


def composed(seed: int) -> Plan:
    """A plan of a smoke or 64k size, another cell with every seed."""
    family, variant = CELLS[seed % len(CELLS)]
    stages, width = (4, 2) if seed % 5 == 0 else (4 + 2 * (seed % 2), 6 + 2 * (seed % 3))
    return compose(FinanceConfig(family, variant, stages, width, updates=UPDATES[seed % 4]), Rng("oracle", seed))


def told(truth: SourceTruth) -> dict[str, object]:
    return {
        "contract": truth.contract_id,
        "records": list(truth.records),
        "citations": list(truth.citations),
        "lines": None if truth.lines is None else list(truth.lines),
        "on_account": None if truth.on_account is None else list(truth.on_account),
        "totals": list(truth.totals),
    }


def worked(source: dict[str, object]) -> dict[str, object]:
    contract = source["contract"]
    assert isinstance(contract, dict)
    own = {name: source.get(name) for name in ("records", "citations", "lines", "on_account", "totals")}
    return {"contract": contract["contract_id"], **own}


def assert_truth_of_every_stage(plan: Plan) -> None:
    for stage in range(1, plan.stages + 1):
        known = sum(update.stage < stage for update in plan.updates)
        for source_id, source in replay(tables(plan, known), stage).items():
            assert told(known_at(plan.truth.history[source_id], known)) == worked(source), (stage, source_id)


def assert_final_truth(plan: Plan) -> None:
    final = replay(tables(plan, len(plan.updates)), plan.stages)
    assert {name: told(truth) for name, truth in plan.truth.sources.items()} == {
        name: worked(source) for name, source in final.items()
    }
    balance = {entity.entity: entity.opening for entity in plan.facts.entities}
    for stage in range(1, plan.stages + 1):
        for source in final.values():
            for entity, _, net in source["totals"] if source["stage"] == stage else ():
                balance[entity] += net
        assert plan.truth.closing[stage] == balance


def assert_evidence(plan: Plan) -> None:
    for number, update in enumerate(plan.updates):
        before, after = (replay(tables(plan, number + n), update.stage) for n in (0, 1))
        basis = [name for name in before if _basis(before[name]) != _basis(after[name])]
        assert {name: list(changes) for name, changes in plan.truth.evidence[update.id].items()} == {
            name: _changes(before[name]["totals"], after[name]["totals"]) for name in basis
        }
        moved = [name for name in before if worked(before[name]) != worked(after[name])]
        assert list(plan.truth.moved[update.id]) == sorted(moved)


def _basis(source: dict[str, object]) -> tuple[object, ...]:
    contract = source["contract"]
    assert isinstance(contract, dict)
    return source["chosen"], contract["contract_id"], source["citations"]


def _changes(before: list[tuple[str, int, int]], after: list[tuple[str, int, int]]) -> list[tuple[str, int]]:
    net = {entity: amount for entity, _, amount in after}
    for entity, _, amount in before:
        net[entity] = net.get(entity, 0) - amount
    return sorted((entity, amount) for entity, amount in net.items() if amount)


def assert_agreement(seed: int) -> None:
    plan = composed(seed)
    assert_truth_of_every_stage(plan)
    assert_final_truth(plan)
    assert_evidence(plan)


@pytest.mark.parametrize("seed", range(18))
def test_truth_agrees_with_the_slow_replay(seed: int) -> None:
    assert_agreement(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(18, 218))
def test_truth_agrees_with_the_slow_replay_on_many_seeds(seed: int) -> None:
    assert_agreement(seed)
