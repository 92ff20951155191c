"""Runs of the reference policy, as it is or under a mutation, for the tests of goals and mutations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon.testing import Rehearsal
from skillhorizon_financeops.environment import environment
from skillhorizon_financeops.plan import Plan

if TYPE_CHECKING:
    from skillhorizon import Sabotage
    from skillhorizon_financeops.config import FinanceConfig

Run = Rehearsal[Plan]


def begun(config: FinanceConfig, seed: int) -> Run:
    """A world as it stands before any call."""
    return Rehearsal.begun(environment, config, seed)


def finished(config: FinanceConfig, seed: int, sabotage: Sabotage | None = None) -> Run:
    """The reference run to its end; refusals are tolerated under a mutation only."""
    return begun(config, seed).finished(sabotage)
