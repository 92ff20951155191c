"""Local goals and delivery requirements, and the checker's report on them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import attrs


class Demand(StrEnum):
    """An achievement is false at the start; an invariant is true unless broken."""

    ACHIEVEMENT = "achievement"
    INVARIANT = "invariant"


@attrs.frozen(slots=False)  # made in half the time, and a task has thousands
class Goal:
    """A local goal: one unit of business work and the modules that serve it."""

    id: str
    unit: str
    modules: tuple[str, ...]


@attrs.frozen
class Requirement:
    """A joint delivery condition of the whole task."""

    id: str
    demand: Demand
    text: str


@attrs.frozen
class Finding:
    """The checker's verdict on one goal or requirement: its conditions by name; it holds when all of them do.

    >>> Finding("source:S01-01", {"normalized": True, "closed": False}).met
    False
    """

    id: str
    conditions: Mapping[str, bool]

    @property
    def met(self) -> bool:
        """Whether every condition holds."""
        return all(self.conditions.values())

    @property
    def unmet(self) -> tuple[str, ...]:
        """The names of the conditions that do not hold."""
        return tuple(name for name, holds in self.conditions.items() if not holds)


@attrs.frozen
class Report:
    """The checker's findings: one per goal and one per requirement of the plan, in the plan's order."""

    goals: tuple[Finding, ...]
    requirements: tuple[Finding, ...]
