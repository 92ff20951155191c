"""Asking a server from a terminal: one HTTP request, nothing but the standard library."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, urlsplit

from skillhorizon.errors import SkillHorizonError, UsageError

PROTOCOL = "2026-07-28"
"""The protocol's era without a handshake: every request says all."""
TIMEOUT = 600
"""Seconds to wait for an answer."""
NUMBER = "skillhorizon/call"
_INVALID_PARAMS = -32602
_PREFIX = "io.modelcontextprotocol/"
_NAMED = ("tools/call", "prompts/get")


class NoAnswer(SkillHorizonError):
    """A server that cannot be reached, or that answers with no message of the protocol."""


def ask(url: str, token: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Send one request and return its result.

    Raises:
        UsageError: when the URL is none, or the server knows no such tool or takes the arguments for no call.
        NoAnswer: when there is no answer, or it is another error of the protocol; the text is the server's.
    """
    where = _split(url)
    meta = {f"{_PREFIX}protocolVersion": PROTOCOL, f"{_PREFIX}clientCapabilities": {}, **params.pop("_meta", {})}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    body = _posted(where, _headers(token, method, params), json.dumps(message).encode())
    if "error" in body:
        error = body["error"]
        kind = UsageError if error.get("code") == _INVALID_PARAMS else NoAnswer
        raise kind(str(error.get("message")))
    result: dict[str, Any] = body["result"]
    return result


def _split(url: str) -> SplitResult:
    where = urlsplit(url)
    if where.scheme not in ("http", "https") or not where.hostname:
        raise UsageError(f"{url!r} is no URL of a server; set SHZ_URL to the one that `shz serve` printed")
    return where


def _headers(token: str, method: str, params: dict[str, Any]) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    headers |= {"MCP-Protocol-Version": PROTOCOL, "Mcp-Method": method}
    if method in _NAMED:
        headers["Mcp-Name"] = _header_value(params["name"])
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return headers


def _header_value(text: str) -> str:
    """Return a text as the protocol writes it into a header.

    >>> _header_value("get_rules"), _header_value("é")
    ('get_rules', '=?base64?w6k=?=')
    """
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?"):
        return text
    from base64 import b64encode  # noqa: PLC0415  # no tool's name needs it

    return f"=?base64?{b64encode(text.encode()).decode()}?="


def _posted(where: SplitResult, headers: dict[str, str], body: bytes) -> dict[str, Any]:
    connect = HTTPSConnection if where.scheme == "https" else HTTPConnection
    connection = connect(str(where.hostname), where.port, timeout=TIMEOUT)
    try:
        connection.request("POST", where.path or "/", body, headers)
        response = connection.getresponse()
        said = response.read()
    except (OSError, HTTPException) as error:
        raise NoAnswer(
            f"no answer from {where.scheme}://{where.netloc} ({str(error) or type(error).__name__}); if the call is "
            "counted by --number, give it again, else look first whether it was made"
        ) from error
    finally:
        connection.close()
    return _message(said, response.status)


def _message(said: bytes, status: int) -> dict[str, Any]:
    try:
        body = json.loads(said)
    except ValueError:
        body = None
    if not isinstance(body, dict) or not ("result" in body or "error" in body):
        raise NoAnswer(f"the server answers with status {status} and no message of the protocol; is SHZ_URL right?")
    return body
