"""Moving posts to reserve hours, and how many moves are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Json, operation
from skillhorizon_socialops.feeds import raise_feed
from skillhorizon_socialops.gateway.answers import done
from skillhorizon_socialops.gateway.arguments import BriefId, Minute, PostId
from skillhorizon_socialops.gateway.known import (
    ARMS,
    DEPLOYMENTS,
    check_opened,
    known_brief,
    known_post,
    open_wave,
    programme,
)
from skillhorizon_socialops.keys import MISSED, PUBLISHED, SCHEDULED
from skillhorizon_socialops.rows import Move, Post
from skillhorizon_socialops.rules import FIRST_LATE_HOUR, HOUR, RESERVE_HOURS, is_reserve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon_socialops.rows import Brief, Wave

_FREE_SHOWN = 6
_TAKEN = """
    SELECT due_at, post_id FROM post
    WHERE status = 'scheduled' AND channel_id = ? AND wave <= ? AND due_at > ? ORDER BY due_at, post_id"""


def reschedules_left(call: Call) -> int:
    """Return how many moves the allowance still pays for; negative is overdraft."""
    return programme(call).allowance - call.world.count(Move)


def taken_hours(call: Call, wave: Wave, channel: str) -> dict[int, str]:
    """Return the posts of opened waves that are still to run on a channel, by the hour's first minute."""
    rows = call.world.sql(_TAKEN, channel, wave.wave, call.world.clock)
    return {due // HOUR * HOUR: post for due, post in rows}


def free_hours(call: Call, wave: Wave, channel: str) -> list[Json]:
    """Return the first minutes of the next free reserve hours of the open wave on a channel."""
    taken = taken_hours(call, wave, channel)
    free: list[Json] = []
    for due in _reserve_hours(wave.start, call.world.clock):
        if len(free) == _FREE_SHOWN:
            break
        if due not in taken:
            free.append(due)
    return free


def _reserve_hours(start: int, clock: int) -> Iterator[int]:
    """Yield the reserve hours of a wave after a minute, without end."""
    yield from (start + HOUR * hour for hour in RESERVE_HOURS if start + HOUR * hour > clock)
    hour = max(FIRST_LATE_HOUR, (clock - start) // HOUR + 1)
    while True:
        yield start + HOUR * hour
        hour += 1


@operation(makes="move:{post_id}", repeat=False)
def reschedule_post(call: Call, brief_id: BriefId, post_id: PostId, due_at: Minute) -> dict[str, Json]:
    """Schedule a post again in a free reserve hour of the open wave; each move takes one of the allowance."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    post = known_post(call, brief, post_id, (*ARMS, *DEPLOYMENTS))
    if post.status not in (SCHEDULED, MISSED, PUBLISHED):
        call.reject("POST_STATUS", f"{post_id} is {post.status}; it runs no more", object=post_id)
    wave = _check_slot(call, post, due_at)
    _check_wave(call, brief, post, wave)
    number = call.world.count(Move) + 1
    call.world.insert(Move(number, call.index, post_id, post.due_at, due_at))
    hour = (due_at - wave.start) // HOUR
    call.world.update(Post, post_id, wave=wave.wave, hour=hour, due_at=due_at, status=SCHEDULED)
    if post.arm in ARMS:
        raise_feed(call.world, brief_id)
    return done(call, post=post_id, due_at=due_at, reschedules_left=reschedules_left(call))


def _check_slot(call: Call, post: Post, due_at: int) -> Wave:
    """Return the open wave, of which a minute must begin a future reserve hour that is free on the channel.

    Raises:
        Rejection: SLOT_TAKEN.
    """
    wave = open_wave(call)
    if wave is None:
        call.reject("SLOT_TAKEN", "all waves are closed, so no hour is left for a post", object=post.post_id)
    if due_at <= call.world.clock or not is_reserve(wave.start, due_at):
        message = f"minute {due_at} does not begin a future reserve hour of wave {wave.wave}; list_calendar names free"
        call.reject("SLOT_TAKEN", f"{message} ones", object=post.post_id)
    taken = taken_hours(call, wave, post.channel_id)
    if due_at in taken:
        message = f"{taken[due_at]} runs on {post.channel_id} in the hour from {due_at}; list_calendar names free ones"
        call.reject("SLOT_TAKEN", message, object=taken[due_at])
    return wave


def _check_wave(call: Call, brief: Brief, post: Post, wave: Wave) -> None:
    """Check that an arm moves within its own wave.

    Raises:
        Rejection: WAVE_CLOSED.
    """
    if post.arm in ARMS and brief.wave != wave.wave:
        message = f"{post.post_id} is an arm of wave {brief.wave}, which is closed; arms move in their own wave only"
        call.reject("WAVE_CLOSED", message, object=post.post_id)
