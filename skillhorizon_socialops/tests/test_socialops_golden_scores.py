"""Golden scores: what each mutation loses on one task a scenario; a change that moves a score raises the version."""

from __future__ import annotations

import pytest

from skillhorizon import digest
from skillhorizon.testing import losses
from skillhorizon_socialops.config import SocialConfig
from skillhorizon_socialops.environment import environment

CONFIGS = {
    "overlapping_conversions": SocialConfig("overlapping_conversions", "merge", 10, updates="more"),
    "cooldown_reactivation": SocialConfig("cooldown_reactivation", "relay", 10, updates="more"),
    "overlap_reactivation": SocialConfig("overlap_reactivation", "recall", 10, updates="more"),
}
SEED = 7
GOLDEN = {
    "overlapping_conversions": "edd2dec2877ac5d44261ab2b5ea56c33",
    "cooldown_reactivation": "98bf068a9331fd25b7d085847b480927",
    "overlap_reactivation": "414750916f4ec00126c84a2c6904034f",
}


@pytest.mark.parametrize("scenario", CONFIGS)
def test_every_mutation_loses_what_it_always_lost(scenario: str) -> None:
    assert digest(losses(environment, CONFIGS[scenario], SEED)) == GOLDEN[scenario]
