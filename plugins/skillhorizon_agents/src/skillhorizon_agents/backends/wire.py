"""What the wire formats share: each item of a conversation is written down once, calls are read with care."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import orjson

from skillhorizon import Usage
from skillhorizon_agents.backend import Transient
from skillhorizon_agents.conversation import Asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from skillhorizon_agents.conversation import Item


class Written:
    """Items of conversations as bytes; what was written for one request is used for all later ones."""

    def __init__(self, write: Callable[[Item], bytes]) -> None:
        self._write = write
        self._known: WeakKeyDictionary[Item, bytes] = WeakKeyDictionary()

    def __call__(self, item: Item) -> bytes:
        """Return an item's bytes."""
        found = self._known.get(item)
        if found is None:
            found = self._known[item] = self._write(item)
        return found


def joined(values: Iterable[Any]) -> bytes:
    """Return JSON values with commas between them."""
    return b",".join(map(orjson.dumps, values))


def body(fields: Mapping[str, Any], name: str, entries: Iterable[bytes]) -> bytes:
    """Return a JSON object of some fields and one list whose entries are bytes already.

    >>> body({"model": "m"}, "messages", [b"1", b"2,3"])
    b'{"model":"m","messages":[1,2,3]}'
    """
    return orjson.dumps(fields)[:-1] + b',"' + name.encode() + b'":[' + b",".join(filter(None, entries)) + b"]}"


def asked(call_id: Any, name: Any, arguments: Any) -> Asked:
    """Return a call as the model wrote it; its arguments are text or, where the provider parsed them, an object."""
    text = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    return Asked(id=str(call_id), name=str(name), arguments=_object(text), text=text)


def _object(text: str) -> dict[str, Any] | None:
    if not text.strip():
        return {}
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None
    return value if isinstance(value, dict) else None


def arguments_text(call: Asked) -> str:
    """Return a call's arguments as JSON text: servers that parse them again must be able to."""
    return (call.text or "{}") if call.arguments is not None else orjson.dumps({"malformed": call.text}).decode()


def number(found: Any, *names: str) -> int:
    """Return a count out of nested objects, 0 where it is not told.

    >>> number({"details": {"cached": 3}}, "details", "cached")
    3
    """
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if type(found) is int and found >= 0 else 0


def usage(said: Any, names: Mapping[str, tuple[str, ...]]) -> Usage:
    """Return what an answer cost; `names` are where the counts stand."""
    return Usage(requests=1, **{name: number(said, *path) for name, path in names.items()})


def read(answer: Any, *names: str | int) -> Any:
    """Return a part of an answer.

    Raises:
        Transient: when it has none, so that asking again may help.
    """
    found = answer
    for name in names:
        try:
            found = found[name]
        except (KeyError, IndexError, TypeError) as error:
            raise Transient(f"an answer without {'.'.join(map(str, names))} came: {str(answer)[:200]}") from error
    return found
