"""The scripted model behind HTTP on 127.0.0.1, in the wire formats that providers speak."""

from __future__ import annotations

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import read_journal
from skillhorizon_agents.testing.counting import tokens_of
from skillhorizon_agents.testing.faults import STATUS, Fault, Kind
from skillhorizon_agents.testing.formats import chat, gemini, messages, responses
from skillhorizon_agents.testing.formats.reading import dumped
from skillhorizon_agents.testing.model import SchemaRefused, ScriptedModel, TooLong
from skillhorizon_agents.testing.rules import Rules
from skillhorizon_agents.testing.talk import Breach, Conversation, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import ModuleType, TracebackType

    from skillhorizon import Task

FORMATS: dict[str, ModuleType] = {
    chat.PATH: chat,
    responses.PATH: responses,
    messages.PATH: messages,
    ":streamGenerateContent": gemini,
    ":generateContent": gemini,
}
CODES: dict[type[Exception], str] = {
    TooLong: "context_length_exceeded",
    SchemaRefused: "invalid_function_parameters",
    Breach: "breach",
    ValueError: "breach",
}
"""The codes of refusals."""
OK, WRONG, UNAUTHORIZED, UNKNOWN = 200, 400, 401, 404


@attrs.frozen(kw_only=True)
class Served:
    """One request that was answered: path, status, the reply's turn (0: none), why it was refused, tokens read."""

    path: str
    status: int
    turn: int = 0
    reason: str = ""
    tokens: int = 0


@attrs.frozen
class _Out:
    """What goes over the wire: a status, headers, and a JSON body or events; `cut` sends half of it."""

    status: int
    body: Any = None
    events: tuple[tuple[str, Any], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False

    def data(self) -> bytes:
        """Return the bytes of the body."""
        if self.events:
            return "".join(_event(kind, data) for kind, data in self.events).encode()
        whole = dumped(self.body).encode()
        return whole[: len(whole) // 2] if self.cut else whole


def _event(kind: str, data: Any) -> str:
    name = f"event: {kind}\n" if kind else ""
    return f"{name}data: {data if isinstance(data, str) else dumped(data)}\n\n"


class Dropped(Exception):
    """The connection is to end without an answer."""


class ModelServer:
    """Serves a scripted model while a `with` block runs.

    Args:
        tasks: the tasks whose reference policies it plays.
        rules: what it insists on in requests.
        faults: what goes wrong.
        latency: seconds that every reply takes.
        port: where to listen; 0 takes a free port.

    Attributes:
        served: every request so far.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        rules: Rules | None = None,
        *,
        faults: Iterable[Fault] = (),
        latency: float = 0,
        port: int = 0,
    ) -> None:
        self.rules = rules or Rules()
        self.model = ScriptedModel(tasks, self.rules, faults)
        self.served: list[Served] = []
        self._latency, self._lock = latency, Lock()
        self._before: dict[str, tuple[str, ...]] = {}
        self._http = _Listener(port, self)

    @property
    def root(self) -> str:
        """The server's URL without a path, as Anthropic's and Google's clients take it."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        """The server's base URL as OpenAI's clients take it."""
        return f"{self.root}/v1"

    @property
    def breaches(self) -> list[str]:
        """Why requests were refused, faults that were injected apart."""
        return [each.reason for each in self.served if each.reason and not each.reason.startswith("injected")]

    def calls(self, task: Task) -> list[tuple[str, str, str]]:
        """Return the calls that requests about a task showed: (tool's wire name, arguments, result's text)."""
        return self.model.calls(task.instruction)

    def verify(self, *journals: Path) -> None:
        """Hold every observation that requests showed against the journals of the sessions, in order.

        While it serves, the model takes the first showing of an observation as true: only the session knows better.

        Raises:
            Breach: when a conversation and a journal part, when a journal tells of no conversation, or a conversation
                of no journal.
        """
        self.model.verify([read_journal(journal) for journal in journals])

    def serve_forever(self) -> None:
        """Serve until the process is told to stop."""
        self._http.serve_forever()

    def __enter__(self) -> ModelServer:
        """Serve in a thread."""
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Stop."""
        self._http.shutdown()
        self._http.server_close()
        self.model.leave()

    def answer(self, path: str, headers: dict[str, str], data: bytes) -> _Out:
        """Answer one POST."""
        form = next((form for ending, form in FORMATS.items() if path.endswith(ending)), None)
        if form is None:
            return self._refused(path, chat, UNKNOWN, "not_found", f"nothing is served at {path}")
        if not self._borne(headers):
            return self._refused(path, form, UNAUTHORIZED, "invalid_api_key", "Incorrect API key provided")
        try:
            return self._read(path, form, json.loads(data))
        except tuple(CODES) as error:
            code = next(code for kind, code in CODES.items() if isinstance(error, kind))
            return self._refused(path, form, WRONG, code, str(error))

    def _read(self, path: str, form: ModuleType, body: Any) -> _Out:
        if not isinstance(body, dict):
            raise Breach("the body is no JSON object")
        if form is not gemini and body.get("model") not in self.rules.models:
            return self._refused(path, form, UNKNOWN, "model_not_found", f"no model {body.get('model')!r} exists")
        return self._replied(path, form, body, form.read(body, path))

    def _replied(self, path: str, form: ModuleType, body: dict[str, Any], conversation: Conversation) -> _Out:
        reply = self.model.reply(conversation)
        if self._latency:
            time.sleep(self._latency)
        with self._lock:
            fault = self.model.schedule.strike(reply.turn)
        if fault is not None and fault.kind is not Kind.SLOW and fault.kind is not Kind.TRUNCATED:
            return self._struck(path, form, fault)
        if fault is not None and fault.kind is Kind.SLOW:
            time.sleep(fault.seconds)
        return self._said(path, form, body, conversation, reply=reply, cut=fault is not None)

    def _said(
        self, path: str, form: ModuleType, body: dict[str, Any], conversation: Conversation, *, reply: Reply, cut: bool
    ) -> _Out:
        key = conversation.first[:2000]
        tokens = tokens_of(conversation.texts, self._before.get(key, ()), reply)
        self._before[key] = conversation.texts
        self._note(Served(path=path, status=OK, turn=reply.turn, tokens=tokens.input))
        model = body.get("model", "scripted")
        groups = {each.name: each.group for each in conversation.offers}
        more = (groups,) if form is responses else ()
        if conversation.stream:
            return _Out(OK, events=tuple(form.stream(reply, tokens, model, *more)))
        return _Out(OK, form.write(reply, tokens, model, *more), cut=cut)

    def _struck(self, path: str, form: ModuleType, fault: Fault) -> _Out:
        reason = f"injected: {fault.kind}"
        if fault.kind is Kind.DROPPED:
            self._note(Served(path=path, status=0, turn=fault.turn, reason=reason))
            raise Dropped
        code = "context_length_exceeded" if fault.kind is Kind.TOO_LONG else str(fault.kind)
        after = (("Retry-After", f"{fault.seconds:g}"),) if fault.kind is Kind.RATE_LIMIT else ()
        out = self._refused(path, form, STATUS[fault.kind], code, reason)
        return attrs.evolve(out, headers=after)

    def _refused(self, path: str, form: ModuleType, status: int, code: str, reason: str) -> _Out:
        self._note(Served(path=path, status=status, reason=reason))
        return _Out(status, form.fault(status, code, reason))

    def _note(self, served: Served) -> None:
        with self._lock:
            self.served.append(served)

    def _borne(self, headers: dict[str, str]) -> bool:
        key = self.rules.key
        given = (headers.get("x-api-key"), headers.get("authorization", "").removeprefix("Bearer "))
        return not key or key in given

    def models(self, headers: dict[str, str]) -> _Out:
        """Answer a question for the models there are."""
        if not self._borne(headers):
            return _Out(UNAUTHORIZED, chat.fault(UNAUTHORIZED, "invalid_api_key", "Incorrect API key provided"))
        names = self.rules.models
        data = [{"id": name, "object": "model", "type": "model", "display_name": name, "created": 1} for name in names]
        ends = {"has_more": False, "first_id": names[0], "last_id": names[-1]}
        return _Out(OK, {"object": "list", "data": data, "models": [], **ends})


class _Listener(ThreadingHTTPServer):
    """Listens, and knows who answers."""

    daemon_threads = True

    def __init__(self, port: int, answering: ModelServer) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answering = answering

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that died."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Passes requests to the server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Listener

    def log_message(self, *_: Any) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:  # the standard library's name
        """Answer that somebody is there."""
        self._send(_Out(OK, {}))

    def do_GET(self) -> None:
        """Answer questions for models."""
        self._send(self.server.answering.models(self._given()))

    def do_POST(self) -> None:
        """Answer a request for a reply."""
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        if len(data) < length:  # the client died while it asked: that is no request
            self.close_connection = True
            return
        path = self.path.partition("?")[0]
        if path.endswith(("/count_tokens", ":countTokens")):
            self._send(_Out(OK, {"input_tokens": 1, "totalTokens": 1}))
            return
        try:
            self._send(self.server.answering.answer(path, self._given(), data))
        except Dropped:
            self.close_connection = True

    def _given(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _send(self, out: _Out) -> None:
        data = out.data()
        self.send_response(out.status)
        self.send_header("Content-Type", "text/event-stream" if out.events else "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in out.headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
