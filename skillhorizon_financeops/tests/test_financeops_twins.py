"""What has not opened tells nothing: a task and its twin answer everything alike until the stage opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest
from financeops_runs import Run, begun

from skillhorizon import Rng, loads
from skillhorizon.session.session import Nowhere, Session
from skillhorizon_financeops.config import FAMILIES, FinanceConfig
from skillhorizon_financeops.environment import environment
from skillhorizon_financeops.rows import Obligation
from skillhorizon_financeops.twins import twins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon import Twin
    from skillhorizon.model.journal import Record
    from skillhorizon_financeops.plan import Plan

CONFIGS = [FinanceConfig(family, variants[0], 4, 4) for family, variants in FAMILIES.items()]


def session_of(run: Run, recorder: Any = None) -> Session:
    return run.session(recorder or Nowhere())


def built(plan: Plan) -> Session:
    return session_of(Run.on(environment, plan))


def recorded(run: Run) -> list[Record]:
    return [*run.finished().records]


Question = tuple[str, dict[str, Any]]


def widest() -> list[Question]:
    """Every query that needs no argument."""
    return [(tool.name, {}) for tool in environment.tools if tool.kind == "query" and not tool.required]


def questions(plan: Plan, stage: int) -> Iterator[Question]:
    """Every query at its widest, and every tool about what opens at a stage."""
    yield from widest()
    yield from ((tool, {"stage": stage}) for tool in ("list_sources", "list_packages"))
    yield "list_obligations", {"due_stage": stage}
    for lockbox in sorted({source.lockbox for source in plan.facts.sources if source.lockbox}):
        yield "list_open_items", {"lockbox": lockbox, "stage": stage}
        yield "list_sources", {"lockbox": lockbox}
    for register in plan.facts.identity_sources:
        for tool in ("list_sources", "list_identity_maps"):
            yield tool, {"identity_source_id": register.identity_source_id}
    yield from (("get_identity_map", {"map_id": each.map_id}) for each in plan.facts.identity_maps)
    duties = [duty.obligation_id for duty in plan.facts.obligations]
    yield from (("discharge_obligation", {"obligation_id": duty, "evidence": []}) for duty in duties)
    yield from (("get_source", {"source_id": source.source_id}) for source in plan.facts.sources)
    for source in plan.facts.sources:
        if source.stage >= stage:
            yield from operations(plan, source.source_id)


def operations(plan: Plan, source_id: str) -> Iterator[Question]:
    """Operations on a source of an unopened stage, with what will be true of it."""
    truth = plan.truth.sources[source_id]
    yield (
        "submit_normalization",
        {
            "source_id": source_id,
            "contract_id": truth.contract_id,
            "identity_source_id": truth.identity_source_id,
            "identity_map_id": truth.citations[0][1],
            "conflict_policy": truth.conflict_policy,
            "records": [list(record) for record in truth.records],
        },
    )
    yield "submit_match", {"source_id": source_id, "lines": [], "on_account": []}
    yield "submit_aggregate", {"source_id": source_id, "totals": [list(total) for total in truth.totals]}
    yield "record_view", {"source_id": source_id, "basis_stage": 1, "aggregate": f"AGG:{source_id}@1", "totals": []}
    yield "get_artifact", {"artifact": f"NRM:{source_id}"}


def asked(session: Session, calls: Sequence[Question]) -> list[str]:
    fork = session.fork(Nowhere())
    try:
        return [fork.call(tool, arguments).text for tool, arguments in calls]
    finally:
        fork.world.close()


def assert_alike(run: Run, records: list[Record], twin: Twin[Plan]) -> None:
    """Both answer alike until the twin's stage opens, asked everything at every closing and notice before it."""
    stage = int(twin.name.split()[4])
    one, two = built(run.plan), built(twin.plan)
    calls = list(questions(run.plan, stage))
    for record in records:
        arguments = loads(record.arguments_text)
        if record.tool == "close_stage":
            assert asked(one, calls) == asked(two, calls)
            if twin.reveals(record.tool, arguments):
                return
        assert one.call(record.tool, arguments).text == two.call(record.tool, arguments).text
    pytest.fail("the stage never opened")


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.variant)
def test_what_has_not_opened_tells_nothing(config: FinanceConfig) -> None:
    run = begun(config, 3)
    records = recorded(begun(config, 3))
    made = list(twins(run.plan, Rng("twins", 1)))
    assert [twin.name for twin in made] == [f"what opens with stage {stage} and later" for stage in (2, 4)]
    for twin in made:
        assert twin.plan.facts != run.plan.facts
        assert_alike(run, records, twin)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.variant)
def test_hidden_view_obligations_tell_nothing_of_whom_a_notice_reached(config: FinanceConfig) -> None:
    """Without the hidden views of its first notice a task answers alike until an affected source is made anew."""
    run = begun(config, 3)
    first = run.plan.updates[0]
    assert first.views
    plan = attrs.evolve(run.plan, updates=(attrs.evolve(first, views=()), *run.plan.updates[1:]))
    one, two = built(run.plan), built(plan)
    duties: list[Question] = [
        ("discharge_obligation", {"obligation_id": view.obligation_id, "evidence": []}) for view in first.views
    ]
    fired = False
    for record in recorded(begun(config, 3)):
        if fired and record.tool == "submit_normalization":
            break
        arguments = loads(record.arguments_text)
        assert one.call(record.tool, arguments).text == two.call(record.tool, arguments).text
        fired = fired or bool(record.fired)
        if fired:
            assert asked(one, [*widest(), *duties]) == asked(two, [*widest(), *duties])
    assert len(one.world.select(Obligation)) == len(two.world.select(Obligation)) + len(first.views)
