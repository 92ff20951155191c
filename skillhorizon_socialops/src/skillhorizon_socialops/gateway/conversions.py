"""Conversion feeds as they show at this minute (R6)."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from skillhorizon import Call, Cursor, Json, loads, page, query
from skillhorizon_socialops.feeds import feed_version
from skillhorizon_socialops.gateway.arguments import PAGE, BriefId, Rows
from skillhorizon_socialops.gateway.known import known_brief
from skillhorizon_socialops.rows import Wave

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from skillhorizon_socialops.rows import Brief

REVEALS = ("conversion.touches", "conversion.delay")
"""The hidden columns that tell when touches and conversions happen."""
NEVER = 1_000_000_000
"""Later than any minute."""
_DUE = (
    "SELECT post_id, due_at FROM post WHERE brief_id = ? AND +status = 'published'"  # by the brief's index: few posts
)
_EVENTS = "SELECT event_id, order_id, value, status, shared, touches, delay FROM conversion WHERE brief_id = ?"
_MOMENT, _TOUCHED = itemgetter(2, 0), itemgetter(1, 0)
_COLUMNS = ("id", "order", "at", "value", "status", "touches")


@query(reveals=REVEALS)
def list_conversions(
    call: Call, brief_id: BriefId, limit: Rows | None = None, cursor: Cursor | None = None
) -> dict[str, Json]:
    """List the conversions that a brief's feed shows so far, each with the posts touched [post, minute]."""
    brief = known_brief(call, brief_id)
    listed = page(shown(call, brief), _COLUMNS, limit=limit or PAGE, cursor=cursor)
    return {"feed_version": feed_version(call.world, brief_id), **listed}


def shown(call: Call, brief: Brief) -> list[list[Any]]:
    """Return the rows of a brief's feed until now, by (at, id).

    One brief's own events move with its posts, and show only while every post that they touch is published.
    """
    start, clock = call.world.built(Wave, brief.wave).start, call.world.clock
    due: dict[str, int] = dict(call.world.sql(_DUE, brief.brief_id))
    rows: list[list[Any]] = []
    for (event, order, value, status, shared, _, delay), offsets in _events(call, brief):
        touches = _touches(offsets, start if shared else None, due)
        if touches and touches[-1][1] + delay <= clock:
            rows.append([event, order, touches[-1][1] + delay, value, status, touches])
    rows.sort(key=_MOMENT)
    return rows


def count_shown(call: Call, brief: Brief, enough: int) -> int:
    """Return how many rows a brief's feed shows now, counted no further than there are enough."""
    start, clock = call.world.built(Wave, brief.wave).start, call.world.clock
    due: dict[str, int] = dict(call.world.sql(_DUE, brief.brief_id))
    count = 0
    for (*_, shared, _, delay), offsets in _events(call, brief):
        made = [(start if shared else due.get(post, NEVER)) + offset for post, offset in offsets]
        count += max(made) + delay <= clock
        if count >= enough:
            break
    return count


def _events(call: Call, brief: Brief) -> Iterable[tuple[tuple[Any, ...], list[list[Any]]]]:
    """Return the rows of a brief's events, each with its parsed touches."""
    rows = call.world.sql(_EVENTS, brief.brief_id)
    return zip(rows, loads(f"[{','.join([row[5] for row in rows])}]"), strict=True)


def _touches(offsets: list[list[Any]], start: int | None, due: Mapping[str, int]) -> list[list[Any]]:
    """Return [post, minute] by (minute, post): counted from `start`, or from each post's due time, if all ran."""
    if start is not None:
        made = [[post, start + offset] for post, offset in offsets]
    else:
        made = [[post, due[post] + offset] for post, offset in offsets if post in due]
        if len(made) < len(offsets):
            return []
    made.sort(key=_TOUCHED)
    return made
