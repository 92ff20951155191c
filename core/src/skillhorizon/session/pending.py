"""The updates of a task that have not fired yet, and which of them are due."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import attrs

from skillhorizon.model.update import After, At, PlannedUpdate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon.world.world import World


@attrs.frozen(order=True)
class Due:
    """An update that is due: since which minute, its position in the plan, and its trigger's subject."""

    minute: int
    position: int
    subject: str = attrs.field(order=False)
    update: PlannedUpdate = attrs.field(order=False)


class Pending:
    """The updates still to come, by position in the plan."""

    def __init__(self, updates: Sequence[PlannedUpdate]) -> None:
        self._waiting: Mapping[int, PlannedUpdate] = dict(enumerate(updates))  # replaced, never changed
        self._timed = any(isinstance(update.trigger, At) for update in updates)

    def snapshot(self) -> Mapping[int, PlannedUpdate]:
        """Return what waits, for `restore` after a rollback."""
        return self._waiting

    def restore(self, waiting: Mapping[int, PlannedUpdate]) -> None:
        """Put back what waited."""
        self._waiting = waiting

    def take(self, world: World) -> Due | None:
        """Remove and return the first update that is due, in (minute, position) order, or None.

        An update that counts an event is due in the call that completes its count.
        """
        reached = world.ledger.events
        if not self._timed and not reached:
            return None
        due = [
            found
            for position, update in self._waiting.items()
            if _may_be_due(update, reached) and (found := _due(world, position, update))
        ]
        if not due:
            return None
        first = min(due)
        self._waiting = {position: update for position, update in self._waiting.items() if position != first.position}
        return first


def _may_be_due(update: PlannedUpdate, reached: Mapping[str, int]) -> bool:
    trigger = update.trigger
    return isinstance(trigger, At) or trigger.count <= reached.get(trigger.event, 0)


def _due(world: World, position: int, update: PlannedUpdate) -> Due | None:
    trigger = update.trigger
    match trigger:
        case After(event, count):
            found = world.ledger.occurrence(event, count)
            return None if found is None else Due(found.clock, position, found.subject, update)
        case At(minute):
            return Due(minute, position, "", update) if minute <= world.clock else None
        case _:
            assert_never(trigger)
