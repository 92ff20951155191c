"""Canonical JSON: UTF-8, keys sorted, no spaces, integers only, non-ASCII not escaped (serialization `shz-1`)."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs
import orjson

from skillhorizon.errors import CorruptFile

if TYPE_CHECKING:
    from collections.abc import Callable

SERIALIZATION = "shz-1"
Json = Any
"""A JSON value: str, int, bool, None, list or a dict with text keys."""
_SORTED = orjson.OPT_SORT_KEYS


def _plain(value: object) -> object:
    return _form(type(value))(value)  # type: ignore[arg-type]  # every class is hashable


@cache
def _form(kind: type) -> Callable[[Any], object]:
    """Return what makes a value of this class one that has canonical JSON."""
    if attrs.has(kind):
        return lambda value: attrs.asdict(value, recurse=False)
    if issubclass(kind, (set, frozenset)):
        return sorted
    if issubclass(kind, tuple):
        return getattr(kind, "_asdict", list) if hasattr(kind, "__shz_layout__") else list  # rows of tables are objects
    if hasattr(kind, "items"):  # a Mapping that is no dict
        return lambda value: dict(value.items())
    raise TypeError(f"{kind.__name__} has no canonical JSON")


def dumps_bytes(value: Json) -> bytes:
    """Return the canonical JSON of `value` as UTF-8; attrs objects and rows of tables as objects.

    Raises:
        TypeError: for a value with no JSON form, an integer over 64 bits or a lone surrogate.

    >>> dumps_bytes({"b": [1, None], "a": "é"}).decode()
    '{"a":"é","b":[1,null]}'
    """
    return orjson.dumps(value, _plain, _SORTED)


def dumps(value: Json) -> str:
    """Return the canonical JSON of `value` as text; see `dumps_bytes`."""
    return orjson.dumps(value, _plain, _SORTED).decode()


def loads(text: str | bytes) -> Json:
    """Parse JSON text.

    Raises:
        CorruptFile: when the text is not JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise CorruptFile(f"not valid JSON ({error}); restore the file or make it again") from error


def digest(value: Json) -> str:
    """Return the BLAKE2b-128 digest of a value's canonical JSON, 32 hexadecimal digits."""
    return hashlib.blake2b(dumps_bytes(value), digest_size=16).hexdigest()
