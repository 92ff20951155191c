"""The scripted agents on FinanceOps, over families and bands: each has its flaw, and what follows from it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from skillhorizon import loads
from skillhorizon.construction.components import choose
from skillhorizon.construction.proof import prove
from skillhorizon.construction.reach import Course, course_of
from skillhorizon.construction.tasks import task_of
from skillhorizon.construction.workshop import Built, Workshop
from skillhorizon.evaluation.agents import load_agent
from skillhorizon.evaluation.execution import Execution, ExecutionEnded
from skillhorizon.evaluation.partial import steps_until
from skillhorizon.model.journal import Record
from skillhorizon.model.score import Score
from skillhorizon.model.task import Cell, Task
from skillhorizon.session.references import attempts, references
from skillhorizon.session.session import Memory, Nowhere

if TYPE_CHECKING:
    from skillhorizon.gateway.tools import Tool

SHOP = Workshop(choose("financeops"))
SCALE = SHOP.components.environment.scale
TOOLS = SHOP.components.toolbox.tools
SMALL = [("smoke", *cell) for cell in SCALE.cells]
FIRST = dict(reversed(SCALE.cells))
FAMILIES = [("64k", *cell) for cell in FIRST.items()]
LARGE = [("128k", *cell) for cell in FIRST.items()]
HUGE = [(band, *cell) for band in ("256k", "512k", "1m") for cell in FIRST.items()]
Place = tuple[str, str, str]


def places(test: Any) -> Any:
    """Run a test at every variant of the smallest band, every family of the next, and, slowly, of all above."""
    slow = [pytest.param(place, marks=[pytest.mark.slow, pytest.mark.timeout(900)]) for place in LARGE]
    full = [pytest.param(place, marks=[pytest.mark.full, pytest.mark.timeout(1800)]) for place in HUGE]
    every = [*SMALL, *FAMILIES, *slow, *full]
    return pytest.mark.parametrize("place", every, ids=lambda place: f"{place[0]}-{place[2]}")(test)


@cache
def task_at(place: Place) -> tuple[Built, Task]:
    band, family, variant = place
    knob = SCALE.bounds(*place)[0]
    built = SHOP.build(SCALE.config(band, family, variant, knob, {}), split="dev", seed=1)
    cell = Cell(band=band, family=family, variant=variant)
    return built, task_of(built, prove(built), task_id="-".join(place), split="dev", seed=1, cell=cell)


@cache
def course_at(place: Place) -> Course:
    session = task_at(place)[0].session(Nowhere())
    try:
        return course_of(session)
    finally:
        session.world.close()


@attrs.frozen
class Played:
    """What an agent did, and the goals and the score that it came to."""

    records: list[Record]
    met: frozenset[str]
    score: Score

    @property
    def nothing(self) -> bool:
        return not self.met and not self.score.success


def played(place: Place, spec: str) -> Played:
    """Let an agent work on the task of a place under the default budget."""
    built, task = task_at(place)
    memory = Memory()
    session = built.session(memory, budget=task.measurement.budget)
    execution = Execution(task, session)
    try:
        load_agent(spec).run(execution)
    except ExecutionEnded:
        assert session.ended == "budget_exhausted"
    score = session.score()
    session.world.close()
    unmet = {finding.id for finding in score.unmet}
    return Played(memory.records, frozenset(goal.id for goal in built.plan.goals) - unmet, score)


def operations(records: list[Record]) -> list[tuple[Tool, Any, Record]]:
    found = [(TOOLS[record.tool], loads(record.arguments_text), record) for record in records]
    return [(tool, said, record) for tool, said, record in found if tool.kind == "operation"]


def recovered(records: list[Record]) -> int:
    """Count artifacts whose attempt was refused and later accepted."""
    refused: set[str] = set()
    again: set[str] = set()
    for tool, said, record in operations(records):
        names = set(attempts(tool, said))
        if record.outcome == "accepted":
            again |= names & refused
        else:
            refused |= names
    return len(again)


@places
def test_the_reference_reaches_everything(place: Place) -> None:
    score = played(place, "reference").score
    assert (score.lgc, score.success) == (1.0, True)


@places
def test_doing_nothing_and_reading_reach_nothing(place: Place) -> None:
    assert played(place, "null").nothing
    read = played(place, "read-only")
    assert read.nothing
    asked = {TOOLS[record.tool].name for record in read.records}
    needed = {tool.name for tool in TOOLS.values() if tool.kind == "query" and not tool.required}
    assert needed <= asked
    assert not operations(read.records)


@places
@pytest.mark.parametrize("share", ["0", "0.25", "0.5", "0.75", "0.9"])
def test_an_early_stop_keeps_what_is_done_and_not_undone(place: Place, share: str) -> None:
    course = course_at(place)
    count = steps_until(course, Fraction(share))
    stopped = played(place, f"early-stop:{share}")
    assert stopped.met == course.met(count)
    assert not stopped.score.success


@places
def test_ignoring_updates_loses_only_what_they_reach(place: Place) -> None:
    course, blind = course_at(place), played(place, "update-blind")
    reached = course.plan.graph.reachable(module for reach in course.reaches for module in reach.modules)
    undone = {goal for reach in course.reaches for goal in reach.goals}
    lost = {goal.id: set(goal.modules) for goal in course.plan.goals if goal.id not in blind.met}
    assert lost
    assert all(goal in undone or modules & reached for goal, modules in lost.items())
    assert not blind.score.success


@places
def test_carelessness_is_refused_and_mended(place: Place) -> None:
    careless = [played(place, f"careless:0.1:{seed}") for seed in (1, 2, 3)]
    assert all(recovered(each.records) > 0 for each in careless)


@places
def test_without_a_recheck_nothing_is_mended(place: Place) -> None:
    stubborn = [played(place, f"no-recheck:0.1:{seed}") for seed in (1, 2, 3)]
    assert all(recovered(each.records) == 0 for each in stubborn)
    assert all(each.score.lgc < 1 for each in stubborn)


def test_what_is_judged_at_the_end_is_lost_by_carelessness() -> None:
    assert any(played(place, "careless:0.2:1").score.lgc < 1 for place in SMALL)


@places
def test_a_forgetful_agent_is_refused_for_outdated_references_only(place: Place) -> None:
    refused = 0
    for calls in (5, 10, 40):
        records = played(place, f"forgetful:{calls}").records
        made: dict[str, str] = {}
        for tool, said, record in operations(records):
            if record.outcome != "accepted":
                named = {r.value.rpartition("@")[0]: r.value for r in references(tool, said) if "@" in r.value}
                assert any(made.get(name, ref) != ref for name, ref in named.items()), record.observation
                refused += 1
            made |= {ref.rpartition("@")[0]: ref for ref in record.made}
    assert refused


@pytest.mark.parametrize("place", FAMILIES, ids=lambda place: place[1])
def test_agents_repeat_themselves(place: Place) -> None:
    for spec in ("careless:0.1:1", "no-recheck:0.1:1", "forgetful:10"):
        assert [r.line() for r in played(place, spec).records] == [r.line() for r in played(place, spec).records]
    first, second = (played(place, f"careless:0.1:{seed}").records for seed in (1, 2))
    assert [record.line() for record in first] != [record.line() for record in second]
