"""Golden digests: a change of any composed plan or seed row is seen, and raises the environment's version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from skillhorizon import Rng, digest
from skillhorizon_socialops.catalogue import seed
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.config import PATTERNS, SCENARIOS, SocialConfig

if TYPE_CHECKING:
    from skillhorizon_socialops.plan import Plan

CELLS = [(scenario, pattern) for scenario in SCENARIOS for pattern in PATTERNS]
GOLDEN = {
    "overlapping_conversions-relay": "b4ea1da0a47baa4cb6e21cbcf83a3a7e",
    "overlapping_conversions-recall": "077a6731c90e57a145fd49451ada0912",
    "overlapping_conversions-merge": "0755c7e01d8bc9409120312a5e48bd86",
    "cooldown_reactivation-relay": "d1166076b6d218a2bef986afaf0d2ab9",
    "cooldown_reactivation-recall": "6d911b34a33aaff8a00347c1ea5e73e9",
    "cooldown_reactivation-merge": "2ba0b76b4878ac0270a9d04970fd11b6",
    "overlap_reactivation-relay": "0195b21c1c60399ffffa562444d9f562",
    "overlap_reactivation-recall": "8b7afc7c8984aaeb9c1c8792e58e26d1",
    "overlap_reactivation-merge": "effcc443e8d955b587d46e14e15f8b4a",
}
SEED = "d0417e9dbdc0e73b97ed05ba63ce8a2a"


def fingerprint(plan: Plan) -> str:
    """A digest of facts, updates, graph and goals."""
    kinds = [[update.kind, update] for update in plan.updates]
    return digest([plan.facts, kinds, plan.graph, plan.goals, plan.resources, plan.brief, plan.work])


@pytest.mark.parametrize(("scenario", "pattern"), CELLS)
def test_plans_are_what_they_were(scenario: str, pattern: str) -> None:
    plan = compose(SocialConfig(scenario, pattern, 40, updates="more"), Rng("golden", 1))
    assert fingerprint(plan) == GOLDEN[f"{scenario}-{pattern}"]


def test_the_seed_is_what_it_was() -> None:
    assert digest(list(attrs.astuple(seed(), recurse=False))) == SEED
