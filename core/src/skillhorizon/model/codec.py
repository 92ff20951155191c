"""Values to canonical JSON and back, strictly: unknown or missing keys and values of another type are faults."""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from skillhorizon.errors import CorruptFile
from skillhorizon.model.canonical import dumps, loads

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")


@cache
def _converter() -> Converter:
    from cattrs import Converter  # noqa: PLC0415  # only reading and writing files need it

    made = Converter(forbid_extra_keys=True)
    made.register_structure_hook_func(lambda t: t in (str, int, bool), _strict)
    made.register_structure_hook_func(lambda t: isinstance(t, type) and issubclass(t, StrEnum), lambda v, t: t(v))
    return made


def _strict(value: Any, kind: type[Any]) -> Any:
    if type(value) is not kind:
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value


def encode(value: Any) -> Any:
    """Return an attrs value as plain JSON."""
    return _converter().unstructure(value)


def decode(data: Any, kind: type[T]) -> T:
    """Return the attrs value that plain JSON describes.

    Raises:
        CorruptFile: naming every key that is missing, unknown or of another type.
    """
    from cattrs import transform_error  # noqa: PLC0415

    try:
        return _converter().structure(data, kind)
    except Exception as error:  # cattrs raises groups of whatever went wrong
        faults = "; ".join(transform_error(error)[:5])
        raise CorruptFile(f"this is no {kind.__name__.lower()}: {faults}") from error


def to_text(value: Any) -> str:
    """Return an attrs value as one line of canonical JSON with its end."""
    return dumps(encode(value)) + "\n"


def from_text(text: str | bytes, kind: type[T]) -> T:
    """Return the attrs value that JSON text describes.

    Raises:
        CorruptFile: when the text is not JSON or not such a value.
    """
    return decode(loads(text), kind)
