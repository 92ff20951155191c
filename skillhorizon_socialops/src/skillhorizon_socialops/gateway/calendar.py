"""Reading the calendar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Cursor, Json, query, query_page
from skillhorizon_socialops.gateway.answers import not_found
from skillhorizon_socialops.gateway.arguments import PAGE, ChannelId, PostId, Rows, WaveNumber
from skillhorizon_socialops.gateway.known import known_channel, known_wave, open_wave, programme
from skillhorizon_socialops.gateway.moving import free_hours

if TYPE_CHECKING:
    from collections.abc import Sequence

_COLUMNS = ("post", "due_at", "status", "weight")
_POSTS = "SELECT post_id, due_at, status, weight FROM post"
_FIELDS = ("brief", "wave", "channel", "due_at", "status", "weight", "publications")
_POST = """
    SELECT p.brief_id, p.wave, p.channel_id, p.due_at, p.status, p.weight,
        (SELECT count(*) FROM publication r WHERE r.post_id = p.post_id)
    FROM post p WHERE p.post_id = ?"""
_CHANNELS = "SELECT DISTINCT channel_id FROM post WHERE wave = ? ORDER BY channel_id"


@query
def list_calendar(
    call: Call,
    wave: WaveNumber | None = None,
    channel: ChannelId | None = None,
    limit: Rows | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List the posts that run in a wave, else in the open one, with the open wave's next free reserve hours."""
    opened = open_wave(call)
    if wave is None:
        wave = programme(call).waves if opened is None else opened.wave
    known_wave(call, wave)
    if channel is not None:
        known_channel(call, channel)
    chosen = {"wave": wave, "channel_id": channel}
    order = "due_at, post_id"
    listed = query_page(call, _POSTS, _COLUMNS, chosen, order=order, limit=limit or PAGE, cursor=cursor)
    free = opened is not None and opened.wave == wave
    channels: Sequence[str] = _channels(call, wave, channel) if free else ()
    return {**listed, "free": {each: free_hours(call, opened, each) for each in channels if opened is not None}}


def _channels(call: Call, wave: int, channel: str | None) -> list[str]:
    return [name for (name,) in call.world.sql(_CHANNELS, wave)] if channel is None else [channel]


@query
def get_post(call: Call, post_id: PostId) -> dict[str, Json]:
    """Read one post of the calendar, and how often it was published."""
    found = call.world.sql(_POST, post_id)
    if not found:
        not_found(call, "post of a brief", post_id, "get_brief and list_calendar name them")
    return {"post": post_id, **dict(zip(_FIELDS, found[0], strict=True))}
