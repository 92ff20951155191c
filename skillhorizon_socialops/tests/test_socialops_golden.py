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
    "overlapping_conversions-relay": "ff2e8889990fbaaf10d25871ff422536",
    "overlapping_conversions-recall": "bb52c9e384691a5ce63d6d88014857a1",
    "overlapping_conversions-merge": "5c0042923d46d673d0bf212905ec2c28",
    "cooldown_reactivation-relay": "18d1b8c68aae5bd95e502b6047c0414f",
    "cooldown_reactivation-recall": "c2b58451dcde64338d9aa55e42d8e81e",
    "cooldown_reactivation-merge": "d6864e73fc59d79b10ffb33f02640ddf",
    "overlap_reactivation-relay": "2c99f438d1a46abcebc75e5100af7644",
    "overlap_reactivation-recall": "ca2928b9d2ad55889588721401ca5444",
    "overlap_reactivation-merge": "aaea7a8c95a5e86b61cd1185742d7544",
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
