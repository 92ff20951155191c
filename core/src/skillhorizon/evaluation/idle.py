"""An agent that looks at everything and does nothing (protocol, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.reach import course_of
from skillhorizon.evaluation.scripted import check_plain
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.canonical import Json, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from skillhorizon.evaluation.execution import Execution
    from skillhorizon.gateway.tools import Tool
    from skillhorizon.model.journal import Record


@attrs.frozen
class ReadOnly:
    """Calls all queries, with the arguments that the reference gives them, and submits: LGC 0, TS 0."""

    name: str = "read-only"

    def run(self, execution: Execution) -> None:
        """Read as far as the budget goes; what is not released yet is refused."""
        left = execution.calls_left
        asked = course_of(execution.session).records
        for tool, arguments in list(queries(execution.tools, asked))[:left]:
            execution.call(tool, arguments)
        if not execution.ended:
            execution.submit()


def queries(tools: Mapping[str, Tool], records: Iterable[Record]) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield each query that needs no argument, then the distinct ones of some records."""
    bare = [name for name, tool in tools.items() if tool.kind is Kind.QUERY and not tool.required]
    yield from ((name, {}) for name in bare)
    for name, text in dict.fromkeys((record.tool, record.arguments_text) for record in records):
        if tools[name].kind is Kind.QUERY and (name not in bare or text != "{}"):
            yield name, loads(text)


def read_only(options: str) -> ReadOnly:
    """Return the agent that only reads; it has no options."""
    check_plain("read-only", options)
    return ReadOnly()
