"""Serving an execution of this process to one client: by URL and token, as if the client were at the session itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import pytest
from serving import BATCHES, tasks_of

from skillhorizon import Execution, Host, hosted, open_session
from skillhorizon.errors import UsageError
from skillhorizon.serve.remote import NUMBER, NoAnswer, ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def execution(with_bakery: Path, bakery_suite: Path, tmp_path: Path) -> Iterator[Execution]:
    with open_session(tasks_of(bakery_suite)[0], tmp_path / "1.jsonl") as opened:
        yield opened


def during(execution: Execution, work: Callable[[Host], Any]) -> Any:
    """Let a client work in a thread while the execution is served."""

    async def run() -> Any:
        async with hosted(execution) as host:
            return await anyio.to_thread.run_sync(work, host)

    return anyio.run(run)


def call(host: Host, tool: str, number: int | None = None) -> dict[str, Any]:
    meta = {} if number is None else {"_meta": {NUMBER: number}}
    return ask(host.url, host.token, "tools/call", {"name": tool, "arguments": {}, **meta})


def test_a_clients_calls_are_the_executions_own(execution: Execution, tmp_path: Path) -> None:
    during(execution, lambda host: call(host, BATCHES))
    assert execution.session.index == 1
    assert (tmp_path / "1.jsonl").read_bytes().count(b"\n") == 2


def test_only_who_bears_the_token_is_served(execution: Execution) -> None:
    with pytest.raises(NoAnswer, match="token"):
        during(execution, lambda host: call(Host(host.url, "wrong"), BATCHES))
    assert execution.session.index == 0


def test_tokens_and_paths_are_never_the_same(execution: Execution) -> None:
    first, second = (during(execution, lambda host: (host.url, host.token)) for _ in range(2))
    assert first[1] != second[1]
    assert first[0].rpartition(":")[2] != second[0].rpartition(":")[2]


def test_a_number_that_was_answered_is_answered_again(execution: Execution) -> None:
    def twice(host: Host) -> list[str]:
        return [call(host, BATCHES, 1)["content"][0]["text"] for _ in range(2)]

    first, second = during(execution, twice)
    assert (first == second, execution.session.index) == (True, 1)


def test_what_an_earlier_server_answered_is_not_known_to_a_later_one(execution: Execution) -> None:
    during(execution, lambda host: call(host, BATCHES))
    with pytest.raises(UsageError, match="before this server was started"):
        during(execution, lambda host: call(host, BATCHES, 1))
    during(execution, lambda host: call(host, BATCHES, 2))
    assert execution.session.index == 2


def test_after_the_end_every_call_is_told_so(execution: Execution) -> None:
    def end(host: Host) -> str:
        for _ in range(2):
            call(host, "finish")
        return str(call(host, BATCHES)["content"][0]["text"])

    assert "has ended (submitted)" in during(execution, end)
    assert execution.ended == "submitted"
    assert execution.session.index == 2


def test_the_execution_goes_on_without_the_server(execution: Execution, tmp_path: Path) -> None:
    during(execution, lambda host: call(host, BATCHES))
    execution.call(BATCHES)
    assert (tmp_path / "1.jsonl").read_bytes().count(b"\n") == 3
