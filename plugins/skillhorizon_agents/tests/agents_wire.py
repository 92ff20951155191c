"""Small loops over the three wire formats, written by hand: what a client must send, and can spoil on purpose."""

from __future__ import annotations

import json
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Execution, Order, generate, load_task

if TYPE_CHECKING:
    from skillhorizon.model.task import Task

Body = dict[str, Any]
Spoil = Callable[[Body], None]
MODEL = "scripted"


@cache
def smoke() -> Task:
    """Return a small FinanceOps task."""
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "smoke"
        made = generate(Order(environment="financeops", bands=("smoke",), per_band=1), where, workers=1)
        return load_task(where / "tasks" / f"{made.tasks[0].id}.json")


@attrs.frozen
class Reached:
    """What came back: the status, the headers, the parsed body or the text that was none."""

    status: int
    headers: dict[str, str]
    body: Any


def post(url: str, body: Body, headers: dict[str, str] | None = None) -> Reached:
    data = json.dumps(body).encode()
    asked = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})  # noqa: S310
    try:
        with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310
            return Reached(answer.status, dict(answer.headers), _parsed(answer.read()))
    except urllib.error.HTTPError as error:
        with error:
            return Reached(error.code, dict(error.headers), _parsed(error.read()))


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode()


@attrs.define
class Talk:
    """A conversation of one execution in one wire format; `body` is the next request."""

    url: str
    path: str
    body: Body
    execution: Execution

    def ask(self) -> Reached:
        return post(self.url + self.path, self.body)

    def step(self) -> bool:
        """Make one turn; return whether there is another one."""
        reached = self.ask()
        assert reached.status == 200, reached.body
        return self.take(reached.body)

    def take(self, answer: Body) -> bool:
        calls = TAKE[self.path](self.body, answer)
        if not calls:
            told = self.execution.finish().text
            TELL[self.path](self.body, told)
            return not self.execution.ended
        made = self.execution.turn([(name, arguments) for _, name, arguments in calls])
        results = [(call[0], observation.text) for call, observation in zip(calls, made, strict=True)]
        HEAR[self.path](self.body, results)
        return not self.execution.ended

    def run(self) -> None:
        while self.step():
            pass


def chat(url: str, execution: Execution) -> Talk:
    tools = [
        {"type": "function", "function": {"name": t.name, "description": t.doc, "parameters": t.schema}}
        for t in execution.tools.values()
    ]
    messages = [{"role": "system", "content": "Work."}, {"role": "user", "content": execution.instruction}]
    return Talk(url, "/chat/completions", {"model": MODEL, "messages": messages, "tools": tools}, execution)


def responses(url: str, execution: Execution) -> Talk:
    tools = [
        {"type": "function", "name": t.name, "description": t.doc, "parameters": t.schema}
        for t in execution.tools.values()
    ]
    body = {"model": MODEL, "input": [{"role": "user", "content": execution.instruction}], "tools": tools}
    return Talk(url, "/responses", {**body, "include": ["reasoning.encrypted_content"]}, execution)


def messages(url: str, execution: Execution) -> Talk:
    tools = [{"name": t.name, "description": t.doc, "input_schema": t.schema} for t in execution.tools.values()]
    said = [{"role": "user", "content": execution.instruction}]
    body = {"model": MODEL, "max_tokens": 1000, "messages": said, "tools": tools, "thinking": {"type": "adaptive"}}
    return Talk(url, "/messages", body, execution)


FORMATS = [chat, responses, messages]
Calls = list[tuple[str, str, Any]]


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _take_chat(body: Body, answer: Body) -> Calls:
    message = answer["choices"][0]["message"]
    kept = {"role": "assistant", "content": message["content"]}
    if message.get("tool_calls"):
        kept["tool_calls"] = message["tool_calls"]
    body["messages"].append(kept)
    found = message.get("tool_calls") or []
    return [(call["id"], call["function"]["name"], _loads(call["function"]["arguments"])) for call in found]


def _take_responses(body: Body, answer: Body) -> Calls:
    body["input"] += answer["output"]
    found = [item for item in answer["output"] if item["type"] == "function_call"]
    return [(item["call_id"], item["name"], _loads(item["arguments"])) for item in found]


def _take_messages(body: Body, answer: Body) -> Calls:
    if answer["content"]:
        body["messages"].append({"role": "assistant", "content": answer["content"]})
    found = [block for block in answer["content"] if block["type"] == "tool_use"]
    return [(block["id"], block["name"], None if "malformed" in block["input"] else block["input"]) for block in found]


def _hear_chat(body: Body, results: list[tuple[str, str]]) -> None:
    body["messages"] += [{"role": "tool", "tool_call_id": call, "content": text} for call, text in results]


def _hear_responses(body: Body, results: list[tuple[str, str]]) -> None:
    body["input"] += [{"type": "function_call_output", "call_id": call, "output": text} for call, text in results]


def _hear_messages(body: Body, results: list[tuple[str, str]]) -> None:
    blocks = [{"type": "tool_result", "tool_use_id": call, "content": text} for call, text in results]
    body["messages"].append({"role": "user", "content": blocks})


def _tell_input(body: Body, text: str) -> None:
    body["input"].append({"role": "user", "content": text})


def _tell_messages(body: Body, text: str) -> None:
    body["messages"].append({"role": "user", "content": text})


TAKE = {"/chat/completions": _take_chat, "/responses": _take_responses, "/messages": _take_messages}
HEAR = {"/chat/completions": _hear_chat, "/responses": _hear_responses, "/messages": _hear_messages}
TELL = {"/chat/completions": _tell_messages, "/responses": _tell_input, "/messages": _tell_messages}
