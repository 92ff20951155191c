"""Twins of a task: what has not happened yet is another, and no call may tell before it happens."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import attrs

from skillhorizon import Twin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon import Json, Rng
    from skillhorizon_socialops.plan import Event, Facts, Plan

_WAVE_MIN, _HOUSE_MIN = 2_880, 43 * 60
_FEED_READERS = frozenset({"list_conversions", "record_credit"})


def twins(plan: Plan, rng: Rng) -> Iterator[Twin[Plan]]:
    """Yield tasks with other conversions, and with other house posts, from a wave on."""
    for wave in sorted({1, plan.waves}):
        own = rng.stream(wave)
        yield Twin(
            name=f"conversions from wave {wave} on",
            plan=attrs.evolve(plan, facts=_other_conversions(plan.facts, wave, own)),
            reveals=partial(_reads_feed, wave),
        )
        yield Twin(
            name=f"house posts from wave {wave} on",
            plan=attrs.evolve(plan, facts=_other_house_posts(plan.facts, wave, own)),
            reveals=partial(_passes_house_posts, wave),
        )


def _reads_feed(wave: int, tool: str, arguments: Mapping[str, Json]) -> bool:
    return tool in _FEED_READERS and int(str(arguments["brief_id"])[2:4]) >= wave


def _passes_house_posts(wave: int, tool: str, arguments: Mapping[str, Json]) -> bool:
    match tool, arguments:
        case "close_wave", {"wave": int(closed)}:
            return closed >= wave
        case "advance_clock", {"to_minute": int(minute)}:
            return minute >= _WAVE_MIN * (wave - 1) + _HOUSE_MIN
        case _:
            return False


def _other_conversions(facts: Facts, wave: int, rng: Rng) -> Facts:
    """Let values and, where two briefs share no event, delays change hands among a wave's events."""
    late = [event for event in facts.events if event.wave >= wave and not event.shared]
    drawn = rng.stream("conversions").shuffled(late)
    changed = {event.id: _like(event, other) for event, other in zip(late, drawn, strict=True)}
    return attrs.evolve(facts, events=tuple(changed.get(event.id, event) for event in facts.events))


def _like(event: Event, other: Event) -> Event:
    return attrs.evolve(event, delay=other.delay, value=other.value)


def _other_house_posts(facts: Facts, wave: int, rng: Rng) -> Facts:
    """Let the weights of house posts change hands."""
    late = [post for post in facts.house_posts if post.wave >= wave]
    weights = rng.stream("house").shuffled([post.house_weight for post in late])
    changed = {
        post.post_id: attrs.evolve(post, house_weight=weight) for post, weight in zip(late, weights, strict=True)
    }
    return attrs.evolve(facts, house_posts=tuple(changed.get(post.post_id, post) for post in facts.house_posts))
