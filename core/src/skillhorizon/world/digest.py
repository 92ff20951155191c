"""The canonical hash of a world: every table by name, every row by primary key."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from skillhorizon.model.canonical import dumps_bytes
from skillhorizon.world.rows import layout

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon.world.store import Store


def store_digest(store: Store, rows: Iterable[type[Any]] | None = None) -> str:
    """Return the SHA-256 of the given row classes' tables (default: all), 64 hexadecimal digits."""
    whole = hashlib.sha256()
    for made in sorted(map(layout, store.rows if rows is None else rows), key=lambda made: made.table.name):
        whole.update(dumps_bytes(made.table.name))
        whole.update(b"".join(map(dumps_bytes, store.db.execute(made.scan_sql))))
    return whole.hexdigest()
