"""Runs of FinanceOps in which something is wrong that no variation of one call comes to; all of it is refused.

Where another precondition would refuse the same call, the trap names the code that the handbook's order gives.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from courses import Call, Course

from skillhorizon import Mutation, Sabotage, World
from skillhorizon.session.session import Nowhere
from skillhorizon.testing import Trap
from skillhorizon_financeops.rows import Entity, IdentityMap, IdentitySource, Receivable, Source, SourceRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from skillhorizon.construction.workshop import Built
    from skillhorizon.model.journal import Record

STRANGER = "E99"
"""An entity that does not exist."""


def refused(built: Built, records: Sequence[Record]) -> Iterator[Trap]:
    """Yield the traps of one task."""
    course = Course.of(built, records)
    for lay in (sales_matched, strangers, too_early, out_of_turn):
        yield from lay(course)
    yield views_discharged_by_hand(course)
    yield rolled_from_the_opening(course)
    yield relief_without_end(course)


def strangers(course: Course) -> Iterator[Trap]:
    """Entities and orders that nothing has."""
    total = [STRANGER, 1, 1]
    yield course.changed("UNKNOWN_ID", course.first("submit_aggregate"), totals=[total])
    yield course.changed("UNKNOWN_ID", course.first("close_stage"), movement={STRANGER: 1})
    yield course.changed("UNKNOWN_ID", course.last("publish_release"), balances={STRANGER: 1})
    first = course.first("submit_normalization")
    (_, *rest), *others = course.said(first)["records"]
    yield course.changed("ORDER_UNKNOWN", first, records=[["O999999", *rest], *others])


def too_early(course: Course) -> Iterator[Trap]:
    """What belongs to stages that have not opened is named at the start."""
    world, stages = course.built.template, course.plan.stages
    source = world.select(Source, stage=stages)[0].source_id
    yield course.refused("NOT_RELEASED", 0, ("submit_aggregate", {"source_id": source, "totals": []}))
    yield course.refused("NOT_RELEASED", 0, ("submit_match", {"source_id": source, "lines": [], "on_account": []}))
    view = {"source_id": source, "basis_stage": 1, "aggregate": f"AGG:{source}@1", "totals": []}
    yield course.refused("NOT_RELEASED", 0, ("record_view", view))
    first = course.first("submit_normalization")
    late = [each.identity_source_id for each in world.select(IdentitySource) if each.released_stage > 1]
    if late:
        yield course.changed("NOT_RELEASED", first, identity_source_id=late[0])
        late_map = world.select(IdentityMap, identity_source_id=late[0])[0].map_id
        yield course.changed("NOT_RELEASED", first, identity_map_id=late_map)


def out_of_turn(course: Course) -> Iterator[Trap]:
    """A stage is closed before it opens, and published before the one before it."""
    yield course.changed("STAGE_NOT_OPEN", course.first("close_stage"), stage=course.plan.stages)
    first, second = (course.first("publish_stage", stage=stage) for stage in (1, 2))
    between = [call for call in course.calls[first:second] if call[0] != "publish_stage"]
    yield course.refused("PREVIOUS_UNPUBLISHED", first, *between, course.calls[second])


def sales_matched(course: Course) -> Iterator[Trap]:
    """A sales source's orders are taken as receipts of opening items, at the end."""
    world = course.built.template
    for source in world.select(Source, stage=1):
        if source.kind == "sales" and source.lockbox is not None:
            records = course.said(course.first("submit_normalization", source_id=source.source_id))["records"]
            for item in world.select(Receivable, lockbox=source.lockbox, stage=0):
                paying = _paying(source.source_id, records, item)
                yield Trap(f"{source.source_id} pays {item.item}", (*course.calls, paying))


def _paying(source_id: str, records: list[Any], item: Receivable) -> Call:
    order, _, entity, minor = records[0]
    applied = min(minor, item.amount)
    rest = [[order, entity, minor - applied]] if minor > applied else []
    on_account = [*rest, *([pay, owner, amount] for pay, _, owner, amount in records[1:])]
    lines = [[order, item.item, applied, 0, 0]]
    return "submit_match", {"source_id": source_id, "lines": lines, "on_account": on_account}


def views_discharged_by_hand(course: Course) -> Trap:
    """What the last notice brings to show is not recorded, but its obligations are discharged one by one."""
    plan = course.plan
    closed = course.first("close_stage", stage=plan.stages)
    kept = [call for at, call in enumerate(course.calls) if at < closed or call[0] != "record_view"]
    duties = [view.obligation_id for view in plan.views if view.notice and view.due == plan.stages]
    by_hand = [("discharge_obligation", {"obligation_id": duty, "evidence": []}) for duty in duties]
    return Trap("views discharged by hand", (*kept, *by_hand))


def rolled_from_the_opening(course: Course) -> Trap:
    """The last stage is closed anew on the opening balances while the stage before it is not closed."""
    world, last = course.built.template, course.plan.stages
    opening = {each.entity: each.opening for each in world.select(Entity)}
    said = course.said(course.last("close_stage", stage=last))
    closing = {entity: amount + said["movement"][entity] for entity, amount in opening.items()}
    source = next(each.source_id for each in world.select(Source, stage=last - 1))
    anew = ("close_stage", {**said, "closing": closing})
    return Trap("rolled from the opening", (*course.calls, _otherwise(course, source), anew))


def _otherwise(course: Course, source_id: str) -> Call:
    """Return a source's last normalization under the other policy."""
    said = course.said(course.last("submit_normalization", source_id=source_id))
    other = "first" if said["conflict_policy"] == "latest_revision" else "latest_revision"
    return "submit_normalization", {**said, "conflict_policy": other}


def relief_without_end(course: Course) -> Trap:
    """A source is normalized now one way, now the other, with relief whenever tickets run out, until none is given."""
    source = course.built.template.select(Source, stage=1)[0].source_id
    right = course.calls[course.last("submit_normalization", source_id=source)]
    ways = [_otherwise(course, source), right]
    session, more, count = course.built.session(Nowhere()), list[Call](), 0
    try:
        for call in course.calls:
            session.call(*call)
        while True:
            call = ways[count % 2]
            more.append(call)
            if session.call(*call).outcome == "accepted":
                count += 1
                continue
            relief: Call = ("request_relief", {"kind": "revision"})
            more.append(relief)
            if session.call(*relief).outcome != "accepted":
                return Trap("relief without end", (*course.calls, *more, call))
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
