"""Finding what a call names: briefs, posts, assets, audiences and waves, and whether their wave has opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from skillhorizon import dumps
from skillhorizon_socialops.gateway.answers import not_found
from skillhorizon_socialops.keys import UNOPENED
from skillhorizon_socialops.rows import Asset, Audience, Brief, Campaign, Channel, Post, Programme, Wave

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon import Call

R = TypeVar("R")
ARMS = ("a", "b", "s")
"""What stands in an arm of the experiment; s counts as b."""
DEPLOYMENTS = ("d", "c")
CORRECTIVE = "c"
_BRIEFS = "list_briefs names all of them"
_OPEN = "SELECT wave, start, closed_at, state FROM wave WHERE state = 'open'"
_STATE = "SELECT state FROM wave WHERE wave = ?"
_BRIEF = "SELECT 1 FROM brief WHERE brief_id = ?"
_ARMS = """
    SELECT CASE arm WHEN 's' THEN 'b' ELSE arm END, post_id, status, due_at FROM post
    WHERE brief_id = ? AND arm IN ('a', 'b', 's') AND +status <> 'withdrawn' ORDER BY post_id"""
_AUDIENCES = """
    SELECT audience_id, size, lapsed_bp, retention_bp, cooldown_min FROM audience
    WHERE audience_id IN (SELECT value FROM json_each(?)) ORDER BY audience_id"""


def programme(call: Call) -> Programme:
    """Return what is fixed for the whole task."""
    return call.world.built(Programme, "programme")


def open_wave(call: Call) -> Wave | None:
    """Return the open wave; None once all are closed."""
    found = call.world.sql(_OPEN)
    return Wave(*found[0]) if found else None


def _named(call: Call, row: type[R], name: str | int, *, kind: str, way_out: str) -> R:
    """Return the row of a name that a call gives.

    Raises:
        Rejection: NOT_FOUND.
    """
    found = call.world.get(row, name)
    if found is None:
        not_found(call, kind, str(name), way_out)
    return found


def known_wave(call: Call, wave: int) -> Wave:
    """Return a wave.

    Raises:
        Rejection: NOT_FOUND.
    """
    return _named(call, Wave, wave, kind="wave", way_out="list_waves names all of them")


def known_brief(call: Call, brief_id: str) -> Brief:
    """Return a brief, of whatever wave.

    Raises:
        Rejection: NOT_FOUND.
    """
    return _named(call, Brief, brief_id, kind="brief", way_out=_BRIEFS)


def check_brief(call: Call, brief_id: str) -> None:
    """Check that there is a brief, of whatever wave.

    Raises:
        Rejection: NOT_FOUND.
    """
    if not call.world.sql(_BRIEF, brief_id):
        not_found(call, "brief", brief_id, _BRIEFS)


def check_opened(call: Call, brief: Brief) -> None:
    """Check that a brief's wave has opened; a closed one may still be worked on.

    Raises:
        Rejection: WAVE_NOT_OPEN.
    """
    ((state,),) = call.world.sql(_STATE, brief.wave)
    if state == UNOPENED:
        message = f"{brief.brief_id} belongs to wave {brief.wave}, which opens when wave {brief.wave - 1} is closed"
        call.reject("WAVE_NOT_OPEN", message, object=brief.brief_id)


def known_post(call: Call, brief: Brief, post_id: str, arms: Sequence[str]) -> Post:
    """Return a brief's post of some kinds.

    Raises:
        Rejection: NOT_FOUND, also for a post of another brief or kind.
    """
    found = call.world.get(Post, post_id)
    if found is None or found.brief_id != brief.brief_id or found.arm not in arms:
        kinds = "-, ".join(arms)
        not_found(call, f"{kinds}-post of {brief.brief_id}", post_id, "get_brief names the brief's posts")
    return found


class ArmPost(NamedTuple):
    """The post that stands in an arm of an experiment."""

    post_id: str
    status: str
    due_at: int


def arms_of(call: Call, brief: Brief) -> dict[str, ArmPost]:
    """Return the posts that stand in arms a and b; withdrawn ones do not."""
    return {arm: ArmPost(post, status, due) for arm, post, status, due in call.world.sql(_ARMS, brief.brief_id)}


def known_asset(call: Call, asset_id: str) -> Asset:
    """Return an asset.

    Raises:
        Rejection: NOT_FOUND.
    """
    return _named(call, Asset, asset_id, kind="asset", way_out="list_assets names those of a role, locale and format")


def known_audiences(call: Call, names: Iterable[str]) -> list[Audience]:
    """Return audiences, each once, ascending.

    Raises:
        Rejection: NOT_FOUND, for the first that there is not.
    """
    return [Audience(*row) for row in _audience_rows(call, sorted(set(names)))]


def known_names(call: Call, names: Iterable[str]) -> list[str]:
    """Return names of audiences, each once, ascending.

    Raises:
        Rejection: NOT_FOUND, for the first that there is not.
    """
    wanted = sorted(set(names))
    _audience_rows(call, wanted)
    return wanted


def _audience_rows(call: Call, wanted: Sequence[str]) -> list[tuple[Any, ...]]:
    found = call.world.sql(_AUDIENCES, dumps(wanted))
    if len(found) < len(wanted):
        missing = min({*wanted} - {name for name, *_ in found})
        not_found(call, "audience", missing, "get_brief names the audiences of a brief")
    return found


def known_channel(call: Call, channel_id: str) -> Channel:
    """Return a channel.

    Raises:
        Rejection: NOT_FOUND.
    """
    return _named(call, Channel, channel_id, kind="channel", way_out="get_brief names the channel of a brief")


def known_campaign(call: Call, campaign_id: str) -> Campaign:
    """Return a campaign.

    Raises:
        Rejection: NOT_FOUND.
    """
    return _named(call, Campaign, campaign_id, kind="campaign", way_out="get_brief names the campaign of a brief")
