"""References in a call's arguments: where they stand, of what kind they are, and putting others in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.gateway.shapes import Faults
from skillhorizon.model.canonical import Json, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from skillhorizon.gateway.tools import Tool

Path = tuple[str | int, ...]


@attrs.frozen
class Reference:
    """One text in arguments that a tool declares to refer to an object of some kind."""

    path: Path
    kind: str
    value: str


def references(tool: Tool, arguments: Mapping[str, Json]) -> list[Reference]:
    """Return the references in a call's arguments, in the order of the tool's declaration."""
    return [
        Reference((name, *path), kind, value)
        for name, part in tool.fields.items()
        for steps, kind in part.refs
        for path, value in _at(arguments.get(name), steps)
        if isinstance(value, str)
    ]


def _at(value: Json, steps: Path) -> Iterator[tuple[Path, Json]]:
    if not steps:
        yield (), value
        return
    for key, inner in _items(value):
        if steps[0] in ("*", key):
            for path, found in _at(inner, steps[1:]):
                yield (key, *path), found


def _items(value: Json) -> Iterable[tuple[str | int, Json]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def replaced(arguments: Mapping[str, Json], path: Path, value: Json) -> dict[str, Json]:
    """Return a copy of the arguments with another value at a path."""
    copy: Any = loads(dumps(arguments))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    made: dict[str, Json] = copy
    return made


def attempts(tool: Tool, arguments: Mapping[str, Json]) -> list[str]:
    """Return the ids of the artifacts that a call attempts, none when its arguments are malformed."""
    try:
        return tool.attempts(tool.parse(dict(arguments)))
    except Faults:
        return []


class Known:
    """The values of each kind that were seen referred to, in the order of their first appearance."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, None]] = {}

    def learn(self, tool: Tool, arguments: Mapping[str, Json]) -> None:
        """Remember what a call refers to."""
        for found in references(tool, arguments):
            self._values.setdefault(found.kind, {})[found.value] = None

    def add(self, kind: str, values: Iterable[str]) -> None:
        """Remember values of a kind."""
        self._values.setdefault(kind, {}).update(dict.fromkeys(values))

    def of(self, kind: str) -> list[str]:
        """Return the values of a kind."""
        return list(self._values.get(kind, ()))

    def others(self, reference: Reference) -> list[str]:
        """Return the values of the same kind other than the reference's own."""
        return [value for value in self._values.get(reference.kind, ()) if value != reference.value]
