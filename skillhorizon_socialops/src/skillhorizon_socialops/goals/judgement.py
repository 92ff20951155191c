"""What a state is judged by: the plan, what is true over the calendar as it ran, and who had seen what."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon_socialops.goals.state import State, Version
from skillhorizon_socialops.plan import Plan
from skillhorizon_socialops.truth import ArmRun, Course, Exposure, Known, Pair, Run, Story, arm_of, load, past

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOTHING = "", ""
_ARMS = "ab"


@attrs.frozen(kw_only=True)
class Judgement:
    """A state beside its plan."""

    plan: Plan
    state: State
    known: Known
    story: Story

    @classmethod
    def of(cls, plan: Plan, state: State) -> Judgement:
        """Index a plan, and replay it over the calendar as it ran."""
        known = Known.of(plan)
        return cls(plan=plan, state=state, known=known, story=Story(known, course(known, state)))

    @cached_property
    def final(self) -> int:
        """The level of the end: all corrections that fired."""
        return self.plan.waves

    @cached_property
    def caps(self) -> Mapping[str, int]:
        """The cap of each audience."""
        return {policy.audience_id: policy.cap for policy in self.plan.facts.policies}

    @cached_property
    def reached(self) -> Mapping[str, tuple[str, ...]]:
        """The audiences of every planned post, house posts included."""
        own = {
            post.post_id: tuple(sorted(self.known.briefs[post.brief_id].audiences))
            for post in self.known.posts.values()
        }
        return own | {post.post_id: (post.audience_id,) for post in self.plan.facts.house_posts}

    @cached_property
    def exposure(self) -> Exposure:
        """Who was reached by what and when, seed posts included."""
        runs: dict[str, list[Run]] = {
            policy.audience_id: list(past().audience_runs[policy.audience_id]) for policy in self.plan.facts.policies
        }
        for row in self.state.publications:
            run = Run(row.at, row.post_id, row.weight, row.call)
            for audience in self.reached.get(row.post_id, ()):
                runs[audience].append(run)
        return Exposure(runs)

    @cached_property
    def brief_runs(self) -> Mapping[str, list[Run]]:
        """The publications of each brief's posts."""
        runs: dict[str, list[Run]] = defaultdict(list)
        for row in self.state.publications:
            post = self.known.posts.get(row.post_id)
            if post is not None:
                runs[post.brief_id].append(Run(row.at, row.post_id, row.weight, row.call))
        return runs

    @cached_property
    def published(self) -> Mapping[str, list[Version]]:
        """The publications of each brief as artifacts, in the order of their calls."""
        made: dict[str, list[Version]] = defaultdict(list)
        for version in self.state.of_kind.get("pb", ()):
            post = self.known.posts.get(version.subject)
            if post is not None:
                made[post.brief_id].append(version)
        return made

    @cached_property
    def seen(self) -> Mapping[str, Mapping[str, list[Run]]]:
        """What each publication's audiences, ascending, had seen when it was made (R5), by its reference."""
        return {
            made.ref: {
                audience: self.exposure.window(audience, made.content["at"], made.made)
                for audience in self.reached[made.subject]
            }
            for versions in self.published.values()
            for made in versions
        }

    @cached_property
    def carried(self) -> Mapping[str, Mapping[str, int]]:
        """The loads that each publication found (R5), by its reference."""
        return {
            made.ref: {
                audience: load(runs, made.content["at"], self.retention(audience, made.made))
                for audience, runs in self.seen[made.ref].items()
            }
            for versions in self.published.values()
            for made in versions
        }

    def retention(self, audience: str, call: int) -> int:
        """Return the retention that the body of a call found in force."""
        fired = self.state.fired
        known = self.known.retention[audience]
        return next(bp for update, bp in reversed(known) if update is None or fired.get(update, call) < call)

    def pair(self, package: str) -> Pair:
        """Return the assets of a package's version."""
        return pair(self.state, package)


def pair(state: State, package: str) -> Pair:
    """Return the assets of a package's version; empty texts where there is none."""
    found = state.versions.get(package)
    return _NOTHING if found is None else (found.content["visual"], found.content["copy"])


def course(known: Known, state: State) -> Course:
    """Return the calendar as it ran."""
    reports: dict[str, list[int]] = defaultdict(list)
    for version in state.of_kind.get("rp", ()):
        reports[version.subject].append(version.made)
    return Course(
        starts={number: wave.start for number, wave in state.waves.items()},
        dues={name: post.due_at for name, post in state.posts.items()},
        statuses={name: post.status for name, post in state.posts.items()},
        arms=_arms(known, state),
        fired=state.fired,
        reports=reports,
    )


def _arms(known: Known, state: State) -> dict[tuple[str, str], list[ArmRun]]:
    runs: dict[tuple[str, str], list[ArmRun]] = defaultdict(list)
    for version in state.of_kind.get("pb", ()):
        post = known.posts.get(version.subject)
        arm = "" if post is None else arm_of(post.arm)
        if post is not None and arm in _ARMS:
            moved = (move.call for move in state.moves if move.post_id == post.post_id and move.call > version.made)
            runs[post.brief_id, arm].append(
                ArmRun(version.made, pair(state, version.content["package"]), min(moved, default=None))
            )
    return runs
