"""A model that knows the reference's calls by heart, and finds its place in them from the conversation alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from skillhorizon import Usage, count, dumps, load_suite, load_task, loads, open_session
from skillhorizon.construction.reach import course_of
from skillhorizon_agents import prompts
from skillhorizon_agents.backends.wire import asked
from skillhorizon_agents.conversation import Answer, Results, Said

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon_agents.conversation import Item, Request

Call = tuple[str, dict[str, Any]]
_STEP = re.compile(r"step (\d+)")


def reference_calls(task_file: Path) -> list[Call]:
    """Return the calls that the reference makes on a task."""
    with open_session(load_task(task_file)) as execution:
        records = course_of(execution.session).records
    return [(record.tool, loads(record.arguments_text)) for record in records]


def task_files(suite: Path) -> list[Path]:
    return [suite / "tasks" / f"{entry.id}.json" for entry in load_suite(suite).tasks]


class Learned:
    """A backend that answers with the reference's calls, a number of them a turn, and then with finish.

    `calls` are by instruction: one model serves many tasks. `before` is asked with every request before it is answered,
    and may raise what a provider would.
    """

    provider = "fake"

    def __init__(
        self,
        calls: dict[str, list[Call]],
        *,
        batch: int = 1,
        before: Callable[[Request], None] = lambda request: None,
    ) -> None:
        self.calls, self.batch, self.before = calls, batch, before
        self.requests: list[Request] = []
        self.closed = False

    async def ask(self, request: Request) -> Answer:
        self.requests.append(request)
        self.before(request)
        step = place(request)
        tools = dumps([[tool.name, tool.doc, tool.schema] for tool in request.tools])
        size = count(request.system) + count(tools) + sum(size_of(item) for item in request.items)
        usage = Usage(requests=1, input=size, cached=size // 2, output=20, reasoning=5)
        if not request.calls:
            return Answer(text=f"All is well at step {step}.", calls=(), usage=usage)
        made = self._calls(request)[step : step + self.batch] or [("finish", {})]
        calls = tuple(asked(f"call-{step + i}", name, given) for i, (name, given) in enumerate(made))
        return Answer(text=f"step {step + len(made)}", calls=calls, usage=usage, model="learned")

    def _calls(self, request: Request) -> list[Call]:
        opening = request.items[0]
        assert isinstance(opening, Said)
        return next(calls for instruction, calls in self.calls.items() if opening.text.startswith(instruction))

    async def preflight(self) -> None:
        pass

    async def close(self) -> None:
        self.closed = True


def place(request: Request) -> int:
    """Return how many steps were made, as the conversation tells."""
    for item in reversed(request.items):
        text = item.text if isinstance(item, (Said, Answer)) else ""
        found = _STEP.findall(text)
        if found:
            return int(found[-1])
    return 0


def size_of(item: Item) -> int:
    if isinstance(item, Results):
        return sum(count(result.text) for result in item.results) + count(item.said)
    calls = item.calls if isinstance(item, Answer) else ()
    return count(item.text) + sum(count(call.text) for call in calls)


def is_summary(request: Request) -> bool:
    last = request.items[-1]
    said = last.said if isinstance(last, Results) else last.text
    return said.endswith(prompts.text("summary"))
