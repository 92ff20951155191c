"""Reading the clock, the waves and the briefs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Cursor, Json, query, query_page
from skillhorizon_socialops.gateway.arguments import PAGE, BriefId, Rows, WaveNumber, WaveState
from skillhorizon_socialops.gateway.crediting import observe_until
from skillhorizon_socialops.gateway.known import known_brief, known_wave, open_wave
from skillhorizon_socialops.gateway.moving import reschedules_left
from skillhorizon_socialops.gateway.upstream import depends_on
from skillhorizon_socialops.rows import Campaign, Post

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Brief

_NEXT = """
    SELECT p.post_id, p.due_at FROM post p JOIN wave w ON w.wave = p.wave AND w.state <> 'unopened'
    WHERE p.status = 'scheduled' ORDER BY p.due_at, p.post_id LIMIT 1"""
_OPEN_NOTICES = "SELECT id FROM notice WHERE resolved = 0 ORDER BY seq"
_WAVES = """
    SELECT w.wave, w.state, (SELECT count(*) FROM brief b WHERE b.wave = w.wave) AS briefs, w.closed_at FROM wave w"""
_BRIEFS = "SELECT b.brief_id, b.lane, w.state FROM brief b JOIN wave w ON w.wave = b.wave"


@query
def get_clock(call: Call) -> dict[str, Json]:
    """Read the minute, the open wave, the next post due, the reschedules left and the notices still open."""
    wave, due = open_wave(call), call.world.sql(_NEXT)
    return {
        "clock": call.world.clock,
        "open_wave": None if wave is None else wave.wave,
        "next_due": list(due[0]) if due else None,
        "reschedules_left": reschedules_left(call),
        "open_notices": [notice for (notice,) in call.world.sql(_OPEN_NOTICES)],
    }


@query
def list_waves(call: Call, limit: Rows | None = None, cursor: Cursor | None = None) -> dict[str, Json]:
    """List the waves: unopened, open or closed, and when."""
    columns = ("wave", "state", "briefs", "closed_at")
    return query_page(call, _WAVES, columns, {}, order="w.wave", limit=limit or PAGE, cursor=cursor)


@query
def list_briefs(
    call: Call,
    wave: WaveNumber | None = None,
    state: WaveState | None = None,
    limit: Rows | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List briefs of a wave, or of waves in one state."""
    if wave is not None:
        known_wave(call, wave)
    chosen = {"b.wave": wave, "w.state": state}
    columns = ("brief", "lane", "state")
    return query_page(call, _BRIEFS, columns, chosen, order="b.brief_id", limit=limit or PAGE, cursor=cursor)


@query
def get_brief(call: Call, brief_id: BriefId) -> dict[str, Json]:
    """Read one brief: what it asks for, what it depends on, and its posts [post, due_at, weight, status]."""
    brief = known_brief(call, brief_id)
    posts = call.world.select(Post, brief_id=brief_id)
    return {
        **_asked(call, brief),
        "depends_on": [list(row) for row in depends_on(call, brief)],
        "posts": [[each.post_id, each.due_at, each.weight, each.status] for each in posts],
        "observe_until": observe_until(call, brief),
        **_baseline(brief),
    }


def _asked(call: Call, brief: Brief) -> dict[str, Json]:
    return {
        "brief": brief.brief_id,
        "wave": brief.wave,
        "lane": brief.lane,
        "campaign": brief.campaign_id,
        "title": call.world.built(Campaign, brief.campaign_id).title,
        "channel": brief.channel_id,
        "locale": brief.locale,
        "format": brief.format,
        "angle": brief.angle,
        "audiences": brief.audiences,
        "credit_window_min": brief.credit_window_min,
        "priority": brief.priority,
        "holdout_bp": brief.holdout_bp,
        "split_bp": brief.split_bp,
        "min_conv": brief.min_conv,
        "min_lift_bp": brief.min_lift_bp,
        "benchmark_bp": brief.benchmark_bp,
    }


def _baseline(brief: Brief) -> dict[str, Json]:
    if brief.baseline_visual is None:
        return {}
    return {"baseline": [brief.baseline_visual, brief.baseline_copy]}
