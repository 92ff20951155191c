"""Golden scores: what each mutation loses on one task a scenario; a change that moves a score raises the version."""

from __future__ import annotations

import pytest
from socialops_runs import begun, finished

from skillhorizon import digest
from skillhorizon_socialops.config import SocialConfig
from skillhorizon_socialops.environment import environment

CONFIGS = {
    "overlapping_conversions": SocialConfig("overlapping_conversions", "merge", 10, updates="more"),
    "cooldown_reactivation": SocialConfig("cooldown_reactivation", "relay", 10, updates="more"),
    "overlap_reactivation": SocialConfig("overlap_reactivation", "recall", 10, updates="more"),
}
GOLDEN = {
    "overlapping_conversions": "edd2dec2877ac5d44261ab2b5ea56c33",
    "cooldown_reactivation": "a7c208bb02c8ce57c96e14154cd7f92b",
    "overlap_reactivation": "414750916f4ec00126c84a2c6904034f",
}


def losses(config: SocialConfig) -> dict[str, dict[str, tuple[str, ...]] | None]:
    """What is unmet, and why: by nobody, the reference, and every mutation that has a place."""
    nobody = begun(config, 7)
    lost: dict[str, dict[str, tuple[str, ...]] | None] = {
        "null": nobody.unmet(),
        "reference": finished(config, 7).unmet(),
    }
    for mutation in environment.mutations:
        sabotage = mutation.place(nobody.plan)
        lost[mutation.name] = None if sabotage is None else finished(config, 7, sabotage).unmet()
    return lost


@pytest.mark.parametrize("scenario", CONFIGS)
def test_every_mutation_loses_what_it_always_lost(scenario: str) -> None:
    assert digest(losses(CONFIGS[scenario])) == GOLDEN[scenario]
