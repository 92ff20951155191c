"""Reading a request's body strictly: what is missing or of another type is a breach with its path."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from skillhorizon_agents.testing.talk import Breach, Offer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
LONGEST_NAME = 64
REFUSED_AT_TOP = ("oneOf", "anyOf", "allOf", "enum", "not")


def member(value: Mapping[str, Any], name: str, kind: type | tuple[type, ...], where: str) -> Any:
    """Return a required member.

    Raises:
        Breach: when it is missing or of another type.
    """
    if name not in value:
        raise Breach(f"{where}.{name} is missing")
    if not isinstance(value[name], kind):
        raise Breach(f"{where}.{name} is a {type(value[name]).__name__}")
    return value[name]


def listed(value: Mapping[str, Any], name: str, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a required list, each with its path.

    Raises:
        Breach: when there is no such list, or something else in it.
    """
    for at, item in enumerate(member(value, name, list, where)):
        path = f"{where}.{name}[{at}]"
        if not isinstance(item, dict):
            raise Breach(f"{path} is a {type(item).__name__}, not an object")
        yield path, item


def said(content: Any, where: str, kinds: tuple[str, ...] = ("text",)) -> str:
    """Return the text of a content that is text, or a list of text parts.

    Raises:
        Breach: when it is something else.
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise Breach(f"{where} is a {type(content).__name__}, neither text nor a list")
    parts: list[str] = []
    for at, part in enumerate(content):
        if not isinstance(part, dict) or part.get("type") not in kinds or not isinstance(part.get("text"), str):
            raise Breach(f"{where}[{at}] is no part of type {' or '.join(kinds)} with a text")
        parts.append(part["text"])
    return "\n".join(parts)


def offer(name: Any, schema: Any, where: str, group: str = "") -> Offer:
    """Return an offered tool whose name and schema every provider takes.

    Raises:
        Breach: when a provider would refuse it.
    """
    if not isinstance(name, str) or not name or len(name) > LONGEST_NAME or not NAME_CHARACTERS.issuperset(name):
        raise Breach(f"{where} has the name {name!r}; a tool's name has 1 to 64 letters, digits, _ and -")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise Breach(f"the schema of {name} is not of type object")
    refused = [key for key in REFUSED_AT_TOP if key in schema]
    if refused:
        raise Breach(f"the schema of {name} has {', '.join(refused)} at its top level")
    return Offer(name, schema, group)


def parsed(text: str, where: str) -> Any:
    """Return what a JSON text says.

    Raises:
        Breach: when it is no JSON.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        raise Breach(f"{where} is no JSON: {error}") from error


def dumped(value: Any) -> str:
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def echoed(arguments: str) -> Any:
    """Return the arguments of a call as a conversation repeats them: JSON, or the text that was none in an object.

    >>> echoed('{"a": 1}'), echoed('{"a": ')
    ({'a': 1}, {'malformed': '{"a": '})
    """
    try:
        value = json.loads(arguments)
    except ValueError:
        return {"malformed": arguments}
    return value if isinstance(value, dict) else {"malformed": arguments}


def least(form: Mapping[str, Any]) -> Any:
    """Return the least that a JSON Schema allows, for questions whose answer does not matter.

    >>> least({"type": "object", "properties": {"a": {"type": "NUMBER"}, "b": {"enum": ["x", "y"]}}})
    {'a': 0, 'b': 'x'}
    """
    if form.get("enum"):
        return form["enum"][0]
    match str(form.get("type", "")).lower():
        case "object":
            return {name: least(part) for name, part in (form.get("properties") or {}).items()}
        case "array":
            return []
        case "number" | "integer":
            return 0
        case "boolean":
            return False
        case _:
            return ""
