"""Rows that every built world has are read without asking whether they are there."""

from __future__ import annotations

import gc
import sqlite3
from typing import Any, NamedTuple

import attrs
import pytest
from bakery import Batch

from skillhorizon import World, dumps, table
from skillhorizon.world.rows import MANY
from skillhorizon.world.store import Connection, Store


@table("note", key=("name",))
@attrs.frozen
class Note:
    name: str
    body: Any
    read: int


@table("leaf", key=("name", "pos"))
class Leaf(NamedTuple):
    name: str
    pos: int
    body: Any


def test_rows_that_are_tuples_are_kept_and_read_back_as_they_were() -> None:
    store = Store([Leaf])
    leaves = [Leaf("a", pos, {"b": [pos], "a": None}) for pos in range(100)]
    store.insert(*leaves)
    store.insert(Leaf("b", 1, []))
    assert store.select(Leaf, name="a") == leaves
    assert store.get(Leaf, "b", 1) == Leaf("b", 1, [])
    assert store.db.execute("SELECT body FROM leaf WHERE pos = 7").fetchall() == [('{"a":null,"b":[7]}',)]


def test_rows_of_several_classes_are_inserted_together() -> None:
    store = Store([Leaf, Note])
    store.insert(Leaf("a", 1, []), Note("n", {}, 0), Leaf("a", 2, []))
    assert [leaf.pos for leaf in store.select(Leaf)] == [1, 2]
    assert store.select(Note) == [Note("n", {}, 0)]


class Pair(NamedTuple):
    left: int
    right: int


def test_rows_of_tables_are_objects_in_canonical_json_and_other_tuples_arrays() -> None:
    assert dumps([Leaf("a", 1, Pair(2, 3))]) == '[{"body":[2,3],"name":"a","pos":1}]'


def test_a_row_that_a_plan_built_is_returned() -> None:
    world = World.empty([Batch])
    world.insert(batch := Batch("B00", 7, 1))
    assert world.built(Batch, "B00") == batch


def test_a_row_that_no_plan_built_is_named() -> None:
    with pytest.raises(LookupError, match="the world has no batch 'B01'; build it from its plan"):
        World.empty([Batch]).built(Batch, "B01")


class Noting(Connection):
    """A connection that notes when it is closed."""

    closed = 0

    def close(self) -> None:
        Noting.closed += 1
        super().close()


def test_a_world_that_nobody_holds_has_closed_its_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "connection", Noting)
    before, world = Noting.closed, World.empty([Batch])
    assert Noting.closed == before
    del world
    gc.collect()
    assert Noting.closed > before


def test_no_statement_takes_more_parameters_than_every_sqlite_allows() -> None:
    fields = {f"column_{n}": attrs.field(type=int) for n in range(40)}
    wide: Any = table("wide", key=("column_0",))(attrs.make_class("Wide", fields, frozen=True))
    rows = [wide(*range(n, n + 40)) for n in range(100)]
    store = Store([wide])
    store.db.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)
    store.insert(*rows)
    assert store.select(wide) == rows


@pytest.mark.parametrize("count", [1, MANY - 1, MANY, MANY + 1, 3 * MANY])
def test_any_number_of_rows_of_several_classes_is_inserted_whole(count: int) -> None:
    store = Store([Batch, Note])
    batches = [Batch(f"B{n:03}", n, 1) for n in range(count)]
    notes = [Note(f"N{n:03}", {"said": [n, "é"]}, n % 2) for n in range(count)]
    store.insert(*[row for pair in zip(batches, notes, strict=True) for row in pair])
    assert store.select(Batch) == batches
    assert store.select(Note) == notes
