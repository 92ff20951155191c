"""Mutations: each fails what it says and what depends on that, nothing else; harmless ones pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from socialops_runs import begun, finished

from skillhorizon import Rng
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.config import COOLDOWN, MERGE, OVERLAPPING, PATTERNS, SCENARIOS, SocialConfig
from skillhorizon_socialops.mutations import MUTATIONS

if TYPE_CHECKING:
    from skillhorizon import Mutation, Sabotage
    from skillhorizon_socialops.plan import Plan

NAMES = [mutation.name for mutation in MUTATIONS]
SMALL = [
    SocialConfig("cooldown_reactivation", "relay", 2),
    SocialConfig("overlapping_conversions", "recall", 6, updates="more"),
    SocialConfig("overlap_reactivation", "merge", 12, updates="more"),
]
WIDER = [
    SocialConfig(scenario, pattern, briefs, updates=updates)
    for scenario in SCENARIOS
    for pattern in PATTERNS
    for briefs, updates in ((6, "default"), (14, "more"), (40, "default"))
]


def allowed(plan: Plan, sabotage: Sabotage) -> set[str]:
    """What may be unmet: what is named, and goals downstream of it.

    A corrective post whose notice is never acknowledged is not released either.
    """
    modules = {goal.id: goal.modules for goal in plan.goals}
    reached = plan.graph.reachable(m for each in sabotage.fails if each in modules for m in modules[each])
    goals = {goal for goal, own in modules.items() if reached.intersection(own)}
    return {*sabotage.fails, *goals, *(["D2"] if {"D1", "D5"} <= sabotage.fails else [])}


def assert_consequence(config: SocialConfig, seed: int, name: str) -> None:
    mutation = MUTATIONS[NAMES.index(name)]
    plan = begun(config, seed).plan
    sabotage = mutation.place(plan)
    if sabotage is None:
        return
    unmet = finished(config, seed, sabotage).unmet()
    assert sabotage.fails <= unmet.keys()
    if sabotage.passes or sabotage.only:
        assert unmet.keys() == sabotage.fails
    else:
        assert unmet.keys() <= allowed(plan, sabotage)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("config", SMALL, ids=lambda config: f"{config.pattern}-{config.briefs}")
def test_a_mutation_has_the_consequence_it_states(config: SocialConfig, name: str) -> None:
    assert_consequence(config, 1, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("config", WIDER, ids=lambda c: f"{c.scenario}-{c.pattern}-{c.briefs}")
def test_a_mutation_has_the_consequence_it_states_everywhere(config: SocialConfig, name: str) -> None:
    for seed in (2, 3):
        assert_consequence(config, seed, name)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=NAMES)
def test_every_mutation_has_its_place_in_every_cell(mutation: Mutation[Plan]) -> None:
    """A neighbour's window needs shared conversions; they are what reactivation by cooldown alone has not."""
    for scenario in SCENARIOS:
        for pattern in PATTERNS:
            plans = (compose(SocialConfig(scenario, pattern, 6), Rng("places", seed)) for seed in range(24))
            placed = next((s for plan in plans if (s := mutation.place(plan)) is not None), None)
            assert (placed is not None) == (mutation.name != "neighbours-window" or scenario != COOLDOWN)


def test_known_findings_are_named() -> None:
    config = SocialConfig(OVERLAPPING, MERGE, 14, updates="more")
    plan = begun(config, 3).plan
    known = {goal.id for goal in plan.goals} | {requirement.id for requirement in plan.requirements}
    placed = [sabotage for mutation in MUTATIONS if (sabotage := mutation.place(plan)) is not None]
    assert len(placed) > 10
    assert all(sabotage.fails <= known for sabotage in placed)
