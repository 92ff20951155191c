"""Model agents over the wire: the scripted server checks every request, and spoils some of its answers."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING

import attrs
import pytest
from agents_fakes import task_files

from skillhorizon import RunOptions, RunStopped, UsageError, evaluate, load_task
from skillhorizon_agents.testing import Fault, Kind, ModelServer, Rules

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon.evaluation.runs import Evaluation

FORMATS = {"chat": "openai", "responses": "openai", "messages": "anthropic"}
LIMIT = 14_000


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(finance_suite: Path, tmp_path: Path) -> Callable[..., Evaluation]:
    def evaluated(server: ModelServer, format: str, **given: str) -> Evaluation:
        named = {name.replace("_", "-"): value for name, value in given.items()}
        place = {"base-url": server.root if format == "messages" else server.url}
        settings = place | named | ({"api": format} if format != "messages" else {})
        agent = f"{FORMATS[format]}/scripted"
        return evaluate(finance_suite, agent, RunOptions(settings=settings), out=tmp_path / "run")

    return evaluated


@pytest.fixture
def journal(finance_suite: Path, tmp_path: Path) -> Path:
    """Where the journal of the one execution stands once it has ended."""
    return tmp_path / "run" / "journals" / task_files(finance_suite)[0].stem / "1.jsonl.gz"


def serve(suite: Path, *faults: Fault, rules: Rules | None = None, latency: float = 0) -> ModelServer:
    tasks = [load_task(file) for file in task_files(suite)]
    return ModelServer(tasks, rules or Rules.of_loop(), faults=faults, latency=latency)


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_every_wire_format_reaches_everything(
    format: str, finance_suite: Path, run: Callable[..., Evaluation], journal: Path
) -> None:
    with serve(finance_suite) as server:
        (result,) = run(server, format).results
    assert server.breaches == []
    server.verify(journal)
    assert (result.kind, result.score and result.score.success) == ("submitted", True)
    assert result.usage is not None
    assert result.usage.input > 100_000


SMALL = {"context_limit": str(LIMIT), "output": "1000", "keep": "2"}


@pytest.mark.parametrize("policy", ["summary", "sliding:4"])
@pytest.mark.parametrize("format", sorted(FORMATS))
def test_every_wire_format_survives_compaction(
    format: str, policy: str, finance_suite: Path, run: Callable[..., Evaluation], journal: Path
) -> None:
    with serve(finance_suite, rules=Rules.of_loop(context=LIMIT)) as server:
        (result,) = run(server, format, **SMALL, context=policy).results
    assert server.breaches == []
    server.verify(journal)
    assert (result.kind, result.score and result.score.success) == ("submitted", True)
    assert result.usage is not None
    assert result.usage.compactions > 0


HEALED = (Kind.RATE_LIMIT, Kind.SERVER_ERROR, Kind.OVERLOADED, Kind.TRUNCATED, Kind.DROPPED)


@pytest.mark.parametrize("kind", HEALED)
@pytest.mark.parametrize("format", sorted(FORMATS))
def test_what_a_retry_heals_costs_nothing_but_retries(
    kind: Kind, format: str, finance_suite: Path, run: Callable[..., Evaluation]
) -> None:
    faults = [Fault(kind=kind, turn=turn, times=2, seconds=0.01) for turn in (1, 40)]
    with serve(finance_suite, *faults) as server:
        (result,) = run(server, format).results
    assert server.breaches == []
    assert result.score is not None
    assert result.score.success
    assert result.usage is not None
    assert result.usage.retries == 4


def test_a_slow_answer_is_asked_for_again(finance_suite: Path, run: Callable[..., Evaluation]) -> None:
    with serve(finance_suite, Fault(kind=Kind.SLOW, turn=5, seconds=1.5)) as server:
        (result,) = run(server, "chat", timeout="0.5").results
    assert result.score is not None
    assert result.score.success
    assert result.usage is not None
    assert result.usage.retries == 1


SPOILT = (Kind.MALFORMED_CALL, Kind.UNKNOWN_TOOL, Kind.FAILING_BATCH, Kind.BATCH, Kind.EMPTY, Kind.TALK, Kind.HUGE)


@pytest.mark.parametrize("kind", SPOILT)
@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_strange_answer_is_answered_and_the_work_goes_on(
    kind: Kind, format: str, finance_suite: Path, run: Callable[..., Evaluation], journal: Path
) -> None:
    with serve(finance_suite, Fault(kind=kind, turn=7)) as server:
        (result,) = run(server, format).results
    assert server.breaches == []
    server.verify(journal)
    assert (result.kind, result.score and result.score.success) == ("submitted", True)


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_context_that_the_provider_finds_too_long_ends_the_execution_at_once(
    format: str, finance_suite: Path, run: Callable[..., Evaluation]
) -> None:
    with serve(finance_suite, Fault(kind=Kind.TOO_LONG, turn=30, times=9)) as server:
        (result,) = run(server, format).results
        struck = [each for each in server.served if each.status == 400]
    assert (result.kind, len(struck)) == ("context_overflow", 1)
    assert result.score is not None
    assert 0 < result.score.reward < 1


def test_a_server_that_stays_broken_is_infrastructure_and_the_next_command_goes_on(
    finance_suite: Path, run: Callable[..., Evaluation]
) -> None:
    with serve(finance_suite, Fault(kind=Kind.SERVER_ERROR, turn=30, times=2)) as server:
        (failed,) = run(server, "chat", retries="1").results
        asked = len(server.served)
        (result,) = run(server, "chat", retries="1").results
    assert (failed.kind, failed.score) == ("infrastructure_error", None)
    assert "answered 500" in failed.fault
    assert result.score is not None
    assert result.score.success
    assert result.usage is not None
    assert result.usage.requests < len(server.served) - asked + 30


def test_a_missing_key_is_told_before_anything_is_sent(finance_suite: Path, tmp_path: Path) -> None:
    for agent, name in (("openai/any", "OPENAI_API_KEY"), ("anthropic/any", "ANTHROPIC_API_KEY")):
        with pytest.raises(UsageError, match=f"{name} is not set; set it"):
            evaluate(finance_suite, agent, out=tmp_path / name)


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_an_unknown_model_is_told_with_those_that_there_are(
    format: str, finance_suite: Path, run: Callable[..., Evaluation]
) -> None:
    with (
        serve(finance_suite, rules=Rules.of_loop().named("older", "newer")) as server,
        pytest.raises(UsageError, match="has no model 'scripted'; it has newer, older"),
    ):
        run(server, format)
    assert not [each for each in server.served if each.turn]


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_refused_key_is_told(format: str, finance_suite: Path, run: Callable[..., Evaluation]) -> None:
    with (
        serve(finance_suite, rules=attrs.evolve(Rules.of_loop(), key="right")) as server,
        pytest.raises(UsageError, match="refuses the key"),
    ):
        run(server, format)


def test_a_refused_connection_is_told(finance_suite: Path, run: Callable[..., Evaluation]) -> None:
    with serve(finance_suite) as server:
        pass
    with pytest.raises(UsageError, match=r"cannot be reached .*; start the server, or name its address"):
        run(server, "chat")


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_provider_that_refuses_the_schemas_stops_the_run_before_an_answer_is_paid(
    format: str, finance_suite: Path, run: Callable[..., Evaluation]
) -> None:
    with (
        serve(finance_suite, rules=attrs.evolve(Rules.of_loop(), refused="properties")) as server,
        pytest.raises(RunStopped, match=r"answered 400: .*; put that right .* give the same command again"),
    ):
        run(server, format)
    assert not [each for each in server.served if each.turn]


@pytest.mark.skipif(find_spec("litellm") is None, reason="the extra litellm is not installed")
@pytest.mark.filterwarnings("ignore")  # its own imports warn
def test_litellm_reaches_everything(finance_suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    with serve(finance_suite, Fault(kind=Kind.RATE_LIMIT, turn=3, seconds=0.01)) as server:
        options = RunOptions(settings={"base-url": server.url, "effort": "default"})
        (result,) = evaluate(finance_suite, "litellm/openai/scripted", options, out=tmp_path / "run").results
    assert server.breaches == []
    assert (result.kind, result.score and result.score.success) == ("submitted", True), result.fault
    assert result.usage is not None
    assert result.usage.retries == 1


def test_a_client_that_dies_while_it_asks_has_asked_nothing(finance_suite: Path) -> None:
    with serve(finance_suite) as server:
        host, port = server.root.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(b'POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 999\r\n\r\n{"model"')
            client.shutdown(socket.SHUT_WR)
            assert client.recv(1) == b""
        assert server.served == []
