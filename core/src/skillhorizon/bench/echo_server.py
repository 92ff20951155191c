"""A bare echo server of the same SDK: as a program with ANSWERS [PORT], it gives a file's lines, one per call."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import orjson
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def echo_server(answers: list[str]) -> Server[Any]:
    """Return a server with one tool that checks nothing and keeps nothing."""
    waiting = iter(answers)
    tool = types.Tool(name="echo", description="Echo.", input_schema={"type": "object"})

    async def list_tools(_: Any, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_: Any, __: types.CallToolRequestParams) -> types.CallToolResult:
        text = next(waiting)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=orjson.loads(text))

    return Server("echo", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


async def over_stdio(server: Server[Any]) -> None:
    """Serve over stdin and stdout."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def main() -> None:
    """Serve the answers of a file, over stdin and stdout or at a port."""
    server = echo_server(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    if len(sys.argv) == 2:  # noqa: PLR2004  # no port
        anyio.run(over_stdio, server)
    else:
        app = server.streamable_http_app(json_response=True)
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")


if __name__ == "__main__":
    main()
