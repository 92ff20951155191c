"""Calls that are put to an environment beside the reference's own: queries, and operations gone wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon.conformance.examples import corrupted, invalid, valid
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.canonical import Json, loads
from skillhorizon.session.references import Known

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from skillhorizon.gateway.tools import Tool
    from skillhorizon.model.journal import Record
    from skillhorizon.model.rng import Rng
    from skillhorizon.session.session import Session

Call = tuple[str, Any]
"""A tool's name and arguments."""
_FEW = 4
"""Values that are tried of one argument."""


def said(record: Record) -> Call:
    """Return the call of a record."""
    return record.tool, loads(record.arguments_text)


def knowledge(session: Session, records: Iterable[Record]) -> Known:
    """Return every value that some calls referred to, and those in columns of lists that are named like arguments."""
    known, kinds = Known(), _kinds(session)
    for record in records:
        known.learn(session.tools[record.tool], loads(record.arguments_text))
        data = loads(record.observation)
        if isinstance(data, dict) and "columns" in data and "rows" in data:
            places = [(place, kinds[name]) for place, name in enumerate(data["columns"]) if name in kinds]
            for place, kind in places:
                known.add(kind, (row[place] for row in data["rows"] if isinstance(row[place], str)))
    return known


def _kinds(session: Session) -> dict[str, str]:
    """Return argument name -> kind, of arguments that are one reference."""
    fields = ((name, part) for tool in session.tools.values() for name, part in tool.fields.items())
    return {name: kind for name, part in fields for steps, kind in part.refs if not steps}


def queries(session: Session, known: Known, rng: Rng, count: int) -> list[Call]:
    """Draw calls of queries, whether their time has come or not."""
    tools = [tool for tool in session.tools.values() if tool.kind is Kind.QUERY]
    return [(tool.name, valid(tool, rng, known)) for tool in (rng.choice(tools) for _ in range(count))]


def bare(session: Session) -> list[Call]:
    """Return a call without arguments of every query that needs none."""
    return [(tool.name, {}) for tool in session.tools.values() if tool.kind is Kind.QUERY and not tool.required]


def narrowed(session: Session, known: Known, rng: Rng) -> list[Call]:
    """Return calls of every query that needs no argument with one: each choice, small numbers, some known values."""
    return [
        (name, {field: value})
        for name, _ in bare(session)
        for field, part in session.tools[name].fields.items()
        for value in _few(part.schema, [value for _, kind in part.refs for value in known.of(kind)], rng)
    ]


def _few(schema: Mapping[str, Any], values: Sequence[str], rng: Rng) -> Sequence[Json]:
    if schema.get("type") == "integer":
        return range(schema["minimum"], min(schema["minimum"] + _FEW, schema["maximum"] + 1))
    return schema.get("enum") or rng.sample(values, min(_FEW, len(values)))


def gone_wrong(tool: Tool, arguments: dict[str, Json], known: Known, rng: Rng, count: int) -> list[Call]:
    """Draw variations of a call."""
    found = list(corrupted(tool, arguments, known))
    return [(tool.name, other) for other in rng.sample(found, min(count, len(found)))]


def made_up(session: Session, given: Mapping[str, dict[str, Json]], known: Known, rng: Rng, tries: int) -> list[Call]:
    """Draw calls of every tool: made from its schema, no calls at all, and given arguments gone wrong."""
    calls: list[Call] = []
    for tool in session.tools.values():
        if tool.kind is not Kind.CONTROL:
            calls += [(tool.name, valid(tool, rng, known)) for _ in range(tries)]
            calls += [(tool.name, invalid(tool, rng, known)) for _ in range(tries)]
            calls += gone_wrong(tool, given.get(tool.name, {}), known, rng, 2 * tries)
    return calls


def last_given(records: Iterable[Record]) -> dict[str, dict[str, Json]]:
    """Return the arguments that each tool was given last."""
    return {record.tool: loads(record.arguments_text) for record in records}


def checkpoints(records: Sequence[Record], count: int) -> list[int]:
    """Return up to `count` call numbers spread over a run, 0 (before the first) and the last included."""
    parts = max(count - 1, 1)
    return sorted({len(records) * i // parts for i in range(count)})


def state_after(session: Session, records: Sequence[Record], call: int) -> None:
    """Bring a session that stands at an earlier call of these records to the state after `call`."""
    for record in records[session.index : call]:
        session.call(*said(record))
