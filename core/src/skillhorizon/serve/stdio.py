"""Serving one seat over the process's stdin and stdout."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import anyio

from skillhorizon.serve.server import server_of

if TYPE_CHECKING:
    from skillhorizon.serve.seat import Seat


def serve(seat: Seat) -> None:
    """Serve until stdin is closed; stdout belongs to the protocol, and stray output goes to stderr."""
    anyio.run(_serve if os.name == "posix" else _serve_with_threads, seat)


async def _serve(seat: Seat) -> None:
    from skillhorizon.serve.wire import standard_streams  # noqa: PLC0415  # it needs descriptors that can be waited for

    server = server_of(seat)
    with standard_streams() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _serve_with_threads(seat: Seat) -> None:
    from mcp.server.stdio import stdio_server  # noqa: PLC0415  # for systems that cannot wait for a descriptor

    server = server_of(seat)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
