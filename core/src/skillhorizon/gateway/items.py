"""How the items of a list compare: in which order they stand, and by which field each stands once."""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, get_args, get_origin

import attrs

from skillhorizon.gateway.marks import opened
from skillhorizon.model.canonical import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def order_of(hint: Any) -> Callable[[Any], Any] | None:
    """Return the key that puts items of a type in order: None where they have an order of their own."""
    bare, _ = opened(hint)
    parts = {opened(part)[0] for part in get_args(bare)} if get_origin(bare) is tuple else {bare}
    return None if parts <= {str, int} else _place


def _place(item: Any) -> tuple[int, Any]:
    """Return where an item of any form stands: numbers first, then texts and the JSON of all else."""
    if isinstance(item, int):
        return 0, item
    return 1, item if isinstance(item, str) else dumps(item)


def field_of(hint: Any, name: str) -> Callable[[Any], Any]:
    """Return what takes a field of an item: of an attrs object, or of a tuple with Columns.

    Raises:
        TypeError: when items of the type have no such field.
    """
    bare, columns = opened(hint)
    if columns is not None and name in columns.names:
        return itemgetter(columns.names.index(name))
    if isinstance(bare, type) and attrs.has(bare) and name in [field.name for field in attrs.fields(bare)]:
        return attrgetter(name)
    raise TypeError(f"unique={name!r} names no field of {hint!r}; name one of an attrs class or of a tuple's Columns")


def repeated(keys: Sequence[Any]) -> int | None:
    """Return the index of the first key that stands before, too.

    >>> repeated(["a", "b", "a"]), repeated(["a", "b"])
    (2, None)
    """
    if len(set(keys)) == len(keys):
        return None
    return next(at for at, key in enumerate(keys) if key in keys[:at])
