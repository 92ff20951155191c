"""What was spent counts once and is never forgotten: money, tokens, calls and time, whoever was stopped or killed."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import attrs
import orjson
import pytest
from agents_fakes import Call, Learned, reference_calls, task_files
from click.testing import CliRunner

from skillhorizon import Limits, Price, RunOptions, RunStopped, Usage, evaluate, load_task
from skillhorizon.cli import shz
from skillhorizon_agents import checkpoint
from skillhorizon_agents.agent import ModelAgent
from skillhorizon_agents.settings import Settings
from skillhorizon_agents.testing import Fault, Kind, ModelServer, Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon.evaluation.result import Result
    from skillhorizon.evaluation.runs import Evaluation
    from skillhorizon_agents.conversation import Request

PRICE = Price(input=Decimal(2), output=Decimal(10), cached=Decimal("0.2"))
LIMITS = [
    Limits(tokens=250_000),
    Limits(calls=150),
    Limits(cost=Decimal("0.30"), price=PRICE),
    Limits(seconds=0.8),
]
HIGHER = [
    Limits(tokens=400_000),
    Limits(calls=200),
    Limits(cost=Decimal("0.45"), price=PRICE),
]


@pytest.fixture(scope="session")
def learned(finance_suite: Path) -> dict[str, list[Call]]:
    return {load_task(file).instruction: reference_calls(file) for file in task_files(finance_suite)}


class Killed(BaseException):
    """The process dies."""


@attrs.define
class Desk:
    """A suite, a model, and one run of three trials."""

    suite: Path
    folder: Path
    model: Learned

    def run(self, limits: Limits | None = None, *, workers: int = 3, trials: int = 3, **options: Any) -> Evaluation:
        agent = ModelAgent("fake/learned", Settings(), lambda: self.model)
        asked = RunOptions(trials=trials, **options)
        return evaluate(self.suite, agent, asked, out=self.folder, limits=limits, workers=workers)

    def one(self, limits: Limits | None = None) -> Result:
        (result,) = self.run(limits, trials=1).results
        return result

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.folder.glob(pattern))


@pytest.fixture
def desk(finance_suite: Path, learned: dict[str, list[Call]], tmp_path: Path) -> Desk:
    return Desk(finance_suite, tmp_path / "run", Learned(learned, batch=4))


def dying(desk: Desk, *turns: int) -> Callable[[Request], None]:
    """Return what kills the process at the requests of these numbers, after each took some time."""

    def before(_request: Request) -> None:
        if len(desk.model.requests) in turns:
            raise Killed
        sleep(0.01)

    return before


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("limits", LIMITS)
def test_a_run_stopped_at_a_limit_spends_nothing_more_under_it(desk: Desk, limits: Limits, workers: int) -> None:
    desk.model.before = lambda _request: sleep(0.03 if limits.seconds else 0)
    with pytest.raises(RunStopped):
        desk.run(limits, workers=workers)
    asked = len(desk.model.requests)
    assert asked > 0
    assert len(desk.files("journals/*/*.jsonl")) > len(desk.files("journals/*/*.turns.jsonl")), "some are open"
    for at_once in (1, 2, 3):
        with pytest.raises(RunStopped, match=r"is reached \(.* used\)"):
            desk.run(limits, workers=at_once)
    assert len(desk.model.requests) == asked


@pytest.mark.parametrize("limits", HIGHER)
def test_a_run_stopped_again_and_again_stops_where_one_that_was_not_stops(desk: Desk, limits: Limits) -> None:
    lower = LIMITS[HIGHER.index(limits)]
    for each in (lower, limits):
        with pytest.raises(RunStopped):
            desk.run(each, workers=1)
    stepwise = len(desk.model.requests)
    desk.folder = desk.folder.with_name("at-once")
    with pytest.raises(RunStopped):
        desk.run(limits, workers=1)
    assert len(desk.model.requests) - stepwise == stepwise


def test_after_a_kill_the_limit_knows_what_was_paid(desk: Desk) -> None:
    desk.model.before = dying(desk, 20)
    with pytest.raises(Killed):
        desk.one()
    paid = sum(checkpoint.spent(path.with_name("1")).tokens for path in desk.files("journals/*/1.turns.jsonl"))
    assert paid > 20_000
    with pytest.raises(RunStopped, match=rf"--max-tokens {paid} is reached \({paid} used\)"):
        desk.one(Limits(tokens=paid))
    assert len(desk.model.requests) == 20


def test_turns_that_nothing_goes_on_from_were_paid_for(desk: Desk) -> None:
    desk.model.before = dying(desk, 20)
    with pytest.raises(Killed):
        desk.one()
    (turns,) = desk.files("journals/*/1.turns.jsonl")
    files = turns.with_name("1")
    paid = checkpoint.spent(files)
    kept = checkpoint.kept(files, 30)
    assert kept <= 30
    assert checkpoint.spent(files) == paid
    assert checkpoint.kept(files, None) == 0
    assert (turns.exists(), checkpoint.spent(files)) == (False, paid)


def test_lost_turns_of_an_execution_that_has_ended_stay_counted(desk: Desk) -> None:
    desk.model.before = dying(desk, 20)
    with pytest.raises(Killed):
        desk.run(trials=2, workers=1)
    files = desk.files("journals/*/1.turns.jsonl")[0].with_name("1")
    checkpoint.kept(files, 0)
    lost = checkpoint.spent(files, ended=True).tokens
    whole = Desk(desk.suite, desk.folder.with_name("whole"), Learned(desk.model.calls, batch=4)).one().usage
    assert whole is not None
    limit = Limits(tokens=lost + whole.tokens + 1)
    told = set()
    for _ in range(2):
        with pytest.raises(RunStopped) as stopped:
            desk.run(limit, trials=2, workers=1)
        assert len(desk.files("journals/*/1.jsonl.gz")) == 1
        told.add((str(stopped.value), len(desk.model.requests)))
    assert len(told) == 1


def test_writing_skills_counts_before_and_after_a_kill(desk: Desk) -> None:
    desk.model.calls = {"": [("list_notices", {})] * 5}
    for limits in (Limits(tokens=15_000), Limits(tokens=15_000)):
        with pytest.raises(RunStopped, match="--max-tokens 15000 is reached"):
            desk.run(limits, skills="self-generated", workers=1)
        assert 1 < len(desk.model.requests) < 6
    asked = len(desk.model.requests)
    with pytest.raises(RunStopped):
        desk.run(Limits(tokens=15_000), skills="self-generated", workers=3)
    assert len(desk.model.requests) == asked


def test_wall_time_is_that_of_all_commands_and_a_kill_loses_none_but_the_turn_under_way(desk: Desk) -> None:
    desk.model.before = dying(desk, 10, 20)
    for turns in (10, 20):
        with pytest.raises(Killed):
            desk.one()
        (kept,) = desk.files("times/*/1.ms")
        assert int(kept.read_text()) >= turns * 10
    kept.write_text("5000000\n")
    result = desk.one()
    assert result.milliseconds is not None
    assert 5_000_000 + 100 <= result.milliseconds < 5_600_000
    (again,) = desk.run(trials=1).results
    assert again.milliseconds == result.milliseconds


def test_wall_time_outlives_the_database(desk: Desk) -> None:
    milliseconds = desk.one().milliseconds
    (desk.folder / "results.db").unlink()
    kept = desk.one().milliseconds
    assert milliseconds is not None
    assert kept is not None
    assert 0 <= kept - milliseconds < 60_000


def test_time_changes_no_byte_of_a_journal(desk: Desk, finance_suite: Path, tmp_path: Path) -> None:
    desk.model.before = dying(desk, 10)
    with pytest.raises(Killed):
        desk.one()
    desk.one()
    other = Desk(finance_suite, tmp_path / "other", Learned(desk.model.calls, batch=4))
    other.one()
    journals = [each.files("journals/*/1.jsonl.gz")[0].read_bytes() for each in (desk, other)]
    assert journals[0] == journals[1]


def test_cost_is_stored_by_the_users_prices_in_whole_billionths(desk: Desk) -> None:
    result = desk.one(Limits(price=PRICE))
    assert result.usage is not None
    cost = 2 * (result.usage.input - result.usage.cached) + 10 * result.usage.output
    assert result.cost == cost * 1000 + result.usage.cached * 200
    assert desk.one().cost == result.cost


def test_without_prices_no_cost_is_known_until_there_are_some(desk: Desk) -> None:
    assert desk.one().cost is None
    first = desk.one(Limits(price=PRICE)).cost
    assert first
    assert desk.one(Limits(price=Price(input=Decimal(9), output=Decimal(9)))).cost == first


def test_an_agent_without_a_model_costs_nothing_that_is_known(finance_suite: Path, tmp_path: Path) -> None:
    (result,) = evaluate(finance_suite, "null", out=tmp_path / "run", limits=Limits(price=PRICE)).results
    assert (result.usage, result.cost) == (None, None)


def test_the_cost_is_shown_where_tokens_are(finance_suite: Path, tmp_path: Path) -> None:
    prices, run = tmp_path / "prices.json", tmp_path / "run"
    prices.write_text('{"openai/scripted": {"input": 2.5, "output": 10}}')
    with ModelServer([load_task(file) for file in task_files(finance_suite)], Rules.of_loop()) as server:
        words = ["eval", str(finance_suite), "--agent", "openai/scripted", "--agent-option", f"base-url={server.url}"]
        done = CliRunner().invoke(shz, [*words, "--prices", str(prices), "--out", str(run)])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(CliRunner().invoke(shz, ["show", str(run), "--json"]).stdout)["executions"]
    used = row["usage"]
    assert Decimal(row["cost"]) == (Decimal("2.5") * used["input"] + 10 * used["output"]) / 1_000_000
    table = CliRunner().invoke(shz, ["show", str(run)]).stdout
    assert table.splitlines()[3].split()[-2:] == ["tokens", "cost"]
    assert table.splitlines()[4].split()[-2:] == [str(row["tokens"]), row["cost"]]
    assert f"; cost {row['cost']}" in CliRunner().invoke(shz, ["show", str(run), row["task"]]).stdout


def test_an_answer_that_is_asked_for_again_is_paid_once(finance_suite: Path, tmp_path: Path) -> None:
    tasks = [load_task(file) for file in task_files(finance_suite)]
    with ModelServer(tasks, Rules.of_loop(), faults=[Fault(kind=Kind.RATE_LIMIT, turn=9, seconds=0.01)]) as server:
        options = RunOptions(settings={"base-url": server.url})
        (result,) = evaluate(finance_suite, "openai/scripted", options, out=tmp_path / "run").results
        assert result.usage is not None
        answered = [each for each in server.served if each.turn and each.status == 200]
        assert result.usage.requests == len(answered)
        assert result.usage.input == sum(each.tokens for each in answered)
    (turns,) = (tmp_path / "run").glob("journals/*/1.turns.jsonl")
    kept = [Usage(**entry["usage"]) for entry in map(orjson.loads, turns.read_bytes().splitlines()) if "usage" in entry]
    assert sum(kept, start=Usage()) == result.usage
