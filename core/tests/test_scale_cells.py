"""Bands that serve some of an environment's cells only."""

from __future__ import annotations

from typing import Any

import attrs
from bakery import MUTATIONS, SCALE, bakery, left_out

from skillhorizon import Mutation, Sabotage
from skillhorizon.conformance.mutations import check
from skillhorizon.conformance.origin import components_of
from skillhorizon.conformance.subject import Subject
from skillhorizon.testing import FAST

SMALL = 3
FEWER = attrs.evolve(SCALE, cells=(*SCALE.cells, ("bread", "sour")), fewer={"smoke": SCALE.cells[:1]})


def test_a_band_serves_all_cells_unless_it_says_otherwise() -> None:
    assert SCALE.cells_of("smoke") == SCALE.cells
    assert FEWER.cells_of("smoke") == SCALE.cells[:1]
    assert FEWER.cells_of("64k") == FEWER.cells


def test_specimens_are_made_of_the_cells_that_a_band_serves() -> None:
    fewer = components_of("bakery:bakery", bakery(scale=FEWER))
    spots = Subject("bakery:bakery", fewer, FAST).spots(["smoke"], 1)
    assert [(spot.family, spot.variant) for spot in spots] == list(SCALE.cells[:1])


def test_a_mutation_without_a_place_in_the_samples_is_tried_in_the_bands_above() -> None:
    """A task of the smallest band has three orders; the mutation needs more."""

    def last_of_many(plan: Any) -> Sabotage | None:
        return left_out(plan) if len(plan.batches) > SMALL else None

    def larger(band: str, family: str, variant: str) -> tuple[int, int]:
        return (SMALL, SMALL) if band == "smoke" else (6, 9)

    scale = attrs.evolve(SCALE, bounds=larger, bands=("smoke", "64k"))
    crowded = bakery(mutations=(*MUTATIONS, Mutation("last-of-many", last_of_many)), scale=scale)
    subject = Subject("bakery:bakery", components_of("bakery:bakery", crowded), FAST)
    assert {spot.band for spot in subject.samples()} == {"smoke"}
    assert {spot.band for spot in subject.above()} == {"64k"}
    assert list(check(subject)) == []
    alone = components_of("bakery:bakery", attrs.evolve(crowded, scale=attrs.evolve(scale, bands=("smoke",))))
    assert [found.message for found in check(Subject("bakery:bakery", alone, FAST))] == [
        "the mutation last-of-many applies nowhere"
    ]
