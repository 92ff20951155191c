"""Check 15: tools have names and schemas that every provider accepts, page their lists, and answer in bounds."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.conformance.probing import bare, checkpoints, knowledge, queries, state_after
from skillhorizon.gateway.core_tools import core_tools
from skillhorizon.gateway.paging import PAGE
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.rng import Rng
from skillhorizon.skills.library import load_library

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.probing import Call
    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.gateway.tools import Tool
    from skillhorizon.session.session import Session

NAME = "tools"
found = partial(Finding, check=NAME)
MOST_BYTES = 10_000
_TOOL_NAME, _FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}"), re.compile(r"[a-zA-Z][a-zA-Z0-9_]{0,63}")
_LONGEST_DOC = 1024
_DEEPEST = 8
_STATES = 4
_KEYWORDS = frozenset(
    [
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "items",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minimum",
        "properties",
        "required",
        "type",
    ]
)


def check(subject: Subject) -> Iterator[Finding]:
    """Look at every declaration, then at what queries answer in several states of the reference run."""
    environment = subject.environment
    cores = core_tools(environment.handbook, load_library(environment.skills), environment.silent_kinds)
    names = [tool.name for tool in (*environment.tools, *cores)]
    for tool in environment.tools:
        subject.looked_at += 1
        if names.count(tool.name) > 1:
            told = f"there are two tools {tool.name}"
            yield found(message=told, evidence="core has tools of its own; names are unique among all of them")
        yield from _declared(tool)
    blamed: set[tuple[str, str]] = set()
    for specimen in subject.proven(subject.few()):
        for finding, key in _answers(specimen, subject.profile.tries):
            if key not in blamed:
                blamed.add(key)
                yield finding


def _declared(tool: Tool) -> Iterator[Finding]:
    if not _TOOL_NAME.fullmatch(tool.name):
        yield found(message=f"the tool name {tool.name!r} is not accepted everywhere", evidence=_TOOL_NAME.pattern)
    if not tool.doc.strip() or len(tool.doc) > _LONGEST_DOC:
        told = f"{len(tool.doc)} characters; 1 to {_LONGEST_DOC} are accepted"
        yield found(message=f"the tool {tool.name} has no description, or one too long", evidence=told)
    for path, fault in schema_faults(tool.schema):
        yield found(message=f"the schema of {tool.name} is not accepted everywhere", evidence=f"{path}: {fault}")


def schema_faults(schema: Any, path: str = "$", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield what some provider refuses in a JSON Schema, with its path."""
    for keyword in sorted(schema.keys() - _KEYWORDS):
        yield path, f"the keyword {keyword}"
    if depth == 0:
        yield from ((path, fault) for fault in _top_faults(schema))
    if depth > _DEEPEST:
        yield path, f"more than {_DEEPEST} levels"
    for name, inner in _inner(schema):
        if name and not _FIELD_NAME.fullmatch(name):
            yield path, f"the name {name!r}"
        yield from schema_faults(inner, f"{path}.{name}" if name else f"{path}[]", depth + 1)


def _top_faults(schema: Any) -> Iterator[str]:
    if schema.get("type") != "object":
        yield "the arguments are no object"
    if "anyOf" in schema:
        yield "a choice at the top"


def _inner(schema: Any) -> Iterator[tuple[str, Any]]:
    """Yield the schemas within a schema: fields with their names, items and choices with ''."""
    yield from schema.get("properties", {}).items()
    parts = (schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ()))
    yield from (("", part) for part in parts if isinstance(part, dict))


def _answers(specimen: Specimen, tries: int) -> Iterator[tuple[Finding, tuple[str, str]]]:
    for record in specimen.run.records:
        yield from _size(specimen, record.tool, record.observation)
    session, records = specimen.session(), specimen.run.records
    known, rng = knowledge(session, records), Rng("tools", str(specimen.spot))
    try:
        for call in checkpoints(records, _STATES):
            state_after(session, records, call)
            for asked in (*bare(session), *queries(session, known, rng, 4 * tries)):
                yield from _asked(specimen, session, asked)
    finally:
        session.world.close()


def _asked(specimen: Specimen, session: Session, call: Call) -> Iterator[tuple[Finding, tuple[str, str]]]:
    """Ask a query: it writes nothing, keeps to the size, and pages its list."""
    name, arguments = call
    writes = session.world.store.db.total_changes
    answer = session.call(name, arguments)
    if answer.outcome is not Outcome.ACCEPTED:
        return
    if session.world.store.db.total_changes != writes:
        told = f"the query {name} writes ({specimen.spot})"
        yield found(message=told, evidence=short(arguments)), (name, "writes")
    yield from _size(specimen, name, answer.text)
    if "next" in answer.data and "rows" in answer.data:
        yield from _paged(session, name, arguments, answer.data)


def _size(specimen: Specimen, tool: str, text: str) -> Iterator[tuple[Finding, tuple[str, str]]]:
    size = len(text.encode())
    if size > MOST_BYTES:
        told = f"{tool} answers with {size} bytes, at most {MOST_BYTES} are fit to read ({specimen.spot})"
        yield found(message=told, evidence=short(text)), (tool, "size")


def _paged(session: Session, tool: str, arguments: Any, first: Any) -> Iterator[tuple[Finding, tuple[str, str]]]:
    """Follow a list to its end: whole pages, every row once, the same rows in smaller pages."""
    shape = session.tools[tool].fields
    if not {"limit", "cursor"} <= shape.keys():
        told = f"the list {tool} takes no limit and cursor"
        yield found(message=told, evidence=f"its arguments are {', '.join(shape) or 'none'}"), (tool, "paging")
        return
    whole = _followed(session, tool, {**arguments, "limit": PAGE, "cursor": None}, first["columns"])
    parts = _followed(session, tool, {**arguments, "limit": 1, "cursor": None}, first["columns"])
    for fault in (whole, parts):
        if isinstance(fault, str):
            yield (
                found(message=f"the list {tool} does not page", evidence=f"{short(arguments)}\n{fault}"),
                (tool, "page"),
            )
            return
    if whole != parts:
        told = f"{short(arguments)}\n{len(whole)} rows in pages of {PAGE}, {len(parts)} in pages of 1"
        yield found(message=f"the list {tool} gives other rows in other pages", evidence=told), (tool, "rows")


def _followed(session: Session, tool: str, arguments: dict[str, Any], columns: list[str]) -> list[Any] | str:
    """Return all rows of a list, or why its pages are none."""
    rows: list[Any] = []
    seen: set[str] = set()
    while True:
        answer = session.call(tool, arguments)
        if answer.outcome is not Outcome.ACCEPTED:
            return f"a page is {answer.outcome}: {short(answer.text)}"
        page, after = answer.data["rows"], answer.data["next"]
        if len(page) > arguments["limit"] or any(len(row) != len(columns) for row in page):
            return f"{len(page)} rows, of {len(columns)} columns, where {arguments['limit']} were asked for"
        rows += page
        if after is None:
            return rows
        if after in seen or not page:
            return f"the cursor {after!r} comes twice, or after no row"
        seen.add(after)
        arguments = {**arguments, "cursor": after}
