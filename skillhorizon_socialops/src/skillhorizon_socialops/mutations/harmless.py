"""Variations that change nothing of what counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import Client, Json, Sabotage, digest
from skillhorizon_socialops.composer.caps import Due, calendar, greatest_load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon_socialops.plan import Plan
    from skillhorizon_socialops.rows import Policy, Post

_HOUR, _LATER = 60, 40
_MOVED, _MOVED_HOUR = "p-01-00-b", 20
_OPERATIONS = frozenset(
    {
        "build_package",
        "plan_audience",
        "register_experiment",
        "publish_post",
        "record_credit",
        "submit_report",
        "deploy_campaign",
        "close_wave",
    }
)


def lanes_shuffled(_plan: Plan) -> Sabotage:
    """Plan and register the lanes of a wave in another order."""
    return Sabotage(prefer=lambda module: int(digest(module)[:8], 16))


def packages_reversed(_plan: Plan) -> Sabotage:
    """Build the packages of the last lane first."""
    return Sabotage(prefer=lambda module: -int(module[-2:]) if module.startswith("content:") else 0)


def published_late(_plan: Plan) -> Sabotage:
    """Publish 40 minutes after posts are due."""

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        if tool != "advance_clock" or said["to_minute"] % _HOUR:
            return said
        return {**said, "to_minute": said["to_minute"] + _LATER}

    return Sabotage(arguments=arguments)


def extra_reads(_plan: Plan) -> Sabotage:
    """Read the clock and the notices again before operations."""

    def before(client: Client, tool: str, _said: dict[str, Json]) -> None:
        if tool in _OPERATIONS:
            client.call("get_clock")
            client.call("list_notices")

    return Sabotage(before=before)


def arm_moved(plan: Plan) -> Sabotage | None:
    """Move the first test arm to hour 20, before the calendar is read; not where an audience could not carry it."""
    brief = plan.facts.briefs[0]
    if not all(_carries(plan, policy) for policy in plan.facts.policies if policy.audience_id in brief.audiences):
        return None
    moved = [False]

    def before(client: Client, tool: str, _said: dict[str, Json]) -> None:
        if tool == "list_calendar" and not moved[0]:
            moved[0] = True
            client.call("reschedule_post", brief_id=brief.brief_id, post_id=_MOVED, due_at=_HOUR * _MOVED_HOUR)

    return Sabotage(before=before)


def _carries(plan: Plan, policy: Policy) -> bool:
    """Whether an audience's cap holds any schedule inside the windows with the arm moved."""
    facts = attrs.evolve(plan.facts, posts=tuple(_at_hour(post) for post in plan.facts.posts))
    dues: Sequence[Due] = calendar(facts, plan.updates)[policy.audience_id]
    return greatest_load(dues, policy.retention_bp) <= policy.cap


def _at_hour(post: Post) -> Post:
    return attrs.evolve(post, due_at=_HOUR * _MOVED_HOUR) if post.post_id == _MOVED else post
