"""Declaring a tool: a typed function with `@query` or `@operation`, its schema and its strict parser."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Concatenate, ParamSpec, get_type_hints, overload

import attrs

from skillhorizon.gateway.call import Call
from skillhorizon.gateway.makes import attempted, placed
from skillhorizon.gateway.shapes import Shape, object_parser, object_schema, shape
from skillhorizon.model.canonical import Json, dumps
from skillhorizon.world.artifacts import Artifact
from skillhorizon.world.secrets import Veil

A = ParamSpec("A")
Answer = Mapping[str, Json]
Again = Callable[[Call, Artifact], Answer]


class Kind(StrEnum):
    """What a tool does; operations and scripts are business calls, a control call ends or confirms."""

    QUERY = "query"
    OPERATION = "operation"
    SCRIPT = "script"
    CONTROL = "control"


@attrs.frozen(kw_only=True)
class Tool:
    """One public tool.

    Attributes:
        name: the function's name.
        kind: query, operation, script or control.
        doc: what agents are told of it.
        body: (call, arguments) -> JSON object.
        fields: shapes of its arguments by name.
        required: names that have no default.
        makes: templates of the artifacts that an operation attempts (see `makes`).
        repeat: whether an equal attempt of a current artifact is answered with it.
        again: builds that answer; by default its reference.
        reveals: hidden columns that it reads, as `table.column`.
    """

    name: str
    kind: Kind
    doc: str
    body: Callable[..., Answer]
    fields: Mapping[str, Shape]
    required: list[str]
    makes: tuple[str, ...] = ()
    repeat: bool = True
    again: Again | None = None
    reveals: tuple[str, ...] = ()

    @cached_property
    def veil(self) -> Veil:
        """What stays hidden while the body runs."""
        return Veil(frozenset(self.reveals))

    @cached_property
    def schema(self) -> dict[str, Json]:
        """The JSON Schema of the arguments."""
        return object_schema(self.fields, self.required)

    @cached_property
    def parse(self) -> Callable[[Any], dict[str, Any]]:
        """Parses arguments strictly; it raises Faults that name every fault with its path."""
        return object_parser(self.fields, self.required)

    def attempts(self, parsed: Mapping[str, Any]) -> list[str]:
        """Return the ids of the artifacts that a call with these arguments attempts."""
        if len(self.makes) == 1:
            return attempted(self.makes[0], parsed)
        return [made for template in self.makes for made in attempted(template, parsed)]

    @cached_property
    def _verbatim(self) -> bool:
        return all(field.verbatim for field in self.fields.values())

    def args_text(self, parsed: Mapping[str, Any], given: str) -> str:
        """Return the canonical JSON of parsed arguments; absent and null optional ones are the same.

        Args:
            parsed: the arguments.
            given: canonical JSON of what they were parsed from.
        """
        if self._verbatim and None not in parsed.values():
            return given
        return dumps({name: value for name, value in parsed.items() if value is not None})


def _declare(body: Callable[..., Answer], kind: Kind, makes: tuple[str, ...] = (), **more: Any) -> Tool:
    hints = get_type_hints(body, include_extras=True)
    parameters = list(inspect.signature(body).parameters.values())[1:]
    return Tool(
        name=body.__name__,
        kind=kind,
        doc=inspect.getdoc(body) or "",
        body=body,
        fields={p.name: shape(hints[p.name]) for p in parameters},
        required=[p.name for p in parameters if p.default is p.empty],
        makes=tuple(placed(template, hints) for template in makes),
        **more,
    )


@overload
def query(body: Callable[Concatenate[Call, A], Answer], /) -> Tool: ...
@overload
def query(*, reveals: tuple[str, ...]) -> Callable[[Callable[Concatenate[Call, A], Answer]], Tool]: ...
def query(
    body: Callable[..., Answer] | None = None, /, *, reveals: tuple[str, ...] = ()
) -> Tool | Callable[[Callable[..., Answer]], Tool]:
    """Declare a query: it reads, and changes nothing; `reveals` names hidden columns that it reads."""
    if body is None:
        return lambda found: _declare(found, Kind.QUERY, reveals=reveals)
    return _declare(body, Kind.QUERY, reveals=reveals)


def script(body: Callable[Concatenate[Call, A], Answer]) -> Tool:
    """Declare a tool that runs a skill's script; a business call that changes nothing."""
    return _declare(body, Kind.SCRIPT)


def control(body: Callable[Concatenate[Call, A], Answer]) -> Tool:
    """Declare a tool that speaks to the execution instead of the business; it is free."""
    return _declare(body, Kind.CONTROL)


def operation(
    *,
    makes: str | tuple[str, ...] = (),
    repeat: bool = True,
    again: Again | None = None,
    reveals: tuple[str, ...] = (),
) -> Callable[[Callable[Concatenate[Call, A], Answer]], Tool]:
    """Declare an operation; it runs in one transaction.

    Args:
        makes: templates of the artifact ids it attempts, such as `AGG:{source_id}`; an operation without an artifact
            names its object.
        repeat: an attempt whose artifact is current and was made by equal arguments is answered with that version
            before the body, moving neither clock nor events.
        again: builds that answer.
        reveals: hidden columns that its body reads, as `table.column`.
    """

    def declare(body: Callable[Concatenate[Call, A], Answer]) -> Tool:
        templates = (makes,) if isinstance(makes, str) else makes
        return _declare(body, Kind.OPERATION, templates, repeat=repeat, again=again, reveals=reveals)

    return declare
