"""A hundred thousand calls made from the schemas, sensible or not, break nothing in FinanceOps."""

from __future__ import annotations

import pytest

from skillhorizon import Rng
from skillhorizon.conformance.probing import checkpoints, knowledge, last_given, made_up, state_after
from skillhorizon.construction.components import choose
from skillhorizon.construction.proof import run_reference
from skillhorizon.construction.workshop import Workshop
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.session import Memory, Nowhere, Session

CALLS = 100_000
STATES = 12
COMMITTED = (Outcome.ACCEPTED, Outcome.FAILED)


def fuzzed(session: Session, calls: list[tuple[str, object]]) -> int:
    """Make calls on one fork, and those alone that were committed on another: both end in the same state."""
    wild, calm = session.fork(Nowhere()), session.fork(Nowhere())
    for name, arguments in calls:
        said = wild.call(name, arguments)
        assert said.outcome is not Outcome.INTERNAL_ERROR, (name, arguments, said.text)
        if said.outcome in COMMITTED and session.tools[name].kind is Kind.OPERATION:
            calm.index = wild.index - 1
            calm.call(name, arguments)
    assert wild.world.digest() == calm.world.digest()
    wild.world.close()
    calm.world.close()
    return len(calls)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_hundred_thousand_made_up_calls_fail_inside_nowhere_and_leave_no_trace_when_refused() -> None:
    shop = Workshop(choose("financeops"))
    made = 0
    for number, cell in enumerate(shop.components.environment.scale.cells):
        scale = shop.components.environment.scale
        config = scale.config("64k", *cell, scale.bounds("64k", *cell)[0], {})
        built = shop.build(config, split="dev", seed=number)
        memory = Memory()
        run_reference(built.session(memory))
        session, rng = built.session(Nowhere()), Rng("fuzz", number)
        known, given = knowledge(session, memory.records), last_given(memory.records)
        for call in checkpoints(memory.records, STATES):
            state_after(session, memory.records, call)
            wanted = CALLS // (len(scale.cells) * STATES) + 1
            calls: list[tuple[str, object]] = []
            while len(calls) < wanted:
                calls += made_up(session, given, known, rng, 8)
            made += fuzzed(session, calls)
        built.close()
    assert made >= CALLS
