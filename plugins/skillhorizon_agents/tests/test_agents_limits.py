"""Limits of a whole run, and what a run would take."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from decimal import Decimal
from time import sleep
from typing import TYPE_CHECKING

import pytest
from agents_fakes import Call, Learned, reference_calls, task_files
from click.testing import CliRunner

from skillhorizon import Limits, Price, RunOptions, RunStopped, evaluate, load_task
from skillhorizon.cli import shz
from skillhorizon.evaluation.limits import Meter
from skillhorizon.evaluation.stopwatch import Stopwatch
from skillhorizon_agents.agent import ModelAgent
from skillhorizon_agents.settings import Settings
from skillhorizon_agents.testing import ModelServer, Rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon.evaluation.runs import Evaluation

PRICE = Price(input=Decimal(2), output=Decimal(10), cached=Decimal("0.2"))


@pytest.fixture(scope="session")
def learned(finance_suite: Path) -> dict[str, list[Call]]:
    return {load_task(file).instruction: reference_calls(file) for file in task_files(finance_suite)}


@pytest.fixture
def limited(finance_suite: Path, learned: dict[str, list[Call]], tmp_path: Path) -> Callable[..., Evaluation]:
    model = Learned(learned, batch=4)

    def run(limits: Limits, trials: int = 3, workers: int = 1) -> Evaluation:
        agent = ModelAgent("fake/learned", Settings(), lambda: model)
        asked = RunOptions(trials=trials)
        return evaluate(finance_suite, agent, asked, out=tmp_path / "run", limits=limits, workers=workers)

    return run


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(tokens=250_000), r"--max-tokens 250000 is reached \(\d+ used\)"),
        (Limits(calls=150), "--max-calls 150 is reached"),
        (Limits(cost=Decimal("0.30"), price=PRICE), "--max-cost 0.3 is reached"),
        (Limits(seconds=0.01), "--max-time 0.01 is reached"),
    ],
)
def test_a_limit_stops_the_run_and_a_higher_one_goes_on(
    workers: int, limits: Limits, says: str, limited: Callable[..., Evaluation]
) -> None:
    with pytest.raises(RunStopped, match=rf"{says}.*give a higher one to go on; what was done is kept"):
        limited(limits, workers=workers)
    done = limited(Limits(), workers=workers)
    assert [result.score and result.score.success for result in done.results] == [True] * 3
    requests = [result.usage and result.usage.requests for result in done.results]
    assert len(set(requests)) == 1


def test_a_reached_limit_stays_reached(limited: Callable[..., Evaluation]) -> None:
    for _ in range(2):
        with pytest.raises(RunStopped, match="--max-calls 100 is reached"):
            limited(Limits(calls=100))


def test_a_meter_adds_up_and_stops() -> None:
    seconds = iter([0, 5, 11])
    meter = Meter(Limits(seconds=10), Stopwatch(clock=lambda: next(seconds) * 10**9))
    meter.check()
    with pytest.raises(RunStopped, match=r"--max-time 10 is reached \(11 used\)"):
        meter.check()


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    path.write_text('{"openai/scripted": {"input": 2.5, "cached": 0.25, "output": 10}}')
    return path


def test_a_dry_run_tells_what_would_be_done_and_does_nothing(
    finance_suite: Path, prices: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["eval", str(finance_suite), "--agent", "openai/scripted", "--prices", str(prices), "--trials", "2"]
    words += ["--skills", "curated", "--skills", "none", "--agent-option", "base-url=http://127.0.0.1:9/v1"]
    done = CliRunner().invoke(shz, [*words, "--dry-run", "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [row["skills"] for row in rows] == ["curated", "none"]
    assert rows[0]["executions"] == 2
    assert rows[0]["requests"] >= rows[0]["reference_calls"]
    assert float(rows[0]["cost"]) > 1
    assert not (tmp_path / "shz-runs").exists()


def test_paired_runs_come_from_one_command(
    finance_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with ModelServer([load_task(file) for file in task_files(finance_suite)], Rules.of_loop()) as server:
        words = ["eval", str(finance_suite), "--agent", "openai/scripted", "--agent-option", f"base-url={server.url}"]
        done = CliRunner().invoke(shz, [*words, "--skills", "curated", "--skills", "none"])
    assert done.exit_code == 0, done.output
    assert re.findall(r"openai/scripted \((\w+)\) +1 +1\.000 +1\.000", done.stdout) == ["curated", "none"]
    assert (tmp_path / "shz-runs" / "finance" / "openai-scripted.none" / "run.json").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--max-cost", "5"], "--max-cost needs the price of 'openai/scripted'"),
        (["--agent-option", "effort"], "give each once as NAME=VALUE"),
        (["--agent-option", "colour=red"], "there is no --agent-option colour; the agent has api, base-url"),
        (["--agent-option", "effort=huge"], "say one of default, none, low, medium, high"),
        (["--agent-option", "context-limit=4000"], "does not fit into a context of 4000"),
        (["--max-cost", "-1"], "is no positive amount"),
        (["--notes", "--agent-option", "notes=no"], "give each once as NAME=VALUE"),
    ],
)
def test_wrong_options_are_told(words: list[str], says: str, finance_suite: Path) -> None:
    done = CliRunner().invoke(shz, ["eval", str(finance_suite), "--agent", "openai/scripted", *words])
    assert done.exit_code == 2
    assert says in " ".join(done.output.split())


def test_ctrl_c_keeps_everything_and_the_same_command_goes_on(finance_suite: Path, tmp_path: Path) -> None:
    tasks = [load_task(file) for file in task_files(finance_suite)]
    with ModelServer(tasks, Rules.of_loop(), latency=0.01) as server:
        words = ["eval", str(finance_suite), "--agent", "openai/scripted", "--agent-option", f"base-url={server.url}"]
        command = [sys.executable, "-m", "skillhorizon", *words, "--out", str(tmp_path / "run")]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            while sum(each.turn > 0 for each in server.served) < 40 and process.poll() is None:
                sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        assert process.returncode == 130, errors
        assert "0 of 1 executions are done and kept, and the same command goes on from there" in errors
        before = sum(each.turn > 0 for each in server.served)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert server.breaches == []
        assert sum(each.turn > 0 for each in server.served) - before < 121 - 35
    assert "1.000  1.000" in done.stdout
