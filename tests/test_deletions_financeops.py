"""Deleting any condition of the checker, or any precondition of an operation, is noticed by a mutation or a trap."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest
from financeops_refused import FORGERIES, refused

from skillhorizon.testing import Site, Trapper, conditions_of, missed_by_mutations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon.testing import Laid

ORIGIN, PACKAGE = "skillhorizon_financeops.environment:environment", "skillhorizon_financeops"
IMPLIED = {
    ("gateway/aggregates.py", "_expected", "INPUT_NOT_CURRENT"): "a valid match stands on a valid normalization",
    ("gateway/closing.py", "close_stage", "STAGE_NOT_OPEN"): "a valid closure before it has opened the stage",
    ("gateway/packages.py", "_check_orders", "ORDER_UNKNOWN"): "an alias stands on no row of an unknown order",
    ("gateway/publishing.py", "publish_stage", "PREVIOUS_UNPUBLISHED"): "the release needs every publication anyway",
    ("gateway/publishing.py", "publish_stage", "REVIEW_NOT_PASSED"): "a valid review stands on a valid closure",
}
"""Preconditions that change no outcome, only which code and object a refusal names; the specification lists them."""
FAST_CODES = ("TOTALS_DO_NOT_TIE", "CONTRACT_FORMAT", "ALIAS_NOT_ON_ORDER", "DUTY_CONFLICT", "CLOSURE_DOES_NOT_TIE")
FAST_TRAPS = 250
"""The sample of the fast run: preconditions that the first traps come to."""


@pytest.fixture(scope="module")
def trapper() -> Trapper:
    return Trapper(ORIGIN, PACKAGE, own=refused)


@pytest.fixture(scope="module")
def first(trapper: Trapper) -> list[Laid]:
    return list(islice(trapper.laid(), FAST_TRAPS))


def deciding(sites: Iterable[Site]) -> list[Site]:
    """Return the sites that are not implied by others."""
    return [site for site in sites if (site.file, site.function, site.code) not in IMPLIED]


def test_every_condition_is_missed_by_some_mutation(trapper: Trapper) -> None:
    specimens = list(trapper.specimens())
    mutations = (*trapper.environment.mutations, *FORGERIES)
    assert conditions_of(specimens) - missed_by_mutations(specimens, mutations) == set()


@pytest.mark.parametrize("code", FAST_CODES)
def test_deleting_a_precondition_is_noticed(trapper: Trapper, first: list[Laid], code: str) -> None:
    sample = [site for site in deciding(trapper.sites) if site.code == code]
    assert sample
    assert trapper.survivors(sample, first) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_deleting_any_precondition_is_noticed(trapper: Trapper) -> None:
    laid: list[Laid] = list(trapper.laid())
    survivors = trapper.survivors(trapper.sites, laid)
    assert deciding(survivors) == []
    assert {(site.file, site.function, site.code) for site in survivors} == IMPLIED.keys()
