"""The checker against a slow, obvious reading of the same rules, over calendars that did not go as planned."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest
from socialops_oracle import judged
from socialops_runs import Run, begun, finished
from socialops_whims import whimsical

from skillhorizon_socialops.config import PATTERNS, SCENARIOS, SocialConfig
from skillhorizon_socialops.mutations import MUTATIONS

if TYPE_CHECKING:
    from skillhorizon import Mutation
    from skillhorizon_socialops.plan import Plan

CELLS = [(scenario, pattern) for scenario in SCENARIOS for pattern in PATTERNS]
SIZES = (5, 6, 14, 10, 14, 18)
SEEDS = 200
FAST = (57, 59, 120)
"""Among them every way not to keep to the calendar."""
WAYS = {"closed late", "moved", "run twice", "at +59", "withdrawn between"}


def config_of(seed: int) -> SocialConfig:
    briefs = SIZES[seed // len(CELLS) % len(SIZES)]
    return SocialConfig(*CELLS[seed % len(CELLS)], briefs, updates=("default", "more")[seed % 2])


@cache
def happened(seed: int) -> tuple[frozenset[str], bool]:
    """Play a task by whims, compare what oracle and checker say; return what happened, and whether all was met."""
    run, done = whimsical(config_of(seed), seed)
    assert_agreed(run)
    met = not run.unmet()
    run.world.close()
    return frozenset(done), met


def assert_agreed(run: Run) -> None:
    assert judged(run) == {finding.id: dict(finding.conditions) for finding in run.report().goals}


@pytest.mark.parametrize("seed", FAST)
def test_checker_and_oracle_agree_on_calendars_as_run(seed: int) -> None:
    happened(seed)


def test_the_calendar_is_left_in_every_way() -> None:
    assert set().union(*(happened(seed)[0] for seed in FAST)) >= WAYS


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_checker_and_oracle_agree_on_two_hundred_calendars_as_run() -> None:
    found = [happened(seed) for seed in range(SEEDS)]
    ways = Counter(way for done, _ in found for way in done)
    assert all(ways[way] >= 10 for way in WAYS)
    assert sum(met for _, met in found) > SEEDS * 3 // 4


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_checker_and_oracle_agree_on_mutated_runs(mutation: Mutation[Plan]) -> None:
    config, seed = SocialConfig("overlapping_conversions", "recall", 14, updates="more"), 5
    sabotage = mutation.place(begun(config, seed).plan)
    if sabotage is not None:
        assert_agreed(finished(config, seed, sabotage))
