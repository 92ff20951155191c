"""Mutations: faults fail where they say, harmless variations pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from financeops_runs import begun, finished

from skillhorizon_financeops.config import FAMILIES, FinanceConfig
from skillhorizon_financeops.mutations import MUTATIONS

if TYPE_CHECKING:
    from skillhorizon import Mutation
    from skillhorizon_financeops.plan import Plan

NAMES = [mutation.name for mutation in MUTATIONS]
SMALL = [FinanceConfig(family, variants[0], 4, 6) for family, variants in FAMILIES.items()]
WIDER = [
    FinanceConfig(family, variant, 6, 8, updates=updates)
    for family, variants in FAMILIES.items()
    for variant in variants
    for updates in ("default", "more")
]


def assert_consequence(config: FinanceConfig, seed: int, name: str) -> None:
    mutation = MUTATIONS[NAMES.index(name)]
    sabotage = mutation.place(begun(config, seed).plan)
    if sabotage is None:
        return
    unmet = finished(config, seed, sabotage).unmet()
    assert sabotage.fails <= unmet.keys()
    if sabotage.passes or sabotage.only:
        assert unmet.keys() == sabotage.fails


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.variant)
def test_a_mutation_has_the_consequence_it_states(config: FinanceConfig, name: str) -> None:
    assert_consequence(config, 1, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("config", WIDER, ids=lambda config: f"{config.variant}-{config.updates}")
def test_a_mutation_has_the_consequence_it_states_everywhere(config: FinanceConfig, name: str) -> None:
    assert_consequence(config, 2, name)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=NAMES)
def test_every_mutation_has_its_place(mutation: Mutation[Plan]) -> None:
    plans = [begun(config, seed).plan for config in SMALL for seed in range(3)]
    placed = [(plan, sabotage) for plan in plans if (sabotage := mutation.place(plan)) is not None]
    assert placed
    for plan, sabotage in placed:
        known = {goal.id for goal in plan.goals} | {requirement.id for requirement in plan.requirements}
        assert sabotage.fails <= known
