"""What a client of the Model Context Protocol sees of one seat, in both eras of the protocol."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any

import anyio
import attrs
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from serving import BATCHES, error_of, seat_of, text_of

from skillhorizon import Call, Json, query
from skillhorizon.serve.guard import Guard
from skillhorizon.serve.http import Gate, Site, path_of
from skillhorizon.serve.seat import Seat
from skillhorizon.serve.server import MADE, NUMBER, OUTCOME, server_of
from skillhorizon.session.files import read_journal
from skillhorizon.session.session import Toolbox

if TYPE_CHECKING:
    from pathlib import Path

INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
Talk = Callable[[Client], Awaitable[Any]]


@attrs.frozen
class Line:
    """A way to talk to a seat."""

    seat: Seat
    mode: str

    def talk(self, work: Talk, **options: Any) -> Any:
        """Let a client work over a server of the seat, and return what the work returns."""

        async def run() -> Any:
            async with Client(server_of(self.seat, **options), mode=self.mode) as client:
                try:
                    return await work(client)
                except MCPError as error:  # raised further down, where the client's task group cannot wrap it
                    return error

        found = anyio.run(run)
        if isinstance(found, MCPError):
            raise found
        return found

    def call(self, name: str, arguments: dict[str, Any], **more: Any) -> Any:
        """Make one call and return its result."""
        return self.talk(lambda client: client.call_tool(name, arguments, **more))

    def refused(self, name: str, arguments: dict[str, Any], **more: Any) -> MCPError:
        """Make one call that the protocol itself refuses."""
        with pytest.raises(MCPError) as error:
            self.call(name, arguments, **more)
        return error.value


@pytest.fixture(params=["legacy", "2026-07-28"])
def line(request: pytest.FixtureRequest, with_bakery: Path, bakery_suite: Path, tmp_path: Path) -> Iterator[Line]:
    seat = seat_of(bakery_suite, tmp_path)
    yield Line(seat, request.param)
    seat.leave()


def test_tools_are_listed_by_name_with_their_schemas(line: Line) -> None:
    listed = line.talk(lambda client: client.list_tools())
    assert [tool.name for tool in listed.tools] == sorted(line.seat.tools)
    assert {tool.name: tool.input_schema for tool in listed.tools} == {
        name: tool.schema for name, tool in line.seat.tools.items()
    }
    assert all(tool.input_schema["additionalProperties"] is False for tool in listed.tools)


def test_pages_of_tools_add_up_to_the_list(line: Line) -> None:
    async def paged(client: Client) -> list[list[str]]:
        pages: list[list[str]] = []
        cursor: str | None = None
        while not pages or cursor:
            page = await client.list_tools(cursor=cursor)
            pages.append([tool.name for tool in page.tools])
            cursor = page.next_cursor
        return pages

    pages = line.talk(paged, page=5)
    assert {len(page) for page in pages[:-1]} == {5}
    assert [name for page in pages for name in page] == sorted(line.seat.tools)


def test_a_cursor_from_nowhere_is_refused(line: Line) -> None:
    with pytest.raises(MCPError, match="came from no page") as error:
        line.talk(lambda client: client.list_tools(cursor="zero"))
    assert error.value.code == INVALID_PARAMS


def test_annotations_tell_what_a_tool_does(line: Line) -> None:
    listed = line.talk(lambda client: client.list_tools())
    hints = {tool.name: tool.annotations for tool in listed.tools}
    reading = {name for name, hint in hints.items() if hint.read_only_hint}
    assert reading == set(hints) - {"bake", "burn", "ship", "break_oven", "finish"}
    assert {name for name in set(hints) - reading if hints[name].idempotent_hint} == {"bake", "ship"}
    assert not any(hint.destructive_hint or hint.open_world_hint for hint in hints.values())


def test_a_read_only_tool_leaves_the_world_as_it_was(line: Line) -> None:
    listed = line.talk(lambda client: client.list_tools())
    session = line.seat._execution.session  # type: ignore[union-attr]  # the test's own seat is open
    before = session.world.digest()
    for tool in listed.tools:
        if tool.annotations.read_only_hint and not tool.input_schema["required"]:
            line.call(tool.name, {})
    assert session.world.digest() == before


def test_the_task_is_told_at_the_start_and_as_a_prompt(line: Line) -> None:
    async def told(client: Client) -> tuple[Any, Any, Any]:
        return client.instructions, await client.list_prompts(), await client.get_prompt("task")

    instructions, prompts, prompt = line.talk(told)
    assert [each.name for each in prompts.prompts] == ["task"]
    assert prompt.messages[0].content.text == line.seat.task.instruction
    assert instructions == (None if line.mode == "2026-07-28" else line.seat.task.instruction)


def test_the_newer_era_tells_the_task_on_discovery(line: Line) -> None:
    async def told(client: Client) -> str | None:
        return client.instructions

    assert Line(line.seat, "auto").talk(told) == line.seat.task.instruction


def test_an_unknown_prompt_is_refused(line: Line) -> None:
    with pytest.raises(MCPError, match="there is no prompt 'job'; the one prompt is 'task'"):
        line.talk(lambda client: client.get_prompt("job"))


def test_text_and_structured_content_say_the_same(line: Line) -> None:
    for name, arguments in ((BATCHES, {}), ("bake", {"order": 7}), ("get_rules", {"topic": "none"}), ("burn", {})):
        result = line.call(name, arguments)
        assert json.loads(text_of(result)) == result.structured_content
        assert text_of(result) == json.dumps(
            result.structured_content, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )


def test_a_result_tells_number_outcome_and_what_was_made(line: Line) -> None:
    order, loaves, _ = json.loads(text_of(line.call(BATCHES, {})))["rows"][0]
    baked = line.call("bake", {"order": order, "loaves": loaves})
    assert not baked.is_error
    meta = {key: baked.meta[key] for key in (NUMBER, OUTCOME, MADE)}
    assert meta == {NUMBER: 2, OUTCOME: "accepted", MADE: [f"TRAY:{order}@1"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"order": "B00", "loaves": "3"}, "$.loaves: expected integer, got string"),
        ({"order": "B00", "loaves": 3.0}, "$.loaves: expected integer, got number"),
        ({"order": "B00", "loaves": True}, "$.loaves: expected integer, got boolean"),
        ({"order": ["B00"], "loaves": 3}, "$.order: expected string, got array"),
        ({"loaves": 3}, "$.order: missing"),
        ({"order": "B00", "loaves": 3, "salt": 1}, "$.salt: unknown; the names are order, loaves"),
        ({"order": "B" * 9, "loaves": 3}, "$.order: 9 characters, at most 8 are accepted"),
        ({"order": "B00", "loaves": 10**30}, "use text without lone surrogates and integers up to 64 bits"),
    ],
)
def test_wrong_arguments_are_an_error_result_with_their_paths(
    line: Line, arguments: dict[str, Json], said: str
) -> None:
    result = line.call("bake", arguments)
    assert result.is_error
    assert error_of(result)["code"] == "MALFORMED"
    assert said in error_of(result)["message"]
    assert not line.call(BATCHES, {}).is_error


def test_a_refused_call_is_an_error_result(line: Line) -> None:
    for name, arguments, code in (
        ("bake", {"order": "B99", "loaves": 1}, "UNKNOWN_ID"),
        ("burn", {"order": "B00"}, "BURNT"),
        ("ship", {}, "NOT_BAKED"),
    ):
        result = line.call(name, arguments)
        assert result.is_error
        assert error_of(result)["code"] == code


def test_an_unknown_tool_is_the_protocols_own_error_and_is_charged(line: Line) -> None:
    error = line.refused("bake_cake", {})
    assert error.code == INVALID_PARAMS
    assert "there is no tool 'bake_cake'; the tools are bake, break_oven" in str(error)
    assert not line.call(BATCHES, {}).is_error
    assert [record.outcome for record in read_journal(line.seat.journal).records] == ["malformed", "accepted"]


def test_huge_arguments_are_the_protocols_own_error(line: Line) -> None:
    error = line.refused(BATCHES, {"cursor": "9" * 300_000})
    assert (error.code, "send less at once" in str(error)) == (INVALID_PARAMS, True)
    assert not line.call(BATCHES, {}).is_error


@pytest.mark.parametrize("number", [0, -1, True, "1", 1.5])
def test_a_number_that_is_none_is_refused(line: Line, number: object) -> None:
    error = line.refused(BATCHES, {}, meta={NUMBER: number})
    assert (error.code, "an integer from 1" in str(error)) == (INVALID_PARAMS, True)


def test_a_repeated_number_is_answered_as_before(line: Line) -> None:
    first, second = (line.call(BATCHES, {}, meta={NUMBER: 1}) for _ in range(2))
    assert (text_of(first), first.meta[NUMBER]) == (text_of(second), second.meta[NUMBER])
    assert "call 9 is not the next one" in str(line.refused(BATCHES, {}, meta={NUMBER: 9}))


def test_a_fault_inside_is_an_internal_error_without_its_cause(line: Line) -> None:
    error = line.refused("break_oven", {})
    assert error.code == INTERNAL_ERROR
    assert "oven" not in str(error)


def test_an_ended_execution_says_so(line: Line) -> None:
    for _ in range(2):
        line.call("finish", {})
    result = line.call(BATCHES, {})
    assert result.is_error
    assert error_of(result) == {
        "code": "ENDED",
        "message": "the execution has ended (submitted); no further call is taken",
        "details": {},
    }


@query
def rest(call: Call) -> Json:
    """Take a while."""
    time.sleep(0.3)
    return {"rested": True}


def test_a_long_call_reports_progress_to_those_who_ask(line: Line) -> None:
    line.seat.tools = {**line.seat.tools, "rest": rest}
    line.seat._execution.session.toolbox = Toolbox(line.seat.tools)  # type: ignore[union-attr]  # an open seat
    gate, seen = Gate.of(server_of(line.seat, pace=0.05)), list[float]()
    site = Site({path_of(line.seat): gate}, Guard("", "127.0.0.1"))

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def run() -> Any:
        async with (
            gate.plain.run(),
            gate.streaming.run(),
            httpx2.AsyncClient(transport=httpx2.ASGITransport(site)) as http,
            Client(
                streamable_http_client(f"http://127.0.0.1{path_of(line.seat)}", http_client=http), mode=line.mode
            ) as client,
        ):
            return await client.call_tool("rest", {}, progress_callback=progress)

    assert json.loads(text_of(anyio.run(run))) == {"rested": True}
    assert len(seen) >= 2
    assert seen == sorted(set(seen))


def test_calls_at_once_are_made_one_after_the_other(line: Line) -> None:
    async def work(client: Client) -> list[Any]:
        results: list[Any] = [None] * 30

        async def one(i: int) -> None:
            results[i] = await client.call_tool("get_rules", {"topic": f"t-{i}"})

        async with anyio.create_task_group() as group:
            for i in range(len(results)):
                group.start_soon(one, i)
        return results

    results = line.talk(work)
    assert all(repr(f"t-{i}") in text_of(result) for i, result in enumerate(results))
    assert sorted(result.meta[NUMBER] for result in results) == list(range(1, 31))


def test_asking_from_a_terminal_imports_neither_the_sdk_nor_an_environment() -> None:
    heavy = ("mcp", "attrs", "orjson", "sqlalchemy", "pluggy", "skillhorizon.session", "skillhorizon.environment")
    source = (
        f"import sys, skillhorizon.cli.call, skillhorizon.serve.remote; print([n for n in {heavy} if n in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True).stdout == "[]\n"
