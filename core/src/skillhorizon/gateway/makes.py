"""Templates that name, before an operation runs, the artifacts it attempts, such as `DGN:{entries.device}`."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs

from skillhorizon.gateway.marks import opened

_SLOT = re.compile(r"\{([^{}]+)\}")


def placed(template: str, hints: Mapping[str, Any]) -> str:
    """Return a template in which steps into tuples are places instead of the names that Columns gives them.

    Args:
        template: such as `ISS:{lines.item}`.
        hints: the types of the arguments by name.

    Raises:
        TypeError: when a tuple has no item of that name.

    >>> from typing import Annotated
    >>> from skillhorizon import Columns
    >>> placed("ISS:{lines.item}", {"lines": list[Annotated[tuple[str, int], Columns("item", "amount")]]})
    'ISS:{lines.0}'
    """
    return _SLOT.sub(lambda slot: f"{{{'.'.join(_steps(slot[1].split('.'), hints))}}}", template)


def _steps(path: list[str], hints: Mapping[str, Any]) -> Iterator[str]:
    name, *rest = path
    hint = hints.get(name, Any)
    yield name
    for step in rest:
        place, hint = _into(hint, step)
        yield place


def _into(hint: Any, step: str) -> tuple[str, Any]:
    """Return how a step is taken and the type that it leads to; lists and what may be absent take none."""
    bare, columns = opened(hint)
    if columns is not None:
        if step not in columns.names:
            raise TypeError(f"there is no item {step!r} in a tuple of {', '.join(columns.names)}")
        place = columns.names.index(step)
        return str(place), get_args(bare)[place]
    inner = [arg for arg in get_args(bare) if arg is not type(None)]
    if get_origin(bare) in (list, Union, types.UnionType):
        return _into(inner[0], step)
    if isinstance(bare, type) and attrs.has(bare):
        return step, get_type_hints(bare, include_extras=True).get(step, Any)
    return step, inner[-1] if inner else Any


@cache
def _pieces(template: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the literal texts around the slots, and the slots' paths."""
    parts = _SLOT.split(template)
    return tuple(parts[::2]), tuple(tuple(path.split(".")) for path in parts[1::2])


def attempted(template: str, arguments: Mapping[str, Any]) -> list[str]:
    """Return the ids that a template names for parsed arguments.

    A slot is an argument's name, then field names or list items; `.subject` of a version reference is its subject.
    Slots that go through the same list move together. A slot without a value names nothing.

    >>> attempted("RVW:{stage}", {"stage": 3})
    ['RVW:3']
    >>> attempted("ACC:{tickets.subject}", {"tickets": ["TKT:a.1@2", "TKT:b@1"]})
    ['ACC:a.1', 'ACC:b']
    """
    literals, paths = _pieces(template)
    if len(paths) == 1 and len(paths[0]) == 1 and type(value := arguments.get(paths[0][0])) in (str, int):
        return [f"{literals[0]}{value}{literals[1]}"]
    columns = [list(_values(arguments.get(path[0]), path[1:])) for path in paths]
    if any(not column for column in columns):
        return []
    longest = max((len(column) for column in columns), default=1)
    rows = [[column[i if len(column) > 1 else 0] for column in columns] for i in range(longest)]
    return ["".join(_woven(literals, row)) for row in rows]


def _woven(literals: tuple[str, ...], values: list[str]) -> Iterator[str]:
    yield literals[0]
    for value, literal in zip(values, literals[1:], strict=True):
        yield value
        yield literal


def _values(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _values(item, path)
    elif not path:
        if value is not None:
            yield str(value)
    elif path[0] == "subject" and isinstance(value, str):
        yield value.rpartition("@")[0].partition(":")[2]
    elif isinstance(value, tuple):
        yield from _values(value[int(path[0])], path[1:])
    elif isinstance(value, Mapping):
        yield from _values(value.get(path[0]), path[1:])
    else:
        yield from _values(getattr(value, path[0], None), path[1:])
