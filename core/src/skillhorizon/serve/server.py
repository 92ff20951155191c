"""The MCP server of one seat: its tools, their strict schemas and truthful annotations, and its calls."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server

from skillhorizon.errors import SkillHorizonError
from skillhorizon.gateway.paging import start_of
from skillhorizon.gateway.tools import Kind, Tool
from skillhorizon.model.canonical import loads
from skillhorizon.model.outcome import Outcome, Rejection
from skillhorizon.registry import core_version
from skillhorizon.serve.seat import Answer, NoCall, Unavailable

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession

    from skillhorizon.serve.seat import Seat

NAME = "skillhorizon"
PROMPT = "task"
PAGE = 100
NUMBER, OUTCOME, MADE = "skillhorizon/call", "skillhorizon/outcome", "skillhorizon/made"
"""Keys of `_meta`: a call's number, in request and result; its outcome and the versions it made, in the result."""
PACE = 1.0
_FRESH = CacheHint(ttl_ms=3_600_000)
Wanted = tuple[str, Any, int | None]
"""A call: the tool, its arguments, and the call's number if the client counts."""
_log = logging.getLogger(__name__)


def server_of(seat: Seat, *, pace: float = PACE, page: int = PAGE) -> Server[Any]:
    """Return an MCP server over a seat; the calls of all its connections are made one after the other.

    Args:
        seat: the session.
        pace: seconds between two reports of progress.
        page: tools on one page of `tools/list`.
    """
    return Desk(seat, pace, page).server()


def tool_of(tool: Tool) -> types.Tool:
    """Return a tool as clients see it.

    Its annotations hold for every tool of every environment: an operation only adds versions, and every version that
    was ever made can still be read, so that none is destructive; one that answers equal attempts alike is idempotent;
    none reaches beyond the task's world.
    """
    reads = tool.kind in (Kind.QUERY, Kind.SCRIPT)
    hints = types.ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=False,
        idempotent_hint=reads or (tool.repeat and bool(tool.makes)),
        open_world_hint=False,
    )
    return types.Tool(name=tool.name, description=tool.doc, input_schema=tool.schema, annotations=hints)


class Desk:
    """Answers the requests of one seat's clients."""

    def __init__(self, seat: Seat, pace: float, page: int) -> None:
        self._seat, self._pace, self._page = seat, pace, page
        self._tools = [tool_of(tool) for _, tool in sorted(seat.tools.items())]
        self._lock = anyio.Lock(fast_acquire=True)

    def server(self) -> Server[Any]:
        """Return the server; all that it lists stays the same for as long as its task is served."""
        schemas = {tool.name: tool.input_schema for tool in self._tools}
        made: Server[Any] = Server(
            NAME,
            version=core_version(),
            instructions=self._seat.task.instruction,
            cache_hints={"tools/list": _FRESH, "prompts/list": _FRESH, "server/discover": _FRESH},
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )
        made.get_tool_input_schema = schemas.get  # what it looks for in headers stands in no schema of ours
        made.middleware.clear()  # spans of every call would cost as much as the call, and go nowhere
        return made

    async def _list_tools(self, _: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            start = start_of(params.cursor if params is not None else None)
        except Rejection as error:
            raise MCPError(types.INVALID_PARAMS, error.message) from error
        end = start + self._page
        return types.ListToolsResult(
            tools=self._tools[start:end], next_cursor=str(end) if end < len(self._tools) else None
        )

    async def _list_prompts(self, _: Any, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        about = types.Prompt(name=PROMPT, description="What is to be done, under which constraints and budget.")
        return types.ListPromptsResult(prompts=[about])

    async def _get_prompt(self, _: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != PROMPT:
            raise MCPError(
                types.INVALID_PARAMS, f"there is no prompt {params.name[:60]!r}; the one prompt is {PROMPT!r}"
            )
        told = types.TextContent(text=self._seat.task.instruction)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=told)])

    async def _call_tool(self, context: ServerRequestContext[Any], params: types.CallToolRequestParams) -> Any:
        meta: dict[str, Any] = dict(context.meta or {})
        arguments = {} if params.arguments is None else params.arguments
        wanted = (params.name, arguments, _number(meta))
        try:
            async with self._lock:
                if "progress_token" in meta:
                    answer = await self._call_with_progress(context.session, wanted)
                else:
                    answer = self._seat.call(*wanted)
        except NoCall as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        except Unavailable as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from error
        except SkillHorizonError as error:
            _log.exception("task %s: the call failed", self._seat.task.id)
            raise MCPError(types.INTERNAL_ERROR, "the server failed; tell its operator") from error
        return self._result(params.name, answer)

    async def _call_with_progress(self, session: ServerSession, wanted: Wanted) -> Answer:
        """Make a call in a thread, and say at every pace that it still runs; the client asked to be told."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._tell, session)
            outcome = await anyio.to_thread.run_sync(self._attempt, wanted)
            group.cancel_scope.cancel()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _attempt(self, wanted: Wanted) -> Answer | Exception:
        """Return the fault instead of raising it, since a task group would wrap it."""
        try:
            return self._seat.call(*wanted)
        except Exception as error:
            return error

    async def _tell(self, session: ServerSession) -> None:
        paces = 0
        while True:
            await anyio.sleep(self._pace)
            paces += 1
            await session.report_progress(paces * self._pace, None, "the call still runs")

    def _result(self, name: str, answer: Answer) -> dict[str, Any]:
        """Return a call's result: text and structured content say the same."""
        data = loads(answer.text)
        if name not in self._seat.tools and answer.outcome is Outcome.MALFORMED:
            raise MCPError(types.INVALID_PARAMS, data["error"]["message"])
        return {
            "content": [{"type": "text", "text": answer.text}],
            "structuredContent": data,
            "resultType": "complete",
            "isError": answer.outcome is not Outcome.ACCEPTED,
            "_meta": {NUMBER: answer.number, OUTCOME: answer.outcome.value, MADE: list(answer.made)},
        }


def _number(meta: dict[str, Any]) -> int | None:
    number = meta.get(NUMBER)
    if number is None or (type(number) is int and number > 0):
        return number
    raise MCPError(types.INVALID_PARAMS, f"{NUMBER} in _meta is the call's number, an integer from 1")
