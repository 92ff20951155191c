"""A world: its store, ledger and clock, in one object that environments read and write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from skillhorizon.world.artifacts import LEDGER_TABLES, ClockRow
from skillhorizon.world.digest import store_digest
from skillhorizon.world.ledger import Ledger, OnChange, OnEnd
from skillhorizon.world.rows import layout
from skillhorizon.world.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

R = TypeVar("R")
_READ_CLOCK = "SELECT minute FROM clock WHERE id = 0"
_WRITE_CLOCK = "UPDATE clock SET minute = ? WHERE id = 0"


class World:
    """The persistent state of one execution."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._minute: int | None = None
        self.ledger = Ledger(store, self)
        self.get = store.get
        self.select = store.select
        self.count = store.count
        self.insert = store.insert
        self.update = store.update
        self.delete = store.delete

    @classmethod
    def empty(cls, tables: Sequence[type[Any]]) -> World:
        """Return a world with an environment's tables and the ledger's, all empty, the clock at 0."""
        world = cls(Store((*LEDGER_TABLES, *tables)))
        world.insert(ClockRow(0, 0))
        return world

    def govern(self, on_change: Mapping[str, OnChange], on_end: Mapping[str, OnEnd]) -> None:
        """Set the environment's rules of how artifacts end."""
        self.ledger.on_change, self.ledger.on_end = on_change, on_end

    def clone(self) -> World:
        """Return an independent copy with the same rules."""
        copy = World(self.store.clone())
        copy.govern(self.ledger.on_change, self.ledger.on_end)
        return copy

    def close(self) -> None:
        """Free the memory."""
        self.store.close()

    def built(self, row: type[R], *key: str | int) -> R:
        """Return the row with this primary key, which every world has that was built from a plan.

        Raises:
            LookupError: when this one has not.
        """
        found = self.get(row, *key)
        if found is None:
            named = " ".join(map(repr, key))
            raise LookupError(f"the world has no {layout(row).table.name} {named}; build it from its plan")
        return found

    @property
    def clock(self) -> int:
        """Minutes since the start."""
        if self._minute is None:
            (self._minute,) = self.store.db.execute(_READ_CLOCK).fetchone()
        return self._minute

    def advance(self, minutes: int) -> int:
        """Move the clock on and return it."""
        return self.advance_to(self.clock + minutes)

    def advance_to(self, minute: int) -> int:
        """Move the clock to `minute` unless it is later already, and return it."""
        now = self.clock
        if minute <= now:
            return now
        self.store.db.execute(_WRITE_CLOCK, (minute,))
        self._minute = minute
        return minute

    def transaction(self) -> Transaction:
        """Commit what the block wrote, or roll all of it back, the clock included, when it raises."""
        return Transaction(self)

    def forget(self) -> None:
        """Drop what was noted since the transaction began, after it was rolled back."""
        self._minute = None
        self.ledger.forget()

    def sql(self, text: str, *values: str | int | None) -> list[tuple[Any, ...]]:
        """Run a hand-written statement over the declared tables and return its rows."""
        if self.store.veil is not None:
            self.store.guard.check(text, self.store.veil)
        return self.store.db.execute(text, values).fetchall()

    def contents(self, rows: Sequence[type[Any]]) -> list[tuple[str, ...]]:
        """Return the stored values of some tables, each column as JSON: equal contents are equal tables."""
        return [self.store.db.execute(layout(row).columns_sql).fetchone() for row in rows]

    def digest(self, rows: Sequence[type[Any]] | None = None) -> str:
        """Return the canonical hash of all tables, or of some."""
        return store_digest(self.store, rows)


class Transaction:
    """One transaction of a world as a context; a class, since every operation enters one."""

    __slots__ = ("_world",)

    def __init__(self, world: World) -> None:
        self._world = world

    def __enter__(self) -> None:
        self._world.store.db.execute("BEGIN")

    def __exit__(self, kind: type[BaseException] | None, *_more: object) -> None:
        self._world.store.db.execute("COMMIT" if kind is None else "ROLLBACK")
        if kind is not None:
            self._world.forget()
