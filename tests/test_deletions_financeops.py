"""Deleting any condition of the checker, or any precondition of an operation, is noticed by a mutation or a trap."""

from __future__ import annotations

from functools import cache

import pytest
from financeops_refused import FORGERIES, refused

from skillhorizon.testing import Trapper

FAST_CODES = ("TOTALS_DO_NOT_TIE", "CONTRACT_FORMAT", "ALIAS_NOT_ON_ORDER", "DUTY_CONFLICT", "STAGE_NOT_OPEN")
FAST_TRAPS = 500
"""The sample of the fast run: preconditions that the first traps come to."""


@cache
def trapper() -> Trapper:
    return Trapper("skillhorizon_financeops.environment:environment", "skillhorizon_financeops", own=refused)


def test_every_condition_is_missed_by_some_mutation() -> None:
    assert trapper().unmissed(FORGERIES) == set()


@pytest.mark.parametrize("code", FAST_CODES)
def test_deleting_a_precondition_is_noticed(code: str) -> None:
    assert trapper().unnoticed(code, most=FAST_TRAPS) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_deleting_any_precondition_is_noticed() -> None:
    assert trapper().unnoticed() == []
