"""FieldOps' completeness: mutations and traps notice each condition and each precondition that is deleted."""

from __future__ import annotations

from functools import cache

import pytest
from fieldops_refused import FORGERIES, refused

from skillhorizon.testing import Spot, Trapper

ORIGIN, PACKAGE = "skillhorizon_fieldops.environment:environment", "skillhorizon_fieldops"
PAIRED = Spot("64k", "restoration", "radial", 10, 2)
"""Has pair partners, and more zones than permits: no task of the smallest band does."""
FAST_CODES = ("wave_closed", "n_minus_one", "headroom_short", "permit_limit", "bad_cause", "stock_short", "pair_batch")
FAST_TRAPS = 160
"""The sample of the fast run: the environment's own traps."""


@cache
def trapper() -> Trapper:
    return Trapper(ORIGIN, PACKAGE, own=refused, larger=[PAIRED])


def test_some_mutation_misses_each_condition() -> None:
    assert trapper().unmissed(FORGERIES) == set()


@pytest.mark.parametrize("code", FAST_CODES)
def test_a_deleted_precondition_of_a_code_is_noticed(code: str) -> None:
    assert trapper().unnoticed(code, most=FAST_TRAPS) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_each_deleted_precondition_is_noticed() -> None:
    assert trapper().unnoticed() == []
