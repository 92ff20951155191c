"""Agents that wait for a model: many at once on one event loop, gone on with, stopped together."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest
import strange_agents

from skillhorizon.errors import UsageError
from skillhorizon.evaluation.agents import load_agent, trait
from skillhorizon.evaluation.conditions import checked, instruction_of
from skillhorizon.evaluation.limits import Limits, RunStopped, read_prices
from skillhorizon.evaluation.options import RunOptions
from skillhorizon.model.usage import Usage
from skillhorizon.results.evaluating import evaluate
from skillhorizon.session.files import JournalFile, read_journal
from skillhorizon.session.session import Toolbox

if TYPE_CHECKING:
    from skillhorizon.evaluation.execution import Execution


@pytest.fixture
def suite(with_bakery: Path, bakery_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bakery's suite, seen from an empty working folder."""
    monkeypatch.chdir(tmp_path)
    return bakery_suite


@attrs.define
class Patient:
    """Lists the batches, waits, bakes the first one; `dies` says at which execution's wait the process dies."""

    name: str = "patient"
    continues: bool = True
    versions: dict[str, str] = attrs.Factory(lambda: {"mood": "calm"})
    isolation: str = "process"
    dies: int = 0
    stops: str = ""
    waits: int = 0
    under_way: int = 0
    most: int = 0
    closed: int = 0
    kept_calls: list[int | None] = attrs.Factory(list)
    recalled: list[int] = attrs.Factory(list)

    def run(self, execution: Execution) -> None:
        asyncio.run(self.attend(execution))

    async def attend(self, execution: Execution) -> None:
        execution.meter.check()
        self.recalled.append(len(execution.recalled))
        order, loaves, _ = execution.call("list_batches").data["rows"][0]
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.01)
        self.under_way -= 1
        self.waits += 1
        if self.waits == self.dies:
            raise KeyboardInterrupt
        if self.stops:
            raise RunStopped(self.stops)
        execution.meter.check()
        execution.call("bake", {"order": order, "loaves": loaves})
        execution.usage = Usage(requests=2, input=10)
        execution.meter.add(execution.usage, 2)

    def kept(self, files: Path, records: int | None) -> int:
        self.kept_calls.append(records)
        return min(records or 0, 1)

    async def close(self) -> None:
        self.closed += 1


def test_executions_go_on_at_once_and_come_to_what_they_come_to_alone(suite: Path) -> None:
    made = []
    for workers in (1, 4):
        agent = Patient()
        done = evaluate(suite, agent, RunOptions(trials=3), out=f"run-{workers}", workers=workers)
        files = [path.read_bytes() for path in sorted(done.run.folder.glob("journals/*/*"))]
        made.append(([(r.key, r.kind, r.score, r.usage) for r in done.results], files))
        assert (agent.most, agent.closed) == (workers, 1)
        assert (done.run.info.versions.agent, done.run.info.isolation) == ({"mood": "calm"}, "process")
    assert made[0] == made[1]
    assert all(usage == Usage(requests=2, input=10) for *_, usage in made[0][0])


def test_what_was_left_open_goes_on_where_its_agent_says(suite: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluate(suite, Patient(dies=1), RunOptions(limit=1), out="run")
    agent = Patient()
    (result,) = evaluate(suite, agent, RunOptions(limit=1), out="run").results
    assert (agent.kept_calls, agent.recalled) == ([1], [1])
    assert (result.kind, result.calls) == ("submitted", 5)


def test_when_one_stops_the_run_the_others_stop_at_their_next_look(suite: Path) -> None:
    agent = Patient(stops="the key is refused")
    with pytest.raises(RunStopped, match="the key is refused"):
        evaluate(suite, agent, RunOptions(trials=3), out="run", workers=2)
    assert agent.under_way == 0
    assert agent.waits == 2
    done = evaluate(suite, Patient(), RunOptions(trials=3), out="run", workers=2)
    assert [result.kind for result in done.results] == ["submitted"] * 6


def test_a_limit_of_calls_stops_agents_in_worker_processes_too(suite: Path) -> None:
    with pytest.raises(RunStopped, match=r"--max-calls 3 is reached"):
        evaluate(suite, "strange_agents:bake_first", RunOptions(trials=4), out="run", limits=Limits(calls=3), workers=2)
    done = evaluate(suite, "strange_agents:bake_first", RunOptions(trials=4), out="run", workers=2)
    assert len(done.results) == 8


def test_results_with_another_make_of_the_agent_are_not_mixed(suite: Path) -> None:
    evaluate(suite, Patient(), RunOptions(limit=1), out="run")
    with pytest.raises(UsageError, match="the agent's mood was calm, now wild"):
        evaluate(suite, Patient(versions={"mood": "wild"}), RunOptions(limit=1), out="run")


def test_scripted_agents_take_no_options(suite: Path) -> None:
    for agent in ("reference", "strange_agents:bake_first"):
        with pytest.raises(UsageError, match="takes no --agent-option, but speed was given"):
            load_agent(agent, {"speed": "high"})


def test_an_agent_says_of_itself_what_it_likes() -> None:
    agent = load_agent("strange_agents:Baker")
    assert trait(agent, "name", default="") == "baker"
    assert trait(agent, "continues", default=False) is False
    assert isinstance(agent.made, strange_agents.Baker)  # type: ignore[attr-defined]  # how it was found


def test_a_journal_is_cut_back_to_the_records_that_are_kept(suite: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluate(suite, Patient(dies=1), RunOptions(limit=1), out="run")
    (path,) = Path("run").glob("journals/*/*.jsonl")
    journal = read_journal(path)
    JournalFile.cut(path, attrs.evolve(journal, records=())).leave()
    assert (read_journal(path).records, len(journal.records)) == ((), 1)


@pytest.mark.parametrize("text", ["", "pack:", "only:", "without:a,b", "none:x", "only:, ,"])
def test_what_is_no_skills_condition_is_told(text: str) -> None:
    with pytest.raises(UsageError, match="--skills is"):
        checked(text)


@pytest.mark.parametrize(
    ("told", "left"),
    [
        ("Rules by get_rules; skills with list_skills and read_skill. Go.", "Rules by get_rules. Go."),
        ("Read. Skills are found with\nlist_skills. Go.", "Read. Go."),
        ("Nothing is said of them.", "Nothing is said of them."),
    ],
)
def test_without_skills_no_word_of_them_is_left(told: str, left: str) -> None:
    assert instruction_of(told, Toolbox({})) == left


@pytest.mark.parametrize("table", ["[]", '{"a": {"input": -1, "output": 1}}', '{"a": {"input": 1}}', "{", '{"a": 3}'])
def test_a_wrong_table_of_prices_is_told(table: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(table)
    with pytest.raises(UsageError, match="is no table of prices"):
        read_prices(path)
