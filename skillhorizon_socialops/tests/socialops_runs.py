"""Runs of the reference policy, as it is, under a mutation, or traced step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import testing
from skillhorizon.testing import Interference, Rehearsal
from skillhorizon_socialops.config import SocialConfig
from skillhorizon_socialops.environment import environment
from skillhorizon_socialops.plan import Plan

if TYPE_CHECKING:
    from skillhorizon import Sabotage

Run = Rehearsal[Plan]
Trace = testing.Trace[Plan]

SMALLEST = SocialConfig("cooldown_reactivation", "relay", 2)
OVERLAPPING = SocialConfig("overlapping_conversions", "merge", 12)
MIXED = SocialConfig("overlap_reactivation", "recall", 14, updates="more")
COOLDOWN = SocialConfig("cooldown_reactivation", "recall", 14, updates="more")


def begun(config: SocialConfig, seed: int) -> Run:
    """A world as it stands before any call."""
    return Rehearsal.begun(environment, config, seed)


def finished(config: SocialConfig, seed: int, sabotage: Sabotage | None = None) -> Run:
    """The reference run to its end; refusals are tolerated under a mutation only."""
    return begun(config, seed).finished(sabotage)


def traced(config: SocialConfig, seed: int, **how: Any) -> Trace:
    """Run the policy, interfered with as `skillhorizon.testing.Interference` says."""
    return testing.traced(begun(config, seed), Interference(**how))
