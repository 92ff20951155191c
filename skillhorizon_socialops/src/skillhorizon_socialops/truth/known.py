"""A plan's facts, indexed for truth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import attrs

from skillhorizon_socialops.catalogue import seed
from skillhorizon_socialops.plan import (
    CalendarSubstitution,
    ConversionCorrection,
    Event,
    Plan,
    RetentionChange,
    RightsWithdrawal,
)
from skillhorizon_socialops.rows import Audience, Brief, Post
from skillhorizon_socialops.truth.exposure import Run

TEST_ARMS = ("b", "s")


@attrs.frozen(kw_only=True)
class Known:
    """What is fixed of a task, seed included.

    Attributes:
        briefs: by id.
        rows: brief -> its depends_on rows (role, upstream) in their order.
        posts: by id; the substitutes and corrective posts of updates included.
        events: brief -> the events of its feed.
        corrections: brief -> its correction.
        withdrawals: in the plan's order.
        retention: audience -> (update or None, retention_bp), from the start on.
    """

    briefs: Mapping[str, Brief]
    rows: Mapping[str, Sequence[tuple[str, str]]]
    posts: Mapping[str, Post]
    events: Mapping[str, Sequence[Event]]
    corrections: Mapping[str, ConversionCorrection]
    withdrawals: Sequence[RightsWithdrawal]
    retention: Mapping[str, Sequence[tuple[str | None, int]]]

    @classmethod
    def of(cls, plan: Plan) -> Known:
        """Index a plan."""
        rows: dict[str, list[tuple[str, str]]] = {brief.brief_id: [] for brief in plan.facts.briefs}
        events: dict[str, list[Event]] = {brief.brief_id: [] for brief in plan.facts.briefs}
        retention: dict[str, list[tuple[str | None, int]]] = defaultdict(list)
        for row in plan.facts.depends:
            rows[row.brief_id].append((row.role, row.upstream))
        for event in plan.facts.events:
            for brief in event.briefs:
                events[brief].append(event)
        for policy in plan.facts.policies:
            retention[policy.audience_id].append((None, policy.retention_bp))
        for update in plan.updates:
            if isinstance(update, RetentionChange):
                retention[update.audience].append((update.id, update.retention_bp))
        added = [u.post for u in plan.updates if isinstance(u, ConversionCorrection | CalendarSubstitution)]
        return cls(
            briefs={brief.brief_id: brief for brief in plan.facts.briefs},
            rows=rows,
            posts={post.post_id: post for post in (*plan.facts.posts, *added)},
            events=events,
            corrections={u.brief: u for u in plan.updates if isinstance(u, ConversionCorrection)},
            withdrawals=[u for u in plan.updates if isinstance(u, RightsWithdrawal)],
            retention=retention,
        )

    def upstream(self, brief: str, role: str) -> list[str]:
        """Return the briefs that a brief's rows of one role name, in row order."""
        return [upstream for each, upstream in self.rows[brief] if each == role]


@attrs.frozen(kw_only=True)
class Past:
    """The seed's audiences, and its publications by campaign and by audience."""

    audiences: Mapping[str, Audience]
    overlaps: Mapping[tuple[str, str], int]
    campaign_runs: Mapping[str, Sequence[Run]]
    audience_runs: Mapping[str, Sequence[Run]]


@cache
def past() -> Past:
    """Return the seed's past, indexed once per process."""
    known = seed()
    campaign_of = {post.post_id: post.campaign_id for post in known.posts}
    campaign_runs: dict[str, list[Run]] = defaultdict(list)
    audience_runs: dict[str, list[Run]] = defaultdict(list)
    for row in known.publications:
        campaign_runs[campaign_of[row.post_id]].append(Run(row.at, row.post_id, row.weight, 0))
    for reached in known.campaign_audiences:
        audience_runs[reached.audience_id] += campaign_runs[reached.campaign_id]
    return Past(
        audiences={audience.audience_id: audience for audience in known.audiences},
        overlaps={(row.a, row.b): row.users for row in known.audience_overlaps},
        campaign_runs=campaign_runs,
        audience_runs=audience_runs,
    )
