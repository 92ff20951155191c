"""Passing time: house posts publish themselves, posts are missed, changes come in, waves close."""

from __future__ import annotations

from skillhorizon import Call, Json, operation
from skillhorizon_socialops.gateway.answers import done
from skillhorizon_socialops.gateway.arguments import Minute, WaveNumber
from skillhorizon_socialops.gateway.known import known_wave, open_wave
from skillhorizon_socialops.keys import CLOSED, MISSED, OPEN, WAVE_CLOSED, hour_event
from skillhorizon_socialops.rows import Exposure, HousePost, Post, Publication, Wave
from skillhorizon_socialops.rules import EVENT_HOURS, HOUR, HOUSE_HOUR, WAVE_MINUTES, WINDOW, next_start

_REVEALS = ("house_post.house_weight",)
_LONGEST = WAVE_MINUTES
_HOURS = (*EVENT_HOURS, HOUSE_HOUR)
_FIRST_DUE = """
    SELECT due_at FROM post WHERE status = 'scheduled' AND due_at <= ? AND wave <= ? ORDER BY due_at LIMIT 1"""
_OVERDUE = "SELECT post_id FROM post WHERE status = 'scheduled' AND due_at <= ? AND wave <= ? ORDER BY due_at, post_id"
_UNREPORTED = """
    SELECT b.brief_id FROM brief b
    LEFT JOIN artifact r ON r.id = 'rp:' || b.brief_id AND r.ended IS NULL
    LEFT JOIN artifact d ON d.id = 'dp:' || b.brief_id AND d.ended IS NULL
    WHERE b.wave <= ? AND (r.id IS NULL OR d.id IS NULL) ORDER BY b.brief_id LIMIT 1"""
_UNSETTLED = """
    SELECT p.post_id, p.status FROM post p JOIN brief b ON b.brief_id = p.brief_id
    WHERE p.status IN ('scheduled', 'missed') AND b.wave <= ? ORDER BY p.post_id LIMIT 1"""
_UNRESOLVED = "SELECT id FROM notice WHERE resolved = 0 ORDER BY seq LIMIT 1"
_SHIFT_WAVES = "UPDATE wave SET start = start + ? WHERE wave > ?"
_SHIFT_POSTS = "UPDATE post SET due_at = due_at + ? WHERE wave > ?"


@operation(makes="clock", repeat=False, reveals=_REVEALS)
def advance_clock(call: Call, to_minute: Minute) -> dict[str, Json]:
    """Let time pass up to a minute, at most 2,880 of them; lists house posts published, posts missed, and notices."""
    clock = call.world.clock
    if not clock < to_minute <= clock + _LONGEST:
        message = f"it is minute {clock}; advance to {clock + 1} up to {clock + _LONGEST}"
        call.reject("CLOCK_RANGE", message, object=str(to_minute))
    wave = open_wave(call)
    published, missed = ([], []) if wave is None else _pass(call, wave, to_minute)
    call.world.advance_to(to_minute)
    return done(call, clock=call.world.clock, published=published, missed=missed)


@operation(makes="wave:{wave}", repeat=False, reveals=_REVEALS)
def close_wave(call: Call, wave: WaveNumber) -> dict[str, Json]:
    """Close the open wave once all of its briefs are delivered and all notices resolved; the next one opens."""
    found = known_wave(call, wave)
    if found.state != OPEN:
        message = f"wave {wave} is {found.state}; get_clock names the open one"
        call.reject("WAVE_NOT_OPEN", message, object=str(wave))
    _check_complete(call, wave)
    start, closed_at = next_start(found.start, call.world.clock), call.world.clock
    published, _ = _pass(call, found, start)
    call.world.advance_to(start)
    call.world.update(Wave, wave, closed_at=closed_at, state=CLOSED)
    following = _open_next(call, found, start)
    call.ledger.happened(WAVE_CLOSED, str(wave))
    call.fire()
    return done(call, clock=call.world.clock, open_wave=following, published=published)


def _check_complete(call: Call, wave: int) -> None:
    """Check that every brief up to a wave is delivered, its posts settled, and no notice open.

    Raises:
        Rejection: WAVE_INCOMPLETE, UPDATE_OPEN.
    """
    unreported = call.world.sql(_UNREPORTED, wave)
    if unreported:
        brief = unreported[0][0]
        message = f"{brief} lacks a current report or deployment; deliver it before wave {wave} closes"
        call.reject("WAVE_INCOMPLETE", message, object=brief)
    unsettled = call.world.sql(_UNSETTLED, wave)
    if unsettled:
        post, status = unsettled[0]
        message = f"{post} is {status}; publish, release or reschedule it before wave {wave} closes"
        call.reject("WAVE_INCOMPLETE", message, object=post)
    unresolved = call.world.sql(_UNRESOLVED)
    if unresolved:
        notice = unresolved[0][0]
        message = f"notice {notice} is open; acknowledge_update it before wave {wave} closes"
        call.reject("UPDATE_OPEN", message, object=notice)


def _open_next(call: Call, closed: Wave, start: int) -> int | None:
    """Open the wave after a closed one; what was due later moves along with a late close."""
    following = call.world.get(Wave, closed.wave + 1)
    if following is None:
        return None
    late = start - following.start
    if late:
        call.world.sql(_SHIFT_WAVES, late, closed.wave)
        call.world.sql(_SHIFT_POSTS, late, closed.wave)
    call.world.update(Wave, following.wave, state=OPEN)
    return following.wave


def _pass(call: Call, wave: Wave, until: int) -> tuple[list[Json], list[Json]]:
    """Pass the minutes of the open wave up to one; return the house posts published and the posts missed.

    In each minute house posts publish themselves, then posts are missed, then changes come in. Minutes in which
    nothing can happen are skipped.
    """
    published: list[Json] = []
    missed: list[Json] = []
    while (minute := _next_minute(call, wave, until)) is not None:
        call.world.advance_to(minute)
        if minute == wave.start + HOUR * HOUSE_HOUR:
            published += _publish_house_posts(call, wave)
        missed += _miss(call, wave)
        for hour in EVENT_HOURS:
            if minute == wave.start + HOUR * hour:
                call.ledger.happened(hour_event(wave.wave, hour), str(wave.wave))
        call.fire()
    return published, missed


def _next_minute(call: Call, wave: Wave, until: int) -> int | None:
    """Return the next minute at which anything can happen, or None up to the last one."""
    clock = call.world.clock
    minutes = [first + WINDOW for (first,) in call.world.sql(_FIRST_DUE, until - WINDOW, wave.wave)]
    minutes += [wave.start + HOUR * hour for hour in _HOURS]
    return min([minute for minute in minutes if clock < minute <= until], default=None)


def _miss(call: Call, wave: Wave) -> list[Json]:
    """Mark as missed what was due an hour ago and is not published."""
    missed = [post for (post,) in call.world.sql(_OVERDUE, call.world.clock - WINDOW, wave.wave)]
    for post in missed:
        call.world.update(Post, post, status=MISSED)
    return [*missed]


def _publish_house_posts(call: Call, wave: Wave) -> list[Json]:
    """Publish the wave's house posts; they ask for no check."""
    posts, clock = call.world.select(HousePost, wave=wave.wave), call.world.clock
    runs = [Publication(each.post_id, 1, clock, each.house_weight, call.index, None) for each in posts]
    reach = [Exposure(each.audience_id, clock, each.post_id, 1, each.house_weight) for each in posts]
    call.world.insert(*runs, *reach)
    return [each.post_id for each in posts]
