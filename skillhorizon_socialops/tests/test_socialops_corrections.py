"""Corrections change the winner of half of the briefs that they meet, in every cell and band."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import attrs
import pytest
from socialops_composed import CELLS, of_kind

from skillhorizon import Rng
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.composer.corrections import Search, correction
from skillhorizon_socialops.composer.nominal import replayed
from skillhorizon_socialops.config import SocialConfig
from skillhorizon_socialops.plan import ConversionCorrection
from skillhorizon_socialops.scale import SCALE, bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon_socialops.rows import Brief
    from skillhorizon_socialops.truth import Story

SEEDS = range(1, 6)
ONE_UNABLE = 2
"""How far below half a task may lie whose last correction met no brief with a winner to change."""


def changes(config: SocialConfig, seed: int) -> list[bool]:
    """Whether each correction of a task changes the winner, in their order."""
    plan = compose(config, Rng("socialops", "dev", seed))
    story = replayed(plan)
    levels = [(u.brief, u.wave) for u in of_kind(plan, ConversionCorrection)]
    return [story.verdict(brief, at - 1).winner != story.verdict(brief, at).winner for brief, at in levels]


def sizes(scenario: str, pattern: str, bands: list[str]) -> Iterator[int]:
    """The least and the greatest n of bands that have a cell."""
    for band in bands:
        if (scenario, pattern) in SCALE.cells_of(band):
            yield from sorted(set(bounds(band, scenario, pattern)))


@pytest.mark.parametrize(("scenario", "pattern"), CELLS)
def test_half_of_a_tasks_corrections_change_the_winner(scenario: str, pattern: str) -> None:
    for briefs, seed in product((30, 60), (1, 2)):
        found = changes(SocialConfig(scenario, pattern, briefs), seed)
        assert -ONE_UNABLE <= 2 * sum(found) - len(found) <= 1


def test_single_corrections_change_the_winner_in_about_half_of_the_tasks() -> None:
    tasks = [changes(SocialConfig(*cell, 5), seed) for cell, seed in product(CELLS, range(1, 9))]
    single = [found for (found, *others) in tasks if not others]
    assert len(single) >= len(tasks) / 2
    assert 0.4 <= sum(single) / len(single) <= 0.6


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "pattern"), CELLS)
def test_half_of_a_cells_corrections_change_the_winner_over_all_bands(scenario: str, pattern: str) -> None:
    bands = ["smoke", "64k", "128k", "256k", "512k", "1m", "2m"]
    counts = sizes(scenario, pattern, bands)
    found = [changes(SocialConfig(scenario, pattern, briefs), seed) for briefs, seed in product(counts, SEEDS)]
    assert 0.45 <= sum(map(sum, found)) / sum(map(len, found)) <= 0.55
    assert all(-ONE_UNABLE <= 2 * sum(each) - len(each) <= 1 for each in found)


@pytest.mark.parametrize(("scenario", "pattern"), CELLS)
def test_a_winner_that_some_orders_can_change_is_changed(scenario: str, pattern: str) -> None:
    plan = compose(SocialConfig(scenario, pattern, 24, updates="none"), Rng("socialops", "dev", 1))
    story = replayed(plan)
    able = 0
    for brief in plan.facts.briefs:
        search = Search(rng=Rng("sought"), story=story, wave=brief.wave, briefs=[brief], changing=True)
        found = correction(search)
        assert found is not None
        assert found.changes == changeable(story, brief)
        able += found.changes
    assert 0 < able < len(plan.facts.briefs)


def changeable(story: Story, brief: Brief) -> bool:
    """Whether up to six rows of credited orders, however many of either arm, can change the winner."""
    present, before = story.verdict(brief.brief_id, brief.wave).winner, story.credit(brief.brief_id, brief.wave)
    rows = credited_rows(story, brief)
    for a, b in product(range(len(rows["a"]) + 1), range(len(rows["b"]) + 1)):
        if 1 <= sum(rows["a"][:a]) + sum(rows["b"][:b]) <= 6:
            left = attrs.evolve(before, conv_a=before.conv_a - a, conv_b=before.conv_b - b)
            if story.decide(brief.brief_id, left, brief.wave).winner != present:
                return True
    return False


def credited_rows(story: Story, brief: Brief) -> dict[str, list[int]]:
    """How many rows each order credited to an arm has that touches this brief alone, few first."""
    arms: dict[str, dict[str, list[bool]]] = {"a": {}, "b": {}}
    for event in story.known.events[brief.brief_id]:
        if not event.shared:
            arm = "b" if {post[-1] for post, _ in event.touches} & {"b", "s"} else "a"
            counted = not event.void and event.delay <= brief.credit_window_min
            arms[arm].setdefault(event.order, []).append(counted)
    return {arm: sorted(len(rows) for rows in orders.values() if any(rows)) for arm, orders in arms.items()}
