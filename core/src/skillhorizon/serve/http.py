"""Serving any number of seats over streamable HTTP, each at a path of its own."""

from __future__ import annotations

import socket
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import anyio
import attrs
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from skillhorizon.errors import StorageError
from skillhorizon.model.canonical import dumps_bytes
from skillhorizon.serve.exchange import acceptable, answered
from skillhorizon.serve.guard import Guard, Refused
from skillhorizon.serve.server import server_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from starlette.types import Message, Receive, Scope, Send

    from skillhorizon.serve.seat import Seat

MOST_BYTES = 1024 * 1024
"""The largest request body."""
_PROGRESS = b'"progressToken"'
_UNKNOWN = Refused(404, "no session is served at this path; use the URL that the server's operator gave")
_POST_ONLY = Refused(405, "requests are sent by POST; this server pushes nothing by itself", ((b"allow", b"POST"),))
_NOT_JSON = Refused(406, "a request brings JSON and takes it: Content-Type and Accept name application/json")
_TOO_LARGE = Refused(413, f"the request is larger than {MOST_BYTES} bytes; send less at once")


@attrs.frozen
class Gate:
    """One server, with a manager for plain JSON answers and one for event streams, for those who ask for progress.

    Nothing is kept between requests, in either era of the protocol: a session is its path, so that a client goes on
    after the server was started again.
    """

    server: Server[Any]
    plain: StreamableHTTPSessionManager
    streaming: StreamableHTTPSessionManager

    @classmethod
    def of(cls, server: Server[Any]) -> Gate:
        """Return the gate of a server."""
        made = [
            StreamableHTTPSessionManager(server, json_response=plain, stateless=True, max_request_body_size=MOST_BYTES)
            for plain in (True, False)
        ]
        return cls(server, *made)

    async def answer(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request whose body was read."""
        headers = dict(scope["headers"])
        version = headers.get(b"mcp-protocol-version", b"").decode("latin-1")
        if _PROGRESS in body:
            await self.streaming.handle_request(scope, _given(body, receive), send)
        elif version and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            await self.plain.handle_request(scope, _given(body, receive), send)
        elif not acceptable(headers):
            await _refuse(_NOT_JSON, send)
        else:
            reply = await answered(self.server, body, version or None)
            await _send(reply.status, reply.body, send)


class Site:
    """The ASGI application: guards each request and passes it to the session that its path names."""

    def __init__(self, gates: Mapping[str, Gate], guard: Guard) -> None:
        self._gates, self._guard = gates, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        headers = dict(scope["headers"])
        refused = self._guard.check(headers)
        gate = self._gates.get(scope["path"])
        if refused is None and gate is None:
            refused = _UNKNOWN
        if refused is None and scope["method"] != "POST":
            refused = _POST_ONLY
        body = await _body(receive) if refused is None else None
        if gate is None or body is None:
            await _refuse(refused or _TOO_LARGE, send)
            return
        await gate.answer(body, scope, receive, send)


async def _body(receive: Receive) -> bytes | None:
    """Return a request's whole body, or None when it is too large."""
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        size, more = size + len(parts[-1]), message.get("more_body", False)
        if size > MOST_BYTES:
            return None
    return b"".join(parts)


def _given(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives a body that was read already, then what comes after it."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return waiting.pop() if waiting else await receive()

    return next_message


async def _refuse(refused: Refused, send: Send) -> None:
    error = {"code": INVALID_REQUEST, "message": refused.reason}
    await _send(refused.status, {"jsonrpc": "2.0", "id": None, "error": error}, send, *refused.headers)


async def _send(status: int, body: dict[str, Any] | None, send: Send, *more: tuple[bytes, bytes]) -> None:
    data = b"" if body is None else dumps_bytes(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(data)), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data})


def path_of(seat: Seat) -> str:
    """Return the path of a seat's URL."""
    return f"/{seat.name}/mcp"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one.

    Raises:
        StorageError: when the address is taken or not of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named since the event loop sends small answers at once on such sockets only.
    at = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        at.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        at.bind((host, port))
        at.listen(128)
    except OSError as error:
        at.close()
        raise StorageError(
            f"cannot listen at {host}, port {port}: {error.strerror or error}; "
            "name another --http port, or 0 for a free one"
        ) from error
    return at


def urls_of(seats: Iterable[Seat], host: str, at: socket.socket) -> dict[str, str]:
    """Return the URL of each seat's task."""
    name = f"[{host}]" if ":" in host else host
    return {seat.task.id: f"http://{name}:{at.getsockname()[1]}{path_of(seat)}" for seat in seats}


def serve(seats: Sequence[Seat], at: socket.socket, guard: Guard, ready: Callable[[], None]) -> None:
    """Serve until the process is told to stop.

    Args:
        seats: the sessions; calls of one are made one after the other.
        at: where to listen.
        guard: who may speak to them.
        ready: told once requests are answered.
    """
    anyio.run(_serve, seats, at, guard, ready)


async def _serve(seats: Sequence[Seat], at: socket.socket, guard: Guard, ready: Callable[[], None]) -> None:
    gates = {path_of(seat): Gate.of(server_of(seat)) for seat in seats}
    config = uvicorn.Config(
        Site(gates, guard),
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    async with AsyncExitStack() as stack:
        for gate in gates.values():
            await stack.enter_async_context(gate.plain.run())
            await stack.enter_async_context(gate.streaming.run())
        ready()
        await uvicorn.Server(config).serve(sockets=[at])
