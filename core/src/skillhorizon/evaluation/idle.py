"""An agent that looks at everything and does nothing (protocol, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.reach import course_of
from skillhorizon.evaluation.scripted import check_plain
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.canonical import Json, loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.evaluation.execution import Execution
    from skillhorizon.session.session import Session


@attrs.frozen
class ReadOnly:
    """Calls all queries, with the arguments that the reference gives them, and submits: LGC 0, TS 0."""

    name: str = "read-only"

    def run(self, execution: Execution) -> None:
        """Read as far as the budget goes; what is not released yet is refused."""
        left = execution.calls_left
        for tool, arguments in list(queries(execution.session))[:left]:
            execution.call(tool, arguments)
        if not execution.ended:
            execution.submit()


def queries(session: Session) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield each query that needs no argument, then the distinct ones of the reference, before any call is made."""
    tools = session.tools
    bare = [name for name, tool in tools.items() if tool.kind is Kind.QUERY and not tool.required]
    yield from ((name, {}) for name in bare)
    asked = dict.fromkeys((record.tool, record.arguments_text) for record in course_of(session).records)
    for name, text in asked:
        if tools[name].kind is Kind.QUERY and (name not in bare or text != "{}"):
            yield name, loads(text)


def read_only(options: str) -> ReadOnly:
    """Return the agent that only reads; it has no options."""
    check_plain("read-only", options)
    return ReadOnly()
