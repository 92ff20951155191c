from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from skillhorizon.construction.suites import load_suite, load_task, task_path
from skillhorizon.errors import DigestMismatch, UsageError
from skillhorizon.evaluation.execution import EnvironmentFault, Execution, ExecutionEnded
from skillhorizon.evaluation.opening import open_session
from skillhorizon.evaluation.options import RunOptions, budget, chosen
from skillhorizon.evaluation.scripted import Null, Reference
from skillhorizon.evaluation.terminal import SCORED, Terminal
from skillhorizon.session.files import read_journal

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon.model.task import Task


@pytest.fixture
def task(with_bakery: Path, bakery_suite: Path) -> Task:
    return load_task(task_path(bakery_suite, load_suite(bakery_suite).tasks[0].id))


def tray(execution: Execution) -> dict[str, object]:
    order, loaves, _ = execution.call("list_batches").data["rows"][0]
    return {"order": order, "loaves": loaves}


def test_the_budget_is_the_reference_and_an_allowance_rounded_up(task: Task) -> None:
    calls = task.measurement.calls
    assert [budget(task, share) for share in ("0", "0.01", "1")] == [calls, calls + 1, 2 * calls]
    assert budget(task, "0.5") == task.measurement.budget


@pytest.mark.parametrize("text", ["-0.1", "101", "a half", "nan", "inf"])
def test_an_allowance_is_a_share(text: str) -> None:
    with pytest.raises(UsageError, match="--allowance"):
        RunOptions(allowance=text).checked()


def test_equal_allowances_are_written_alike() -> None:
    assert {RunOptions(allowance=text).checked().allowance for text in ("0.5", "0.50", ".5", "5e-1")} == {"0.5"}
    assert RunOptions(allowance="10").checked().allowance == "10"


def test_a_client_sees_instruction_tools_and_what_is_left(task: Task) -> None:
    with open_session(task) as execution:
        assert execution.instruction == task.instruction
        assert "bake" in execution.tools
        execution.call("list_batches")
        assert execution.calls_left == task.measurement.budget - 1


def test_the_end_is_confirmed_once_then_submitted(task: Task) -> None:
    with open_session(task) as execution:
        asked = execution.finish()
        assert (asked.data["finished"], execution.ended) == (False, "")
        assert asked.data["delivery"] == ["everything is shipped"]
        execution.call("list_batches")
        assert execution.finish().data["finished"] is True
        assert execution.ended == Terminal.SUBMITTED


def test_a_turn_without_a_call_asks_for_the_end(task: Task) -> None:
    with open_session(task) as execution:
        assert execution.turn([])[0].data["finished"] is False
        execution.turn([])
        assert execution.ended == Terminal.SUBMITTED


def test_nothing_can_be_called_after_the_end(task: Task) -> None:
    with open_session(task) as execution:
        execution.submit()
        with pytest.raises(ExecutionEnded, match="submitted"):
            execution.call("list_batches")
        with pytest.raises(ExecutionEnded):
            execution.stop(Terminal.TIME_LIMIT)


def test_the_last_call_of_the_budget_counts(task: Task) -> None:
    with open_session(task, allowance="0") as execution:
        Reference().run(execution)
        assert execution.ended == Terminal.BUDGET_EXHAUSTED
        assert execution.score().success


def test_calls_of_a_turn_after_the_budget_are_not_attempted(task: Task) -> None:
    with open_session(task, allowance="0") as execution:
        seen = execution.turn([("list_batches", {})] * (task.measurement.calls + 2))
        assert [o.outcome for o in seen[-3:]] == ["accepted", "not_attempted", "not_attempted"]


def test_a_limit_from_outside_ends_it_scored(task: Task) -> None:
    with open_session(task) as execution:
        execution.call("bake", tray(execution))
        execution.stop(Terminal.TIME_LIMIT)
        assert execution.ended in SCORED


def test_a_fault_of_the_environment_sticks(task: Task) -> None:
    with open_session(task) as execution:
        with pytest.raises(EnvironmentFault, match="the oven is out of order"):
            execution.call("break_oven")
        with pytest.raises(EnvironmentFault):
            execution.call("list_batches")


def test_scripted_agents_reach_what_is_known_of_them(task: Task) -> None:
    with open_session(task) as done, open_session(task) as nothing:
        Reference().run(done)
        Null().run(nothing)
        assert (done.score().lgc, done.score().success) == (1.0, True)
        assert (nothing.score().lgc, nothing.score().success) == (0.0, False)


def test_a_journal_left_open_is_continued(task: Task, tmp_path: Path) -> None:
    with open_session(task, tmp_path / "j.jsonl") as first:
        first.call("bake", tray(first))
        digest = first.session.world.digest()
    with open_session(task, tmp_path / "j.jsonl") as second:
        assert second.session.world.digest() == digest
        second.submit()
    journal = read_journal(tmp_path / "j.jsonl.gz")
    assert [record.index for record in journal.records] == [1, 2, 3, 4]
    assert journal.footer is not None
    assert journal.footer.kind == "submitted"


def test_a_closed_journal_is_not_opened_again(task: Task, tmp_path: Path) -> None:
    with open_session(task, tmp_path / "j.jsonl") as first:
        first.submit()
    with pytest.raises(UsageError, match="is closed"):
        open_session(task, tmp_path / "j.jsonl")


def test_a_journal_of_another_task_is_refused(task: Task, bakery_suite: Path, tmp_path: Path) -> None:
    with open_session(task, tmp_path / "j.jsonl") as first:
        first.call("list_batches")
    other = task_path(bakery_suite, load_suite(bakery_suite).tasks[1].id)
    with pytest.raises(DigestMismatch, match="belongs to another task"):
        open_session(other, tmp_path / "j.jsonl")


def test_tasks_are_chosen_by_pattern_band_family_and_number(bakery_suite: Path) -> None:
    suite = load_suite(bakery_suite)
    every = [entry.id for entry in suite.tasks]
    assert [e.id for e in chosen(suite, RunOptions(limit=1))] == every[:1]
    assert [e.id for e in chosen(suite, RunOptions(tasks="*-rye-*"))] == [i for i in every if "-rye-" in i]
    assert len(chosen(suite, RunOptions(bands=("smoke",), families=("plain",)))) == len(every)
    with pytest.raises(UsageError, match="its bands are smoke; its families are plain"):
        chosen(suite, RunOptions(bands=("1m",)))
