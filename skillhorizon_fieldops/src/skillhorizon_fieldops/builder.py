"""The world of a task: its facts as rows, and how everything stands before the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.rows import Condition, Programme

if TYPE_CHECKING:
    from skillhorizon import World
    from skillhorizon_fieldops.plan import Plan


def base(world: World) -> None:
    """Seed what all tasks share: nothing, since every table of this business is the task's own."""


def build(plan: Plan, world: World) -> None:
    """Insert the task's rows; nothing has been worked, and wave 1 is open."""
    facts = plan.facts
    for field in attrs.fields(type(facts)):
        rows = getattr(facts, field.name)
        if rows:
            world.insert(*rows)
    world.insert(*(Condition(each.device, 0, None, None, None, None, None, 0, 0) for each in facts.devices))
    world.insert(
        Programme(
            "programme", str(plan.brief["scenario"]), plan.waves, plan.resources["permits"], plan.resources["relief"]
        )
    )
    world.advance_to(1)
