from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest
from bakery import Config, bakery

from skillhorizon import Rng, World
from skillhorizon.errors import DigestMismatch
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.replay import replay
from skillhorizon.session.session import Memory, Recorder, Session, Toolbox

if TYPE_CHECKING:
    from skillhorizon.model.journal import Record


class Oven:
    """A built bakery task on which sessions are opened."""

    def __init__(self) -> None:
        self.environment = bakery()
        self.plan = self.environment.compose(Config(4), Rng("bakery", 1))
        self.template = World.empty(self.environment.tables)
        self.environment.build(self.plan, self.template)
        self.toolbox = Toolbox.of(self.environment)

    def session(self, recorder: Recorder, *, budget: int | None = None) -> Session:
        return Session(
            self.environment,
            self.plan,
            self.template.clone(),
            toolbox=self.toolbox,
            recorder=recorder,
            budget=budget,
        )


@pytest.fixture
def oven() -> Oven:
    return Oven()


def reference_run(oven: Oven) -> tuple[Session, list[Record]]:
    memory = Memory()
    session = oven.session(memory)
    drive(oven.environment.steps(SessionClient(session), session.plan.brief, lambda module: 0))
    return session, memory.records


def test_a_replay_ends_in_the_same_state(oven: Oven) -> None:
    session, records = reference_run(oven)
    again = replay(oven, records)
    assert again.world.digest() == session.world.digest()
    assert (again.index, again.turns, again.charged) == (session.index, session.turns, session.charged)


def test_a_replay_stops_after_any_call(oven: Oven) -> None:
    _, records = reference_run(oven)
    met = [replay(oven, records, upto=at).score().goals_met for at in range(len(records) + 1)]
    assert met[0] == 0
    assert met[-1] == len(oven.plan.goals)


def test_a_replayed_session_goes_on_live(oven: Oven) -> None:
    session, records = reference_run(oven)
    memory = Memory()
    again = replay(oven, records, upto=len(records) - 1)
    again.recorder = memory
    again.call("ship", {})
    assert memory.records == records[-1:]
    assert again.world.digest() == session.world.digest()


def test_turns_of_several_calls_are_repeated_as_turns(oven: Oven) -> None:
    memory = Memory()
    session = oven.session(memory)
    session.turn([("list_batches", {}), ("bake", {"order": "B99", "loaves": 1}), ("ship", {}), ("no tool", {})])
    session.turn([])
    session.turn([("list_batches", {}), ("bake", ["no object"])])
    outcomes = [record.outcome for record in memory.records]
    assert outcomes[1:4] == [Outcome.REJECTED, Outcome.NOT_ATTEMPTED, Outcome.NOT_ATTEMPTED]
    again = replay(oven, memory.records)
    assert again.turns == session.turns == 3


def test_odd_names_and_arguments_replay(oven: Oven) -> None:
    memory = Memory()
    session = oven.session(memory, budget=40)
    for name, arguments in [('say "é"\n', {}), ("bake", {"order": "\ud800"}), ("bake", None), ("finish", {})]:
        session.call(name, arguments)
    assert replay(oven, memory.records, budget=40).finish_requests == 1


def test_a_budget_ends_a_replay_as_it_ended_the_execution(oven: Oven) -> None:
    memory = Memory()
    session = oven.session(memory, budget=2)
    session.turn([("list_batches", {})] * 4)
    assert replay(oven, memory.records, budget=2).ended == session.ended == "budget_exhausted"


@pytest.mark.parametrize(
    ("part", "value"), [("observation", "{}"), ("clock", 99), ("made", ("TRAY:B07@1",)), ("outcome", Outcome.FAILED)]
)
def test_a_call_that_gives_something_else_is_named(oven: Oven, part: str, value: Any) -> None:
    _, records = reference_run(oven)
    records[2] = attrs.evolve(records[2], **{part: value})
    with pytest.raises(DigestMismatch, match=rf"call 3 \(bake\) gives another {part} than the journal holds"):
        replay(oven, records)
    assert replay(oven, records, compare=False).score().success


def test_whoever_watches_sees_every_call_in_its_state(oven: Oven) -> None:
    _, records = reference_run(oven)
    met: list[tuple[int, int]] = []
    replay(oven, records, seen=lambda session, record: met.append((record.index, session.score().goals_met)))
    assert [index for index, _ in met] == [record.index for record in records]
    assert met[-1][1] == len(oven.plan.goals)
