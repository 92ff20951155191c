"""Mutations: faults fail where they say, harmless variations pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fieldops_runs import begun, finished

from skillhorizon_fieldops.config import PROFILES, SCENARIOS, FieldConfig
from skillhorizon_fieldops.mutations import MUTATIONS
from skillhorizon_fieldops.scale import SCALE

if TYPE_CHECKING:
    from skillhorizon import Mutation
    from skillhorizon_fieldops.plan import Plan

NAMES = [mutation.name for mutation in MUTATIONS]
SMALL = [
    FieldConfig(scenario, profile, 10, 15_000)
    for scenario, profile in (("restoration", "radial"), ("restoration", "layered"), ("modernisation", "ring"))
]
WIDER = [
    FieldConfig(scenario, profile, services, 16_000, updates=updates)
    for scenario in SCENARIOS
    for profile in PROFILES
    for services in (6, 14, 40)
    for updates in ("default", "more")
]


def assert_consequence(config: FieldConfig, seed: int, name: str) -> None:
    mutation = MUTATIONS[NAMES.index(name)]
    sabotage = mutation.place(begun(config, seed).plan)
    if sabotage is None:
        return
    unmet = finished(config, seed, sabotage).unmet()
    assert sabotage.fails <= unmet.keys()
    if sabotage.passes or sabotage.only:
        assert unmet.keys() == sabotage.fails


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("config", SMALL, ids=lambda config: config.profile)
def test_a_mutation_has_the_consequence_it_states(config: FieldConfig, name: str) -> None:
    assert_consequence(config, 1, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("config", WIDER, ids=lambda c: f"{c.scenario}-{c.profile}-{c.services}-{c.updates}")
def test_a_mutation_has_the_consequence_it_states_everywhere(config: FieldConfig, name: str) -> None:
    for seed in (2, 3):
        assert_consequence(config, seed, name)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=NAMES)
def test_every_mutation_has_its_place(mutation: Mutation[Plan]) -> None:
    plans = [begun(config, seed).plan for config in SMALL for seed in range(3)]
    placed = [(plan, sabotage) for plan in plans if (sabotage := mutation.place(plan)) is not None]
    assert placed
    for plan, sabotage in placed:
        known = {goal.id for goal in plan.goals} | {requirement.id for requirement in plan.requirements}
        assert sabotage.fails <= known


@pytest.mark.parametrize("cell", SCALE.cells, ids="-".join)
def test_every_mutation_has_its_place_in_each_cell_from_64k_on(cell: tuple[str, str]) -> None:
    low, high = SCALE.bounds("64k", *cell)
    configs = [SCALE.config("64k", *cell, low + (high - low) * i // 11, {}) for i in range(12)]
    plans = [begun(config, seed).plan for seed, config in enumerate(configs)]
    placed = {m.name: sum(m.place(plan) is not None for plan in plans) for m in MUTATIONS}
    assert all(placed.values()), placed
    assert placed["alternate-part"] >= 10
