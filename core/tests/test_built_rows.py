"""Rows that every built world has are read without asking whether they are there."""

from __future__ import annotations

import pytest
from bakery import Batch

from skillhorizon import World


def test_a_row_that_a_plan_built_is_returned() -> None:
    world = World.empty([Batch])
    world.insert(batch := Batch("B00", 7, 1))
    assert world.built(Batch, "B00") == batch


def test_a_row_that_no_plan_built_is_named() -> None:
    with pytest.raises(LookupError, match="the world has no batch 'B01'; build it from its plan"):
        World.empty([Batch]).built(Batch, "B01")
