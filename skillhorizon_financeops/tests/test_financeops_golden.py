"""Golden digests: a change of any composed plan or answer is seen, and raises the environment's version."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from skillhorizon import Rng, digest
from skillhorizon_financeops.composer import compose
from skillhorizon_financeops.config import FAMILIES, FinanceConfig

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan

CELLS = [(family, variant) for family, variants in FAMILIES.items() for variant in variants]
GOLDEN = {
    "formats": "1e73c5a12bd3aeccca7d1a76873398ae",
    "currencies": "9bbf14ec3898dc0a1a5f60e01150c294",
    "legacy": "e72f7c17a6f0118bc8828269b06642e6",
    "referenced": "3167f726d00939bfa8c86315d332a369",
    "discounts": "7d49f00b67bab52b0efb9a1b6f2955ff",
    "unreferenced": "c47322c80ec01a2139deab3c9f1a4769",
    "supersession": "a65fe719e96ad1c0455f4a988e0d18e8",
    "amendment": "e913220b028cb8708f543730a2248e60",
    "rolling-views": "f41d594b4857a46165a24cbdcc38ce8f",
}


def fingerprint(plan: Plan) -> str:
    """A digest of facts, updates, graph, goals and answers."""
    truth = attrs.asdict(plan.truth, recurse=False)
    balances = {name: sorted(truth.pop(name).items()) for name in ("movement", "closing")}
    return digest([plan.facts, plan.updates, plan.graph, plan.goals, plan.resources, plan.views, truth, balances])


@pytest.mark.parametrize(("family", "variant"), CELLS)
def test_plans_are_what_they_were(family: str, variant: str) -> None:
    plan = compose(FinanceConfig(family, variant, 6, 8, updates="more"), Rng("golden", 1))
    assert fingerprint(plan) == GOLDEN[variant]
