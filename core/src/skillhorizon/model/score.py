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
    findings = (*report.goals, *report.requirements)
    rewarded = [*report.goals, *(f for f in report.requirements if f.id in achievements)]
    return Score(
        goals_met=sum(finding.met for finding in report.goals),
        goals=len(report.goals),
        success=all(finding.met for finding in findings),
        reward=sum(_share(finding) for finding in rewarded) / len(rewarded) if rewarded else 0.0,
        unmet=tuple(finding for finding in findings if not finding.met),
    )


def _share(finding: Finding) -> float:
    conditions = finding.conditions
    return sum(conditions.values()) / len(conditions) if conditions else 1.0
