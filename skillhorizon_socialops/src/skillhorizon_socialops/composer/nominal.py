"""The calendar as planned: truth of a task while it is composed, wave by wave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_socialops.composer.briefs import due
from skillhorizon_socialops.plan import CalendarSubstitution, ConversionCorrection, RightsWithdrawal
from skillhorizon_socialops.truth import PUBLISHED, WITHDRAWN, ArmRun, Course, Known, Story

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon_socialops.composer.briefs import Portfolio
    from skillhorizon_socialops.plan import AnyUpdate, Event, Facts, Plan
    from skillhorizon_socialops.rows import Brief, Post

_WAVE_CALLS = 1_000
_CORRECTED, _ARM, _REPORTED, _WITHDRAWN, _OPENED = 50, {"a": 100, "b": 200}, 500, 300, 1
"""When things happen within a wave's thousand made-up calls."""


class Nominal:
    """A task's truth so far: every post runs when it is due, every update is answered at once."""

    def __init__(self, portfolio: Portfolio | Facts) -> None:
        rows: dict[str, list[tuple[str, str]]] = {brief.brief_id: [] for brief in portfolio.briefs}
        for row in portfolio.depends:
            rows[row.brief_id].append((row.role, row.upstream))
        self.events: dict[str, list[Event]] = {name: [] for name in rows}
        self.corrections: dict[str, ConversionCorrection] = {}
        self._posts: dict[str, Post] = {post.post_id: post for post in portfolio.posts}
        self._dues: dict[str, int] = {}
        self._statuses: dict[str, str] = {}
        self._arms: dict[tuple[str, str], list[ArmRun]] = {}
        self._fired: dict[str, int] = {}
        self._reports: dict[str, list[int]] = {name: [] for name in rows}
        self._starts = {brief.wave: due(brief.wave, 0) for brief in portfolio.briefs}
        self._withdrawals: list[RightsWithdrawal] = []
        known = Known(
            briefs={brief.brief_id: brief for brief in portfolio.briefs},
            rows=rows,
            posts=self._posts,
            events=self.events,
            corrections=self.corrections,
            withdrawals=self._withdrawals,
            retention={},
        )
        course = Course(
            starts=self._starts,
            dues=self._dues,
            statuses=self._statuses,
            arms=self._arms,
            fired=self._fired,
            reports=self._reports,
        )
        self.story = Story(known, course)

    def opening(self, wave: int) -> int:
        """Return the call that stands for a wave's opening, when nothing is published."""
        return _WAVE_CALLS * wave + _OPENED

    def correct(self, correction: ConversionCorrection) -> None:
        """Let a correction fire at its boundary, and the brief be reported again."""
        self.corrections[correction.brief] = correction
        self._fired[correction.id] = _WAVE_CALLS * (correction.wave + 1)
        self._reports[correction.brief].append(_WAVE_CALLS * (correction.wave + 1) + _CORRECTED)

    def show(self, events: Sequence[Event]) -> None:
        """Put events into the feeds that show them."""
        for event in events:
            for brief in event.briefs:
                self.events[brief].append(event)

    def play(self, wave: int, briefs: Sequence[Brief], updates: Sequence[AnyUpdate]) -> None:
        """Run a wave's arms, as substitutions leave them, and report them; the wave's events must be known."""
        replaced = {update.brief: update.post for update in updates if isinstance(update, CalendarSubstitution)}
        for brief in briefs:
            name = brief.brief_id
            for arm in "ab":
                self._publish(self._posts[f"p{name[1:]}-{arm}"])
            if name in replaced:
                self._statuses[f"p{name[1:]}-b"] = WITHDRAWN
                self._publish(replaced[name])
            for arm in "ab":
                call = _WAVE_CALLS * wave + _ARM[arm]
                self._arms[name, arm] = [ArmRun(call, self.story.arm(name, arm, call))]
            self._reports[name].append(_WAVE_CALLS * wave + _REPORTED)

    def _publish(self, post: Post) -> None:
        self._posts[post.post_id] = post
        self._dues[post.post_id] = post.due_at
        self._statuses[post.post_id] = PUBLISHED

    def withdraw(self, update: RightsWithdrawal) -> None:
        """Let rights be withdrawn once all arms of the next wave have run."""
        self._withdrawals.append(update)
        self._fired[update.id] = _WAVE_CALLS * (update.wave + 1) + _WITHDRAWN


def replayed(plan: Plan) -> Story:
    """Return the truth of a plan whose every post runs when it is due."""
    nominal = Nominal(plan.facts)
    nominal.show(plan.facts.events)
    for wave in range(1, plan.waves + 1):
        fired = [update for update in plan.updates if update.wave == wave - 1]
        for update in fired:
            if isinstance(update, ConversionCorrection):
                nominal.correct(update)
        nominal.play(wave, [brief for brief in plan.facts.briefs if brief.wave == wave], fired)
        for update in fired:
            if isinstance(update, RightsWithdrawal):
                nominal.withdraw(update)
    return nominal.story
