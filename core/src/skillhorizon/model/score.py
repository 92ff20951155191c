"""Scores of one execution (protocol, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon.model.goal import Demand, Finding, Report, Requirement

if TYPE_CHECKING:
    from collections.abc import Sequence


@attrs.frozen(kw_only=True)
class Score:
    """What one execution reached: goals met of all, task success, dense reward, and what is unmet and why."""

    goals_met: int
    goals: int
    success: bool
    reward: float
    unmet: tuple[Finding, ...]

    @property
    def lgc(self) -> float:
        """Local-goal completion, 0..1."""
        return self.goals_met / self.goals if self.goals else 0.0


def score(report: Report, requirements: Sequence[Requirement]) -> Score:
    """Score a report: LGC, TS and the mean share of conditions over goals and achievements.

    A kept invariant earns no reward; a broken one fails TS.
    """
    achievements = {r.id for r in requirements if r.demand is Demand.ACHIEVEMENT}
    rewarded = [*report.goals, *(f for f in report.requirements if f.id in achievements)]
    goals = [finding for finding in report.goals if not finding.met]
    unmet = (*goals, *(finding for finding in report.requirements if not finding.met))
    return Score(
        goals_met=len(report.goals) - len(goals),
        goals=len(report.goals),
        success=not unmet,
        reward=sum(map(_share, rewarded)) / len(rewarded) if rewarded else 0.0,
        unmet=unmet,
    )


def _share(finding: Finding) -> float:
    conditions = finding.conditions
    return sum(conditions.values()) / len(conditions) if conditions else 1.0
