"""What `Annotated` says of an argument's type: limits, references, and the names of a tuple's items."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

import attrs

MAX_SAFE = 2**53 - 1
MAX_TEXT = 400
MAX_ITEMS = 100


@attrs.frozen
class Text:
    """Narrows a text: at most `max` characters; `ref` names the kind of object it refers to."""

    max: int = MAX_TEXT
    ref: str = ""
    doc: str = ""


@attrs.frozen
class Number:
    """Narrows an integer to [low, high]."""

    low: int = -MAX_SAFE
    high: int = MAX_SAFE
    doc: str = ""


@attrs.frozen
class Items:
    """Narrows a list or map: at most `max` entries; `unordered` compares as a multiset; `unique` names a field.

    `min` is the least number of entries of a list.
    """

    max: int = MAX_ITEMS
    unordered: bool = False
    unique: str = ""
    doc: str = ""
    min: int = 0


@attrs.frozen(init=False)
class Columns:
    """Names the items of a tuple, which travels as a JSON array.

    >>> Line = Annotated[tuple[str, int], Columns("item", "amount")]
    """

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        self.__attrs_init__(names)


Narrow = Text | Number | Items | Columns


def opened(hint: Any) -> tuple[Any, Columns | None]:
    """Return a type without its names and what is annotated of it, and the names of its items if it is a tuple."""
    columns: Columns | None = None
    while True:
        if get_origin(hint) is Annotated:
            hint, *marks = get_args(hint)
            columns = next((mark for mark in marks if isinstance(mark, Columns)), columns)
        elif hasattr(hint, "__supertype__"):
            hint = hint.__supertype__
        else:
            return hint, columns
