"""Golden scores: what each mutation loses on one task a family; a change that moves a score raises the version."""

from __future__ import annotations

import pytest

from skillhorizon import digest
from skillhorizon.testing import losses
from skillhorizon_financeops.config import FinanceConfig
from skillhorizon_financeops.environment import environment

CONFIGS = {
    "heterogeneous-integration": FinanceConfig("heterogeneous-integration", "currencies", 4, 4),
    "receivables-reconciliation": FinanceConfig("receivables-reconciliation", "discounts", 4, 4),
    "release-maintenance": FinanceConfig("release-maintenance", "amendment", 4, 4),
}
SEED = 7
GOLDEN = {
    "heterogeneous-integration": "324f66308fd415df8b8bdca746fab650",
    "receivables-reconciliation": "41957586d62a5a3d9b03a97c356f7ea4",
    "release-maintenance": "09a6eacecb10c3b0898f0aa7e96a84c0",
}


@pytest.mark.parametrize("family", CONFIGS)
def test_every_mutation_loses_what_it_always_lost(family: str) -> None:
    assert digest(losses(environment, CONFIGS[family], SEED)) == GOLDEN[family]
