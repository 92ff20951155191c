"""The store of one world: SQLAlchemy Core statements, compiled once, run on SQLite's driver connection."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from sqlalchemy.schema import CreateIndex, CreateTable

from skillhorizon.world.rows import Layout, changes_of, compiled, layout
from skillhorizon.world.secrets import Guard, Veil

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

R = TypeVar("R")
Group = tuple[type[Any], "Sequence[Any]"]
"""Rows of one class."""
_CACHED_STATEMENTS = 512


class Connection(sqlite3.Connection):
    """A connection to a database in memory; it is closed, and its memory freed, once nobody holds it."""

    __slots__ = ()

    def __del__(self) -> None:
        self.close()


class Store:
    """The tables of one world in memory. `clone` copies a finished template; close it when done."""

    connection: ClassVar[type[Connection]] = Connection
    """What stores are opened with; a measurement may put one that listens."""

    def __init__(self, rows: Sequence[type[Any]], source: sqlite3.Connection | None = None) -> None:
        self.rows = tuple(rows)
        self.veil: Veil | None = None
        self.guard = Guard(self.rows)
        self.db = sqlite3.connect(
            ":memory:",
            isolation_level=None,
            check_same_thread=False,
            factory=self.connection,
            cached_statements=_CACHED_STATEMENTS,
        )
        if source is None:
            self._create()
        else:
            source.backup(self.db)

    def _create(self) -> None:
        for row in self.rows:
            made = layout(row).table
            self.db.execute(compiled(CreateTable(made)))
            for index in sorted(made.indexes, key=lambda index: str(index.name)):
                self.db.execute(compiled(CreateIndex(index)))

    def clone(self) -> Store:
        """Return an independent copy.

        Raises:
            RuntimeError: inside a transaction, where SQLite's backup would wait for ever.
        """
        if self.db.in_transaction:
            raise RuntimeError("a store is cloned between transactions only")
        return Store(self.rows, self.db)

    def close(self) -> None:
        """Free the memory."""
        self.db.close()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Refuse every write of the block; SQLite raises on one."""
        self.db.execute("PRAGMA query_only = ON")
        try:
            yield
        finally:
            self.db.execute("PRAGMA query_only = OFF")

    def get(self, row: type[R], *key: str | int) -> R | None:
        """Return the row with this primary key, or None."""
        made = layout(row)
        found = self.db.execute(made.get_sql, key).fetchone()
        if found is None:
            return None
        row_found: R = self._decoded(made, found) if made.hidden else made.decode(found)
        return row_found

    def select(self, row: type[R], *, order: tuple[str, ...] = (), **equals: str | int) -> list[R]:
        """Return the rows whose columns equal the given values, by primary key or `order`."""
        made = layout(row)
        found = self.db.execute(made.select_sql(tuple(equals), order), tuple(equals.values()))
        if made.hidden:
            return [self._decoded(made, values) for values in found.fetchall()]
        return [made.decode(values) for values in found.fetchall()]

    def _decoded(self, made: Layout, values: tuple[Any, ...]) -> Any:
        return made.decode(values) if self.veil is None else self.veil.cover(made, values)

    @contextmanager
    def veiled(self, veil: Veil | None) -> Iterator[None]:
        """Hide columns for the block, or lift what hides them."""
        before, self.veil = self.veil, veil
        try:
            yield
        finally:
            self.veil = before

    def count(self, row: type[Any], **equals: str | int) -> int:
        """Return how many rows have the given values."""
        (found,) = self.db.execute(layout(row).count_sql(tuple(equals)), tuple(equals.values())).fetchone()
        return int(found)

    def insert(self, *rows: Any) -> None:
        """Insert rows of one or several classes."""
        if len(rows) == 1:
            made = layout(type(rows[0]))
            self.db.execute(made.insert_sql, made.encode(rows[0]))
            return
        for kind, group in _grouped(rows):
            made = layout(kind)
            values = iter(made.encode_all(group))
            for _ in range(len(group) // made.many):
                self.db.execute(made.insert_many_sql, tuple(chain.from_iterable(islice(values, made.many))))
            self.db.executemany(made.insert_sql, values)

    def update(self, row: type[Any], *key: str | int, **changes: Any) -> None:
        """Change columns of the row with this primary key."""
        made = layout(row)
        names, values = changes_of(made, changes)
        self.db.execute(made.update_sql(names), (*values, *key))

    def delete(self, row: type[Any], *key: str | int) -> None:
        """Delete the row with this primary key, if there is one."""
        self.db.execute(layout(row).delete_sql, key)


def _grouped(rows: Sequence[Any]) -> list[Group]:
    """Return rows by their class, in order of the first of each."""
    kinds = list(dict.fromkeys(map(type, rows)))
    if len(kinds) == 1:
        return [(kinds[0], rows)]
    return [(kind, [row for row in rows if type(row) is kind]) for kind in kinds]
