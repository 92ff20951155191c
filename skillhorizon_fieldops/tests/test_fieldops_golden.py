"""Golden digests: a change of any composed plan or answer is seen, and raises the environment's version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from skillhorizon import Rng, digest
from skillhorizon_fieldops.composer import compose
from skillhorizon_fieldops.config import PROFILES, SCENARIOS, FieldConfig

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

CELLS = [(scenario, profile) for scenario in SCENARIOS for profile in PROFILES]
GOLDEN = {
    "restoration-radial": "18d6ee0824cddcb121c756ba10ed04b3",
    "restoration-ring": "528f9c4cb5360edd1352d1d9cf2c8657",
    "restoration-layered": "b9950b980d5c193548107afeba37a77e",
    "modernisation-radial": "783ab4795d61cf2f01f5526c33b2e27f",
    "modernisation-ring": "8260b8404e480f3455f5eab7eb9db977",
    "modernisation-layered": "b2a1908a9233c1c0afa7f9c25362a4e4",
}


def fingerprint(plan: Plan) -> str:
    """A digest of facts, updates, graph, goals and answers."""
    truth = attrs.asdict(plan.truth, recurse=False)
    kinds = [[update.kind, update] for update in plan.updates]
    return digest([plan.facts, kinds, plan.graph, plan.goals, plan.resources, plan.brief, plan.work, truth])


@pytest.mark.parametrize(("scenario", "profile"), CELLS)
def test_plans_are_what_they_were(scenario: str, profile: str) -> None:
    plan = compose(FieldConfig(scenario, profile, 40, 16_000, updates="more"), Rng("golden", 1))
    assert fingerprint(plan) == GOLDEN[f"{scenario}-{profile}"]
