"""SocialOps' completeness: mutations and traps notice each condition and each precondition that is deleted."""

from __future__ import annotations

from functools import cache

import pytest
from socialops_forged import FORGERIES
from socialops_refused import WHOLE, refused

from skillhorizon.testing import Trapper

ORIGIN, PACKAGE = "skillhorizon_socialops.environment:environment", "skillhorizon_socialops"
FAST_CODES = (
    "WAVE_NOT_OPEN",
    "POST_STATUS",
    "DUE_TIME",
    "AUDIENCE_LOAD_NOT_CURRENT",
    "WAVE_CLOSED",
    "ASSET_WITHDRAWN",
    "DEPLOYMENT_VALID",
    "BENCHMARK_NOT_CURRENT",
)
FAST_TRAPS = 142
"""The sample of the fast run: the environment's own traps."""


@cache
def trapper() -> Trapper:
    return Trapper(ORIGIN, PACKAGE, own=refused, larger=[WHOLE])


def test_some_mutation_misses_every_condition() -> None:
    assert trapper().unmissed(FORGERIES) == set()


@pytest.mark.parametrize("code", FAST_CODES)
def test_the_deletion_of_a_precondition_is_noticed(code: str) -> None:
    assert trapper().unnoticed(code, most=FAST_TRAPS) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_deletion_of_every_precondition_is_noticed() -> None:
    assert trapper().unnoticed() == []
