"""Bands that serve some of an environment's cells only."""

from __future__ import annotations

import attrs
from bakery import SCALE, bakery

from skillhorizon.conformance.origin import components_of
from skillhorizon.conformance.subject import Subject
from skillhorizon.testing import FAST

FEWER = attrs.evolve(SCALE, cells=(*SCALE.cells, ("bread", "sour")), fewer={"smoke": SCALE.cells[:1]})


def test_a_band_serves_all_cells_unless_it_says_otherwise() -> None:
    assert SCALE.cells_of("smoke") == SCALE.cells
    assert FEWER.cells_of("smoke") == SCALE.cells[:1]
    assert FEWER.cells_of("64k") == FEWER.cells


def test_specimens_are_made_of_the_cells_that_a_band_serves() -> None:
    fewer = components_of("bakery:bakery", bakery(scale=FEWER))
    spots = Subject("bakery:bakery", fewer, FAST).spots(["smoke"], 1)
    assert [(spot.family, spot.variant) for spot in spots] == list(SCALE.cells[:1])
