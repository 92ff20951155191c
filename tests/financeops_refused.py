"""Runs of FinanceOps in which something is wrong that no variation of one call comes to; all of it is refused."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from skillhorizon import Mutation, Sabotage, World
from skillhorizon.session.session import Nowhere
from skillhorizon.testing import Trap, calls_of
from skillhorizon_financeops.rows import Entity, Receivable, Source, SourceRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from skillhorizon.construction.workshop import Built
    from skillhorizon.model.journal import Record

Calls = list[tuple[str, Any]]


def refused(built: Built, records: Sequence[Record]) -> Iterator[Trap]:
    """Yield the traps of one task."""
    calls = calls_of(records)
    yield from sales_matched(built, calls)
    yield views_discharged_by_hand(built, calls)
    yield rolled_from_the_opening(built, calls)
    yield relief_without_end(built, calls)


def made(calls: Calls, tool: str, **wanted: Any) -> Iterator[dict[str, Any]]:
    """Yield the arguments of a tool's calls that hold the wanted values."""
    return (said for name, said in calls if name == tool and all(said[key] == value for key, value in wanted.items()))


def sales_matched(built: Built, calls: Calls) -> Iterator[Trap]:
    """A sales source's orders are taken as receipts of opening items, at the end."""
    world = built.template
    for source in world.select(Source, stage=1):
        if source.kind == "sales" and source.lockbox is not None:
            records = next(made(calls, "submit_normalization", source_id=source.source_id))["records"]
            for item in world.select(Receivable, lockbox=source.lockbox, stage=0):
                yield Trap(f"{source.source_id} pays {item.item}", (*calls, _paying(source.source_id, records, item)))


def _paying(source_id: str, records: list[Any], item: Receivable) -> tuple[str, Any]:
    order, _, entity, minor = records[0]
    applied = min(minor, item.amount)
    rest = [[order, entity, minor - applied]] if minor > applied else []
    on_account = [*rest, *([pay, owner, amount] for pay, _, owner, amount in records[1:])]
    lines = [[order, item.item, applied, 0, 0]]
    return "submit_match", {"source_id": source_id, "lines": lines, "on_account": on_account}


def views_discharged_by_hand(built: Built, calls: Calls) -> Trap:
    """What the last notice brings to show is not recorded, but its obligations are discharged one by one."""
    plan: Any = built.plan
    last = plan.stages
    closed = calls.index(("close_stage", next(made(calls, "close_stage", stage=last))))
    kept = [call for at, call in enumerate(calls) if at < closed or call[0] != "record_view"]
    duties = [view.obligation_id for view in plan.views if view.notice and view.due == last]
    by_hand = [("discharge_obligation", {"obligation_id": duty, "evidence": []}) for duty in duties]
    return Trap("views discharged by hand", (*kept, *by_hand))


def rolled_from_the_opening(built: Built, calls: Calls) -> Trap:
    """The last stage is closed anew on the opening balances while the stage before it is not closed."""
    plan: Any = built.plan
    last = plan.stages
    opening = {each.entity: each.opening for each in built.template.select(Entity)}
    said = list(made(calls, "close_stage", stage=last))[-1]
    closing = {entity: amount + said["movement"][entity] for entity, amount in opening.items()}
    source = next(each.source_id for each in built.template.select(Source, stage=last - 1))
    return Trap(
        "rolled from the opening",
        (*calls, _otherwise(calls, source), ("close_stage", {**said, "closing": closing})),
    )


def _otherwise(calls: Calls, source_id: str) -> tuple[str, Any]:
    """Return a source's last normalization under the other policy."""
    said = list(made(calls, "submit_normalization", source_id=source_id))[-1]
    other = "first" if said["conflict_policy"] == "latest_revision" else "latest_revision"
    return "submit_normalization", {**said, "conflict_policy": other}


def relief_without_end(built: Built, calls: Calls) -> Trap:
    """A source is normalized now one way, now the other, with relief whenever tickets run out, until none is given."""
    source = built.template.select(Source, stage=1)[0].source_id
    right = list(made(calls, "submit_normalization", source_id=source))[-1]
    ways = [_otherwise(calls, source), ("submit_normalization", right)]
    session, more, count = built.session(Nowhere()), list[tuple[str, Any]](), 0
    try:
        for call in calls:
            session.call(*call)
        while True:
            call = ways[count % 2]
            more.append(call)
            if session.call(*call).outcome == "accepted":
                count += 1
                continue
            relief = ("request_relief", {"kind": "revision"})
            more.append(relief)
            if session.call(*relief).outcome != "accepted":
                return Trap("relief without end", (*calls, *more, call))
    finally:
        session.world.close()


def _opening_changed(world: World) -> None:
    first = world.select(Entity)[0]
    world.update(Entity, first.entity, opening=first.opening + 1)


def _row_added(world: World) -> None:
    row = world.select(SourceRow)[0]
    world.insert(SourceRow(row.source_id, 999, row.added_version, row.cells))


def _input_made_later(world: World) -> None:
    world.sql("UPDATE artifact SET made = made + 100000 WHERE kind = 'AGG' AND ended IS NULL")


def _forging(edit: Callable[[World], None], _plan: Any) -> Sabotage:
    return Sabotage(edit=edit, fails=frozenset({"D5"}))


FORGERIES = (
    Mutation[Any]("opening-changed", partial(_forging, _opening_changed)),
    Mutation[Any]("row-added", partial(_forging, _row_added)),
    Mutation[Any]("input-made-later", partial(_forging, _input_made_later)),
)
"""Changes of the final state past the gateway, which no call can make."""
