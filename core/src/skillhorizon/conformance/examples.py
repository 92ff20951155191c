"""Arguments made from a tool's schema: valid, nearly valid and not, and corrupted ones that somebody gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon.model.canonical import Json, dumps, loads
from skillhorizon.session.references import references, replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from skillhorizon.gateway.tools import Tool
    from skillhorizon.model.rng import Rng
    from skillhorizon.session.references import Known

ODD_TEXTS = ("", " ", "\u00e9\u4e2d", "a" * 500, "x@1", ":", "..", "'; DROP TABLE artifact; --", "%s{0}", "\n\t")
ODD_VALUES: tuple[Any, ...] = (None, True, 1.5, -1, 2**70, "text", [], {}, [[]], {"a": {}}, "\x00", "\ud800")
_EVEN = 5_000
_SELDOM = 2_000


def valid(tool: Tool, rng: Rng, known: Known) -> dict[str, Json]:
    """Return arguments that the schema accepts; most references are to values that are known."""
    made = {
        name: _value(tool.fields[name].schema, rng)
        for name in tool.fields
        if name in tool.required or rng.chance(_EVEN)
    }
    for found in references(tool, made):
        values = known.of(found.kind)
        if values and not rng.chance(_SELDOM):
            made = replaced(made, found.path, rng.choice(values))
    return made


def _value(schema: Mapping[str, Any], rng: Rng) -> Json:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "anyOf" in schema:
        return _value(rng.choice(schema["anyOf"]), rng)
    make = _MAKERS.get(schema.get("type", ""))
    return {} if make is None else make(schema, rng)


def _text(schema: Mapping[str, Any], rng: Rng) -> str:
    most = schema.get("maxLength", 20)
    text = rng.choice(ODD_TEXTS) if rng.chance(_EVEN) else "".join(rng.sample("ABCXYZ0123456789:.-@", 6))
    return text[:most]


def _integer(schema: Mapping[str, Any], rng: Rng) -> int:
    low, high = int(schema["minimum"]), int(schema["maximum"])
    return rng.choice((low, high, max(low, min(high, rng.integer(-3, 300))), max(low, min(high, 1))))


def _list(schema: Mapping[str, Any], rng: Rng) -> list[Json]:
    low, high = schema.get("minItems", 0), schema["maxItems"]
    inner = schema["items"]
    if low == high and "anyOf" in inner:  # a row, whose fields' order is in the description only
        return [_value(rng.choice(inner["anyOf"]), rng) for _ in range(high)]
    return [_value(inner, rng) for _ in range(rng.choice((low, high, max(low, min(high, 2)))))]


def _object(schema: Mapping[str, Any], rng: Rng) -> dict[str, Json]:
    if "properties" in schema:
        needed = schema.get("required", ())
        fields = schema["properties"].items()
        return {name: _value(part, rng) for name, part in fields if name in needed or rng.chance(_EVEN)}
    inner = schema.get("additionalProperties") or {}
    return {_text({"maxLength": 12}, rng): _value(inner, rng) for _ in range(rng.integer(0, 2))}


_MAKERS: dict[str, Callable[[Mapping[str, Any], Rng], Json]] = {
    "string": _text,
    "integer": _integer,
    "boolean": lambda _schema, rng: rng.chance(_EVEN),
    "array": _list,
    "object": _object,
}


def invalid(tool: Tool, rng: Rng, known: Known) -> Any:
    """Return something that is no call of the tool."""
    made = valid(tool, rng, known)
    kind = rng.integer(0, 3)
    if kind == 0:
        return rng.choice(ODD_VALUES)
    if kind == 1 or not made:
        return {**made, rng.choice(("extra", "", "\ud800", "__class__")): rng.choice(ODD_VALUES)}
    name = rng.choice(sorted(made))
    if kind == 2:  # noqa: PLR2004  # the third of four kinds
        return {other: value for other, value in made.items() if other != name}
    return {**made, name: rng.choice(ODD_VALUES)}


def corrupted(tool: Tool, arguments: Mapping[str, Json], known: Known) -> Iterator[dict[str, Json]]:
    """Yield variations of given arguments, each with one thing wrong or different."""
    for found in references(tool, arguments):
        for value in (*known.others(found), *_versions(found.value), f"{found.value[:6]}?"):
            yield replaced(arguments, found.path, value)
    for path, value in _leaves(arguments):
        for other in _others(value):
            yield replaced(arguments, path, other)
    for name, schema in tool.schema["properties"].items():
        for other in schema.get("enum", ()):
            if name in arguments and other != arguments[name]:
                yield {**arguments, name: other}


def crossed(arguments: Mapping[str, Json], others: Iterable[Mapping[str, Json]]) -> Iterator[dict[str, Json]]:
    """Yield given arguments with one or two of their texts and numbers taken from other calls of the same tool."""
    plain = [name for name, value in arguments.items() if isinstance(value, (str, int))]
    for other in others:
        for one in plain:
            for two in plain:
                mixed = {name: other[name] for name in (one, two) if one <= two and name in other}
                if any(arguments[name] != value for name, value in mixed.items()):
                    yield {**arguments, **mixed}


def _versions(value: str) -> tuple[str, ...]:
    name, at, number = value.rpartition("@")
    if not (at and number.isdigit()):
        return ()
    return tuple(f"{name}@{n}" for n in sorted({1, int(number) - 1, int(number) + 1} - {0, int(number)}))


def _leaves(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Yield the paths of numbers and lists."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*path, name))
    elif isinstance(value, list):
        if path:
            yield path, value
        for i, inner in enumerate(value):
            yield from _leaves(inner, (*path, i))
    elif type(value) is int:
        yield path, value


def _others(value: Json) -> Iterator[Json]:
    if isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, list) and value:
        copy: list[Json] = loads(dumps(value))
        yield from (copy[1:], copy[:-1], [*copy, copy[0]], [])
