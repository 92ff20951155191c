"""How much each audience may carry: what any schedule inside the windows can make of the plan, and a slack on it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from skillhorizon_socialops.catalogue import WHOLE
from skillhorizon_socialops.composer.briefs import HOUSE_HOUR, Portfolio, due, task_audiences
from skillhorizon_socialops.plan import (
    AnyUpdate,
    CalendarSubstitution,
    ConversionCorrection,
    RerunOrder,
    RetentionChange,
)
from skillhorizon_socialops.rows import Policy, Post
from skillhorizon_socialops.truth import LOOKBACK_MIN, past, remaining

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from skillhorizon_socialops.config import SocialConfig
    from skillhorizon_socialops.plan import Facts

_LATE_MIN, _STEP_MIN = 59, 480
_EARLIEST_MIN = -LOOKBACK_MIN - _LATE_MIN
"""No post of a task meets what ran before."""


class Due(NamedTuple):
    """A publication to come: when it is due, its weight, and whether it must keep the cap."""

    minute: int
    weight: int
    planned: bool


def policies(config: SocialConfig, portfolio: Portfolio, updates: Sequence[AnyUpdate]) -> tuple[Policy, ...]:
    """Return the first policy of each task audience, with its cap (specification, Resources)."""
    calendars = calendar(portfolio, updates)
    changes: dict[str, list[int]] = defaultdict(list)
    for update in updates:
        if isinstance(update, RetentionChange):
            changes[update.audience].append(update.retention_bp)
    rows = []
    for audience in task_audiences(portfolio.lanes):
        retention = past().audiences[audience].retention_bp
        most = greatest_load(calendars[audience], max(retention, *changes[audience], 0))
        rows.append(Policy(audience, 1, 0, retention, most + most * config.slack // WHOLE))
    return tuple(rows)


def greatest_load(dues: Iterable[Due], retention_bp: int) -> int:
    """Return U, the greatest load with its own weight that a planned post can meet inside its window."""
    ordered = sorted(dues, key=attrgetter("minute"))
    minutes = [each.minute for each in ordered]
    most = 0
    for own in ordered:
        if own.planned:
            first = bisect_left(minutes, own.minute - LOOKBACK_MIN - _LATE_MIN)
            last = bisect_right(minutes, own.minute + _LATE_MIN)
            latest = own.minute - _LATE_MIN
            felt = 0
            for at, weight, _ in ordered[first:last]:
                felt += remaining(weight, (latest - at) // _STEP_MIN, retention_bp)
            most = max(most, felt)
    return most


def calendar(portfolio: Portfolio | Facts, updates: Sequence[AnyUpdate]) -> dict[str, list[Due]]:
    """Return what is due to reach each task audience, house posts and seed posts that may still be felt included."""
    reached = {brief.brief_id: list(brief.audiences) for brief in portfolio.briefs}
    out: dict[str, list[Due]] = defaultdict(list)
    for audience in sorted({audience for audiences in reached.values() for audience in audiences}):
        runs = past().audience_runs[audience]
        out[audience] += [Due(at, weight, planned=False) for at, _, weight, _ in runs if at >= _EARLIEST_MIN]
    for house in portfolio.house_posts:
        out[house.audience_id].append(Due(due(house.wave, HOUSE_HOUR), house.house_weight, planned=False))
    for brief, minute, weight in _planned(portfolio.posts, updates):
        for audience in reached[brief]:
            out[audience].append(Due(minute, weight, planned=True))
    return out


def _planned(posts: Sequence[Post], updates: Sequence[AnyUpdate]) -> Iterator[tuple[str, int, int]]:
    """Yield brief, due minute and weight of every planned publication; a substitute instead of its b."""
    rows = {post.post_id: post for post in posts}
    for update in updates:
        match update:
            case ConversionCorrection():
                yield update.brief, update.post.due_at, update.post.weight
            case CalendarSubstitution():
                yield update.brief, update.post.due_at, update.post.weight
                del rows[f"p{update.brief[1:]}-b"]
            case RerunOrder():
                again = rows[f"p{update.brief[1:]}-d"]
                yield update.brief, due(update.wave + 1, update.hour), again.weight
            case _:
                pass
    for post in rows.values():
        yield post.brief_id, post.due_at, post.weight
