"""One request of the handshake era over HTTP: one JSON message in, one out, and nothing kept between them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, NoReturn

import anyio
import attrs
from mcp import MCPError
from mcp.server.connection import Connection
from mcp.server.runner import serve_one
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    DEFAULT_NEGOTIATED_VERSION,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.server.lowlevel import Server

ACCEPTED, OK, WRONG = 202, 200, 400
_TRANSPORT = TransportContext(kind="streamable-http", can_send_request=False)
_log = logging.getLogger(__name__)


@attrs.frozen
class Reply:
    """An HTTP status, and the JSON of the body if there is one."""

    status: int
    body: dict[str, Any] | None = None


@attrs.define
class _Request:
    """What the server's runner wants to know of a request that nothing can be sent to but its answer."""

    request_id: RequestId
    transport: TransportContext = _TRANSPORT
    message_metadata: None = None
    can_send_request: bool = False
    cancel_requested: anyio.Event = attrs.Factory(anyio.Event)

    async def send_raw_request(self, method: str, *_: Any) -> NoReturn:
        """Refuse: the answer is one message."""
        raise NoBackChannelError(method)

    async def notify(self, *_: Any) -> None:
        """Drop it: the answer is one message."""

    async def progress(self, *_: Any) -> None:
        """Drop it: who asks for progress is answered by a stream."""


async def answered(server: Server[Any], body: bytes, version: str | None) -> Reply:
    """Answer one message.

    Args:
        server: whose handlers answer.
        body: the message as it was posted.
        version: the protocol's version by the request's header.
    """
    try:
        message = jsonrpc_message_adapter.validate_json(body, by_name=False)
    except ValidationError as error:
        unreadable = error.errors()[0]["type"] == "json_invalid"
        said = (PARSE_ERROR, "the body is no JSON") if unreadable else (INVALID_REQUEST, "the body is no message")
        return Reply(WRONG, _failure(None, *said))
    if not isinstance(message, JSONRPCRequest):
        return Reply(ACCEPTED)
    connection = Connection.from_envelope(version or DEFAULT_NEGOTIATED_VERSION, None, None)
    return Reply(OK, await _result(server, message, connection))


async def _result(server: Server[Any], message: JSONRPCRequest, connection: Connection) -> dict[str, Any]:
    asked = _Request(message.id)
    try:
        result = await serve_one(
            server, asked, message.method, message.params, connection=connection, lifespan_state={}
        )
    except MCPError as error:
        return {"jsonrpc": "2.0", "id": message.id, "error": error.error.model_dump(exclude_none=True)}
    except ValidationError:
        return _failure(message.id, INVALID_PARAMS, "the parameters do not have the form that the protocol gives them")
    except Exception:
        _log.exception("%s failed", message.method)
        return _failure(message.id, INTERNAL_ERROR, "the server failed; tell its operator")
    return {"jsonrpc": "2.0", "id": message.id, "result": result}


def _failure(about: RequestId | None, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": about, "error": {"code": code, "message": message}}


def acceptable(headers: Mapping[bytes, bytes]) -> bool:
    """Whether a request brings JSON and takes JSON."""
    brings = headers.get(b"content-type", b"").lower().startswith(b"application/json")
    kinds = {part.partition(b";")[0].strip() for part in headers.get(b"accept", b"").lower().split(b",")}
    return brings and not kinds.isdisjoint((b"application/json", b"application/*", b"*/*"))
