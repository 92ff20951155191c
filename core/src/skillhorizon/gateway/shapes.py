"""One closed list of argument shapes; each yields a JSON Schema and a strict parser.

Types: str, int, bool, Literal and StrEnum, NewType, list, dict with text keys (a map), tuple (a JSON array), attrs
classes (objects), `X | None`. `Annotated` with Text, Number or Items narrows them, with Columns names a tuple's items.
Nothing is coerced; every fault is reported with its path.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin, get_type_hints

import attrs

from skillhorizon.gateway.items import field_of, order_of, repeated
from skillhorizon.gateway.marks import Columns, Items, Narrow, Number, Text
from skillhorizon.model.canonical import Json, dumps


class Faults(Exception):
    """The faults of one argument, each with its path."""

    def __init__(self, *faults: str) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


Parse = Callable[[Any, str], Any]


class ParseObject(Protocol):
    """Parses an object; `path` leads to it."""

    def __call__(self, value: Any, path: str = "$", /) -> dict[str, Any]:
        """Return the parsed fields, or raise Faults that name every fault."""


Values = Sequence[Any]
ParseAll = Callable[[Values], "Values | None"]


def _one_by_one(_values: Values) -> None:
    return None


@attrs.frozen
class Shape:
    """The JSON Schema of a type and its strict parser, (value, path) -> parsed value.

    `refs` lists the paths of references within it, as (steps, kind); a step is a field's name, an index or "*".
    `parse_all` parses many values at once, which is what long lists cost least; None says to parse them one by one,
    because one of them has a fault or the shape knows no such way. `verbatim` says that a parsed value's JSON is always
    that of the given one: nothing is put in order or filled in.
    """

    schema: Mapping[str, Json]
    parse: Parse
    refs: tuple[tuple[tuple[str | int, ...], str], ...] = ()
    parse_all: ParseAll = _one_by_one
    verbatim: bool = attrs.field(default=True, kw_only=True)


def shape(hint: Any, narrow: Narrow | None = None) -> Shape:
    """Return the shape of an argument's type.

    Raises:
        TypeError: when the type is not in the closed list.
    """
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        return shape(inner, next((m for m in marks if isinstance(m, Narrow)), narrow))
    if hasattr(hint, "__supertype__"):
        return shape(hint.__supertype__, narrow)
    return _plain(hint, narrow) or _compound(hint, narrow)


def _plain(hint: Any, narrow: Narrow | None) -> Shape | None:
    if hint is bool:
        return Shape({"type": "boolean"}, _boolean)
    if hint is int:
        return _integer(narrow if isinstance(narrow, Number) else Number())
    if hint is str:
        return _text(narrow if isinstance(narrow, Text) else Text())
    if get_origin(hint) is Literal:
        return _enum(tuple(get_args(hint)), str)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum(tuple(member.value for member in hint), hint)
    return None


def _compound(hint: Any, narrow: Narrow | None) -> Shape:
    items = narrow if isinstance(narrow, Items) else Items()
    origin = get_origin(hint)
    if origin is list:
        return _list(hint, items)
    if origin in (dict, Mapping):
        return _map(get_args(hint)[1], items)
    if origin in (Union, types.UnionType):
        return _optional(hint, narrow)
    if origin is tuple:
        return _row(get_args(hint), _columns(narrow))
    if isinstance(hint, type) and attrs.has(hint):
        return _object(hint)
    if hint is Any:
        return Shape({}, lambda value, _path: value, parse_all=lambda values: values)
    raise TypeError(f"{hint!r} is no argument shape; use those that skillhorizon.gateway.shapes lists")


def _name(value: object) -> str:
    names = {str: "string", int: "integer", bool: "boolean", list: "array", dict: "object", float: "number"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _described(schema: dict[str, Json], doc: str) -> dict[str, Json]:
    return {**schema, "description": doc} if doc else schema


def _boolean(value: Any, path: str) -> bool:
    if type(value) is not bool:
        raise Faults(f"{path}: expected boolean, got {_name(value)}")
    return value


def _integer(narrow: Number) -> Shape:
    low, high = narrow.low, narrow.high

    def parse(value: Any, path: str) -> int:
        if type(value) is not int:
            raise Faults(f"{path}: expected integer, got {_name(value)}")
        if not low <= value <= high:
            raise Faults(f"{path}: {value if abs(value) < 10**30 else 'the integer'} lies outside [{low}, {high}]")
        return value

    def parse_all(values: Values) -> Values | None:
        fine = set(map(type, values)) == {int} and low <= min(values) and max(values) <= high
        return values if fine else None

    schema = _described({"type": "integer", "minimum": low, "maximum": high}, narrow.doc)
    return Shape(schema, parse, parse_all=parse_all)


def _text(narrow: Text) -> Shape:
    longest = narrow.max

    def parse(value: Any, path: str) -> str:
        if type(value) is not str:
            raise Faults(f"{path}: expected string, got {_name(value)}")
        if len(value) > longest:
            raise Faults(f"{path}: {len(value)} characters, at most {longest} are accepted")
        if not value.isascii() or "\0" in value:
            _check_characters(value, path)
        return value

    def parse_all(values: Values) -> Values | None:
        if set(map(type, values)) != {str}:
            return None
        text = "".join(values)
        fits = len(text) <= longest or max(map(len, values)) <= longest
        return values if fits and text.isascii() and "\0" not in text else None

    schema = _described({"type": "string", "maxLength": longest}, narrow.doc)
    return Shape(schema, parse, (((), narrow.ref),) if narrow.ref else (), parse_all)


def _check_characters(value: str, path: str) -> None:
    if "\0" in value or any("\ud800" <= c <= "\udfff" for c in value):
        raise Faults(f"{path}: a text may hold neither NUL nor a lone surrogate")


def _enum(values: tuple[Any, ...], make: Callable[[str], Any]) -> Shape:
    known = {value: make(value) for value in values}

    def parse(value: Any, path: str) -> Any:
        if type(value) is not str or value not in known:
            said = repr(value[:40]) if type(value) is str else _name(value)
            raise Faults(f"{path}: expected one of {', '.join(values)}, got {said}")
        return known[value]

    return Shape({"type": "string", "enum": list(values)}, parse)


def _below(step: str | int, inner: Shape) -> tuple[tuple[tuple[str | int, ...], str], ...]:
    return tuple(((step, *steps), kind) for steps, kind in inner.refs)


def _list(hint: Any, narrow: Items) -> Shape:
    inner = shape(get_args(hint)[0])
    longest, unordered = narrow.max, narrow.unordered
    place = order_of(get_args(hint)[0]) if unordered else None
    unique = field_of(get_args(hint)[0], narrow.unique) if narrow.unique else None

    def parse(value: Any, path: str) -> list[Any]:
        if type(value) is not list:
            raise Faults(f"{path}: expected array, got {_name(value)}")
        if len(value) > longest:
            raise Faults(f"{path}: {len(value)} items, at most {longest} are accepted")
        if len(value) < narrow.min:
            raise Faults(f"{path}: {len(value)} items, at least {narrow.min} must be given")
        parsed = inner.parse_all(value)
        out = _each(value, path, inner.parse) if parsed is None else [*parsed]
        if unique is not None:
            keys = [unique(item) for item in out]
            at = repeated(keys)
            if at is not None:
                raise Faults(f"{path}[{at}]: {narrow.unique} {keys[at]!r} stands in the list twice; name each once")
        if unordered:
            out.sort(key=place)
        return out

    doc = narrow.doc or ("the order of the items is of no importance" if narrow.unordered else "")
    least = {"minItems": narrow.min} if narrow.min else {}
    schema = _described({"type": "array", "items": inner.schema, "maxItems": longest, **least}, doc)
    return Shape(schema, parse, _below("*", inner), verbatim=inner.verbatim and not unordered)


def _each(value: list[Any], path: str, parse_item: Parse) -> list[Any]:
    try:
        return [parse_item(item, "") for item in value]
    except Faults:
        raise Faults(*_faults_of(((parse_item, item) for item in value), path)) from None


def _faults_of(parts: Iterable[tuple[Parse, Any]], path: str) -> list[str]:
    """Return every fault with its path: paths are written only once something is wrong."""
    faults: list[str] = []
    for i, (parse, item) in enumerate(parts):
        faults += _faults_at(parse, item, f"{path}[{i}]")
    return faults


def _faults_at(parse: Parse, item: Any, path: str) -> tuple[str, ...]:
    try:
        parse(item, path)
    except Faults as error:
        return error.faults
    return ()


def _map(hint: Any, narrow: Items) -> Shape:
    inner, key = shape(hint), _text(Text())

    def parse(value: Any, path: str) -> dict[str, Any]:
        if type(value) is not dict:
            raise Faults(f"{path}: expected object, got {_name(value)}")
        if len(value) > narrow.max:
            raise Faults(f"{path}: {len(value)} entries, at most {narrow.max} are accepted")
        given = list(value.values())
        names, items = key.parse_all(list(value)), inner.parse_all(given)
        if names is None or items is None:
            return {key.parse(name, path): inner.parse(item, f"{path}.{name}") for name, item in value.items()}
        return dict(value) if items is given else dict(zip(names, items, strict=True))

    schema = _described({"type": "object", "additionalProperties": inner.schema}, narrow.doc)
    return Shape(schema, parse, _below("*", inner), verbatim=inner.verbatim)


def _optional(hint: Any, narrow: Narrow | None) -> Shape:
    kinds = [arg for arg in get_args(hint) if arg is not type(None)]
    if len(kinds) != 1 or len(get_args(hint)) == 1:
        raise TypeError(f"{hint!r} is no argument shape; a union may only add None to one type")
    inner = shape(kinds[0], narrow)
    return Shape(
        inner.schema,
        lambda value, path: None if value is None else inner.parse(value, path),
        inner.refs,
        verbatim=inner.verbatim,
    )


def _fields(hint: type[Any]) -> dict[str, Shape]:
    hints = get_type_hints(hint, include_extras=True)
    return {field.name: shape(hints[field.name]) for field in attrs.fields(hint)}


def _columns(narrow: Narrow | None) -> tuple[str, ...]:
    if not isinstance(narrow, Columns):
        raise TypeError("a tuple is an argument shape once `Annotated` with Columns names its items")
    return narrow.names


def _row(hints: tuple[Any, ...], names: tuple[str, ...]) -> Shape:
    """Return the shape of a tuple, which is given as an array of as many items."""
    if not names or len(names) != len(hints) or len(set(names)) != len(names):
        raise TypeError(
            f"a tuple of {len(hints)} items needs as many different names, not {', '.join(names) or 'none'}"
        )
    fields = [shape(hint) for hint in hints]
    parts, everys = [field.parse for field in fields], [field.parse_all for field in fields]
    form = f"[{', '.join(names)}]"

    def parse(value: Any, path: str) -> tuple[Any, ...]:
        if type(value) is not list or len(value) != len(parts):
            got = f"an array of {len(value)}" if type(value) is list else _name(value)
            raise Faults(f"{path}: expected {form}, got {got}")
        try:
            return tuple([part(item, "") for part, item in zip(parts, value, strict=True)])
        except Faults:
            raise Faults(*_faults_of(zip(parts, value, strict=True), path)) from None

    def parse_all(values: Values) -> Values | None:
        if set(map(type, values)) != {list} or set(map(len, values)) != {len(parts)}:
            return None
        columns: list[Any] = [every(column) for every, column in zip(everys, zip(*values, strict=True), strict=True)]
        return None if None in columns else list(zip(*columns, strict=True))

    kinds = {dumps(field.schema): field.schema for field in fields}
    items = next(iter(kinds.values())) if len(kinds) == 1 else {"anyOf": list(kinds.values())}
    schema = {"type": "array", "items": items, "minItems": len(names), "maxItems": len(names), "description": form}
    refs = tuple(ref for i, field in enumerate(fields) for ref in _below(i, field))
    return Shape(schema, parse, refs, parse_all, verbatim=all(field.verbatim for field in fields))


def _object(hint: type[Any]) -> Shape:
    fields = _fields(hint)
    required = [f.name for f in attrs.fields(hint) if f.default is attrs.NOTHING]
    parse_object = object_parser(fields, required)

    def parse(value: Any, path: str) -> Any:
        return hint(**parse_object(value, path))

    schema = object_schema(fields, required)
    refs = tuple(ref for name, part in fields.items() for ref in _below(name, part))
    said = len(required) == len(fields) and all(part.verbatim for part in fields.values())
    return Shape(schema, parse, refs, verbatim=said)


def object_schema(fields: Mapping[str, Shape], required: list[str]) -> dict[str, Json]:
    """Return the JSON Schema of an object with these fields and no others."""
    properties = {name: part.schema for name, part in fields.items()}
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def object_parser(fields: Mapping[str, Shape], required: Collection[str]) -> ParseObject:
    """Return the strict parser of an object with these fields and no others; it raises Faults that name every fault."""
    parsers = {name: field.parse for name, field in fields.items()}
    needed = frozenset(required)

    def parse(value: Any, path: str = "$") -> dict[str, Any]:
        if type(value) is not dict:
            raise Faults(f"{path}: expected object, got {_name(value)}")
        try:
            out = {name: parsers[name](item, "") for name, item in value.items()}
        except (KeyError, Faults):
            raise Faults(*_faults_within(value, path, parsers, required)) from None
        if needed <= out.keys():
            return out
        raise Faults(*_faults_within(value, path, parsers, required))

    return parse


def _faults_within(
    value: dict[str, Any], path: str, parsers: Mapping[str, Parse], required: Collection[str]
) -> list[str]:
    """Return every unknown, missing or ill-formed field of an object."""
    faults = [f"{path}.{name}: missing" for name in required if name not in value]
    for name, item in value.items():
        if name not in parsers:
            faults.append(f"{path}.{str(name)[:40]}: unknown; the names are {', '.join(parsers)}")
        else:
            faults += _faults_at(parsers[name], item, f"{path}.{name}")
    return faults
