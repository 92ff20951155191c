"""A task of a million tokens in a context of 128K, through every wire format; and killed ten times on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from time import sleep
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from skillhorizon import Order, Rng, RunOptions, evaluate, generate, load_suite, load_task
from skillhorizon.session.files import read_journal
from skillhorizon_agents.testing import ModelServer, Rules

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon import Task
    from skillhorizon.evaluation.result import Result

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
CONTEXT, KILLS = 128_000, 10


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of one task of FinanceOps with up to a million tokens."""
    folder = tmp_path_factory.mktemp("million") / "suite"
    generate(Order(environment="financeops", bands=("1m",), per_band=1), folder, workers=1)
    return folder


def task_of(suite: Path) -> Task:
    return load_task(suite / "tasks" / f"{load_suite(suite).tasks[0].id}.json")


def asked(server: ModelServer, format: str) -> tuple[str, dict[str, str]]:
    if format == "messages":
        return "anthropic/scripted", {"base-url": server.root}
    return "openai/scripted", {"base-url": server.url, "api": format}


def told(result: Result) -> tuple[Any, ...]:
    """Return what a result says, but for cached tokens: a request that is sent again meets the provider's cache."""
    assert result.usage is not None
    return result.kind, result.score, result.calls, result.charged, attrs.evolve(result.usage, cached=0)


@pytest.mark.parametrize("format", ["chat", "responses", "messages"])
def test_a_million_tokens_fit_through_every_wire_format(format: str, million: Path, tmp_path: Path) -> None:
    with ModelServer([task_of(million)], Rules.of_loop(context=CONTEXT)) as server:
        agent, settings = asked(server, format)
        (result,) = evaluate(million, agent, RunOptions(settings=settings), out=tmp_path / "run").results
        assert server.breaches == []
        server.verify(*(tmp_path / "run").glob("journals/*/*.gz"))
    assert (result.kind, result.score and result.score.success) == ("submitted", True)
    assert result.usage is not None
    assert result.usage.compactions >= 5


def test_killed_ten_times_it_comes_to_the_same(million: Path, tmp_path: Path) -> None:
    task, rng = task_of(million), Rng("moments of death")
    with ModelServer([task], Rules.of_loop(context=CONTEXT)) as server:
        agent, settings = asked(server, "chat")
        options = RunOptions(settings=settings)
        evaluate(million, agent, options, out=tmp_path / "whole")
        start = len(server.served)
        for moment in sorted(rng.integer(1, task.measurement.calls) for _ in range(KILLS)):
            _killed(million, tmp_path / "killed", server, start + moment, rng.integer(0, 30) / 1000)
        (result,) = evaluate(million, agent, options, out=tmp_path / "killed").results
        (whole,) = evaluate(million, agent, options, out=tmp_path / "whole").results
        assert server.breaches == []
        server.verify(*tmp_path.glob("*/journals/*/*.gz"))
    assert told(result) == told(whole)
    journals = [read_journal(next((tmp_path / name).glob("journals/*/*.gz"))) for name in ("whole", "killed")]
    assert journals[0].header == journals[1].header
    assert journals[0].records == journals[1].records


def _killed(suite: Path, folder: Path, server: ModelServer, served: int, after: float) -> None:
    """Run the command in a process of its own, and kill it when the server has served so many requests."""
    agent, settings = asked(server, "chat")
    options = [word for name, value in settings.items() for word in ("--agent-option", f"{name}={value}")]
    words = ["eval", str(suite), "--agent", agent, *options, "--out", str(folder)]
    with subprocess.Popen([sys.executable, "-m", "skillhorizon", *words], stderr=subprocess.PIPE) as process:
        while len(server.served) < served and process.poll() is None:
            sleep(0.002)
        sleep(after)
        assert process.poll() is None, process.stderr and process.stderr.read().decode()
        os.kill(process.pid, signal.SIGKILL)
