"""Row classes: one declaration from which the SQLAlchemy table and its statements are generated."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import attrs
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from skillhorizon.model.canonical import dumps, loads

R = TypeVar("R")
Values = tuple[Any, ...]
VARIABLES = 999
"""Parameters that every build of SQLite takes in one statement."""
MANY = 64
"""Rows that one statement inserts at most: SQLite takes three fifths of the time that it takes for one by one."""
_DIALECT = sqlite.dialect(paramstyle="qmark")


def compiled(statement: sa.ClauseElement | sa.schema.ExecutableDDLElement) -> str:
    """Return a statement's SQL for the driver; parameters stand in the order in which the statement names them."""
    return str(statement.compile(dialect=_DIALECT))


@attrs.frozen(eq=False)
class Layout:
    """The generated form of a row class: its table, compiled statements, and how rows become parameters and back."""

    row: type[Any]
    table: sa.Table
    names: tuple[str, ...]
    key: tuple[str, ...]
    json_names: frozenset[str]
    hidden: frozenset[str]
    encode: Callable[[Any], Values]
    encode_all: Callable[[Sequence[Any]], Iterable[Values]]
    decode: Callable[[Values], Any]
    _chosen: dict[tuple[object, ...], str] = attrs.field(factory=dict, init=False, repr=False)

    def _by_key(self) -> list[sa.ColumnElement[bool]]:
        return [self.table.c[name] == sa.bindparam(f"k_{name}") for name in self.key]

    @cached_property
    def get_sql(self) -> str:
        """Select one row by primary key."""
        return compiled(sa.select(*self.table.c).where(*self._by_key()))

    @cached_property
    def insert_sql(self) -> str:
        """Insert one row."""
        return compiled(sa.insert(self.table))

    @cached_property
    def many(self) -> int:
        """How many rows one statement inserts."""
        return max(1, min(MANY, VARIABLES // len(self.names)))

    @cached_property
    def insert_many_sql(self) -> str:
        """Insert `many` rows at once."""
        row = self.insert_sql[self.insert_sql.rindex("(") :]
        return self.insert_sql + f", {row}" * (self.many - 1)

    @cached_property
    def delete_sql(self) -> str:
        """Delete one row by primary key."""
        return compiled(sa.delete(self.table).where(*self._by_key()))

    @cached_property
    def scan_sql(self) -> str:
        """Select all rows by primary key."""
        return compiled(sa.select(*self.table.c).order_by(*(self.table.c[name] for name in self.key)))

    @cached_property
    def columns_sql(self) -> str:
        """Select each column as one JSON array, all in one order of rows."""
        return compiled(sa.select(*map(sa.func.json_group_array, self.table.c)))

    def select_sql(self, names: tuple[str, ...], order: tuple[str, ...]) -> str:
        """Select by equality on `names`, ordered by `order` or the primary key."""
        choice = ("select", names, order)
        return self._chosen.get(choice) or self._once(choice, lambda: self._selection(names, order))

    def count_sql(self, names: tuple[str, ...]) -> str:
        """Count by equality on `names`."""
        choice = ("count", names)
        return self._chosen.get(choice) or self._once(choice, lambda: self._counting(names))

    def update_sql(self, names: tuple[str, ...]) -> str:
        """Update `names`, in table order, by primary key."""
        choice = ("update", names)
        return self._chosen.get(choice) or self._once(choice, lambda: self._updating(names))

    def _counting(self, names: tuple[str, ...]) -> sa.ClauseElement:
        return sa.select(sa.func.count()).select_from(self.table).where(*self._equal(names))

    def _updating(self, names: tuple[str, ...]) -> sa.ClauseElement:
        changes: dict[str, sa.ColumnElement[Any]] = {name: sa.bindparam(f"v_{name}") for name in names}
        return sa.update(self.table).where(*self._by_key()).values(changes)

    def _selection(self, names: tuple[str, ...], order: tuple[str, ...]) -> sa.ClauseElement:
        columns = [self.table.c[name] for name in order or self.key]
        return sa.select(*self.table.c).where(*self._equal(names)).order_by(*columns)

    def _equal(self, names: tuple[str, ...]) -> list[sa.ColumnElement[bool]]:
        return [self.table.c[name] == sa.bindparam(f"w_{name}") for name in names]

    def _once(self, choice: tuple[object, ...], make: Callable[[], sa.ClauseElement]) -> str:
        return self._chosen.setdefault(choice, compiled(make()))


def table(
    name: str,
    *,
    key: tuple[str, ...],
    indexes: tuple[tuple[str, ...], ...] = (),
    hidden: tuple[str, ...] = (),
) -> Callable[[type[R]], type[R]]:
    """Declare the table of a frozen attrs class, or of a NamedTuple when a task has thousands of rows.

    Fields of type str and int (and NewTypes of them) become TEXT and INTEGER columns, `| None` makes them nullable;
    every other type is kept as canonical JSON in TEXT and read back as a plain JSON value. A tool reads a hidden column
    only if it declares to reveal it (see `secrets`).
    """

    def declare(cls: type[R]) -> type[R]:
        cls.__shz_layout__ = _layout(cls, (name, key, indexes, hidden))  # type: ignore[attr-defined]  # the declaration's own slot
        return cls

    return declare


def layout(row: type[Any]) -> Layout:
    """Return the layout of a declared row class.

    Raises:
        TypeError: when the class was not declared with `table`.
    """
    try:
        found: Layout = row.__shz_layout__
    except AttributeError:
        raise TypeError(f"{row.__name__} is no table; declare it with @table(name, key=...)") from None
    return found


_Declared = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...], tuple[str, ...]]


def _layout(row: type[Any], declared: _Declared) -> Layout:
    name, key, indexes, hidden = declared
    hints = get_type_hints(row)
    names = _fields(row)
    kinds = {field: _column(hints[field]) for field in names}
    json_names = frozenset(field for field, (_, _, is_json) in kinds.items() if is_json)
    columns = [
        sa.Column(field, kind, nullable=nullable and field not in key) for field, (kind, nullable, _) in kinds.items()
    ]
    made = [sa.Index(f"ix_{name}_{'_'.join(index)}", *index) for index in indexes]
    primary = sa.PrimaryKeyConstraint(*key)
    return Layout(
        row=row,
        table=sa.Table(name, sa.MetaData(), *columns, primary, *made, sqlite_with_rowid=False),
        names=names,
        key=key,
        json_names=json_names,
        hidden=frozenset(hidden),
        encode=_encoder(names, json_names),
        encode_all=_tuple_encoder(names, json_names) if issubclass(row, tuple) else _bulk_encoder(names, json_names),
        decode=_decoder(row, names, json_names),
    )


def _fields(row: type[Any]) -> tuple[str, ...]:
    named: tuple[str, ...] | None = getattr(row, "_fields", None)
    return tuple(field.name for field in attrs.fields(row)) if named is None else named


def _column(hint: Any) -> tuple[type[sa.Text] | type[sa.Integer], bool, bool]:
    """Return (column type, nullable, stored as JSON) of a field's type."""
    nullable = False
    if get_origin(hint) is types.UnionType:
        inner = [arg for arg in get_args(hint) if arg is not type(None)]
        nullable, hint = True, inner[0] if len(inner) == 1 else Any
    while hasattr(hint, "__supertype__"):
        hint = hint.__supertype__
    if isinstance(hint, type) and issubclass(hint, str):
        return sa.Text, nullable, False
    if hint is int:
        return sa.Integer, nullable, False
    return sa.Text, False, True


def _encoder(names: tuple[str, ...], json_names: frozenset[str]) -> Callable[[Any], Values]:
    get: Callable[[Any], Values] = attrgetter(*names) if len(names) > 1 else lambda row: (getattr(row, names[0]),)
    if not json_names:
        return get
    spots = tuple(spot for spot, name in enumerate(names) if name in json_names)

    def encode(made: Any) -> Values:
        values = list(get(made))
        for spot in spots:
            values[spot] = dumps(values[spot])
        return tuple(values)

    return encode


def _bulk_encoder(names: tuple[str, ...], json_names: frozenset[str]) -> Callable[[Sequence[Any]], Iterable[Values]]:
    """Return what encodes many rows: those with JSON by column, so that none is taken apart and put together again."""
    if not json_names:
        return partial(map, _encoder(names, json_names))
    getters = [(attrgetter(name), name in json_names) for name in names]

    def encode_all(rows: Sequence[Any]) -> Iterable[Values]:
        columns = [map(dumps, map(get, rows)) if is_json else map(get, rows) for get, is_json in getters]
        return zip(*columns, strict=True)

    return encode_all


def _tuple_encoder(names: tuple[str, ...], json_names: frozenset[str]) -> Callable[[Sequence[Any]], Iterable[Values]]:
    """Return what encodes many rows that are tuples already."""

    def encode_all(rows: Sequence[Any]) -> Iterable[Values]:
        columns = zip(names, zip(*rows, strict=True), strict=True)
        return zip(*[map(dumps, column) if name in json_names else column for name, column in columns], strict=True)

    return encode_all


def _decoder(row: type[Any], names: tuple[str, ...], json_names: frozenset[str]) -> Callable[[Values], Any]:
    if not json_names:
        return lambda values: row(*values)
    spots = tuple(spot for spot, name in enumerate(names) if name in json_names)

    def decode(values: Values) -> Any:
        parsed = list(values)
        for spot in spots:
            parsed[spot] = loads(parsed[spot])
        return row(*parsed)

    return decode


def changes_of(made: Layout, changes: Mapping[str, Any]) -> tuple[tuple[str, ...], Values]:
    """Return changed column names in table order, with their parameters."""
    names = tuple(name for name in made.names if name in changes)
    return names, tuple(dumps(changes[name]) if name in made.json_names else changes[name] for name in names)
