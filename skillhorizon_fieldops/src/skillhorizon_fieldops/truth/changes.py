"""What fired updates changed, and since which call; an update is known to the calls after the one that fired it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from skillhorizon_fieldops.plan import BatchRecall, Plan, ProcedureRevision, ServiceBaseline
from skillhorizon_fieldops.rows import Procedure


@attrs.frozen
class Fired:
    """A fired update: its id, the call that fired it, and its notice's body."""

    update: str
    call: int
    body: Mapping[str, Any]


@attrs.frozen(kw_only=True)
class Changes:
    """What holds at each call.

    Attributes:
        editions: class -> (call, procedure) ascending; the first holds from the start.
        demands: service -> (call, demand) ascending.
        recalled: batch -> the call that ended it.
    """

    editions: Mapping[str, tuple[tuple[int, Procedure], ...]]
    demands: Mapping[str, tuple[tuple[int, int], ...]]
    recalled: Mapping[str, int]

    def first(self, device_class: str) -> Procedure:
        """Return edition 1 of a class."""
        return self.editions[device_class][0][1]

    def in_force(self, device_class: str, call: int) -> Procedure:
        """Return the edition that the body of a call found in force."""
        return next(row for since, row in reversed(self.editions[device_class]) if since < call)

    def demand(self, service: str, call: int) -> int:
        """Return the demand that the body of a call found."""
        return next(demand for since, demand in reversed(self.demands[service]) if since < call)


def changes(plan: Plan, fired: Iterable[Fired]) -> Changes:
    """Gather what updates changed; their values are the plan's, their objects the notices'."""
    editions = {row.device_class: [(-1, row)] for row in plan.facts.procedures}
    demands = {row.service: [(-1, row.demand)] for row in plan.facts.services}
    recalled: dict[str, int] = {}
    planned = {update.id: update for update in plan.updates}
    for each in sorted(fired, key=lambda one: one.call):
        update = planned[each.update]
        if isinstance(update, ProcedureRevision):
            editions[update.procedure.device_class].append((each.call, update.procedure))
        elif isinstance(update, ServiceBaseline):
            known = demands[each.body["service"]]
            known.append((each.call, known[-1][1] * (10_000 + update.change_bp) // 10_000))
        elif isinstance(update, BatchRecall):
            recalled[each.body["batch"]] = each.call
    return Changes(
        editions={name: tuple(rows) for name, rows in editions.items()},
        demands={name: tuple(rows) for name, rows in demands.items()},
        recalled=recalled,
    )
