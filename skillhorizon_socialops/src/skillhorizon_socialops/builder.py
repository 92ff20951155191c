"""The world of a task: the seed tables, its own rows, and how everything stands before the first call."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

from skillhorizon_socialops.catalogue import seed
from skillhorizon_socialops.keys import OPEN, PAID, UNOPENED, VOID
from skillhorizon_socialops.rows import Conversion, Feed, Programme, Rerun, Wave
from skillhorizon_socialops.rules import WAVE_MINUTES

if TYPE_CHECKING:
    from skillhorizon import World
    from skillhorizon_socialops.plan import Event, Plan


def base(world: World) -> None:
    """Insert the seed tables, which all tasks share and nothing writes."""
    for rows in attrs.astuple(seed(), recurse=False):
        world.insert(*rows)


def build(plan: Plan, world: World) -> None:
    """Insert the task's rows; nothing has run, and wave 1 is open at minute 0."""
    facts = plan.facts
    for rows in (facts.briefs, facts.depends, facts.posts, facts.house_posts, facts.policies):
        if rows:
            world.insert(*rows)
    feeds = [_shown(event, brief) for event in facts.events for brief in event.briefs]
    if feeds:
        world.insert(*sorted(feeds, key=attrgetter("brief_id", "event_id")))
    world.insert(*(Feed(each.brief_id, 1) for each in facts.briefs))
    world.insert(*(Rerun(each.brief_id, 0) for each in facts.briefs))
    world.insert(*(_wave(number) for number in range(1, plan.waves + 1)))
    world.insert(Programme("programme", plan.waves, plan.resources["allowance"]))


def _wave(number: int) -> Wave:
    return Wave(number, WAVE_MINUTES * (number - 1), None, OPEN if number == 1 else UNOPENED)


def _shown(event: Event, brief: str) -> Conversion:
    """Return an event's row in the feed of a brief."""
    return Conversion(
        brief,
        event.id,
        event.order,
        event.wave,
        int(event.shared),
        event.touches,
        event.delay,
        event.value,
        VOID if event.void else PAID,
    )
