"""Hidden columns: what the world holds and agents must not see, such as a device's true fault.

While a tool's body runs, a hidden column that the tool does not declare to reveal is read as a `Secret`, which cannot
be compared, counted, printed or sent; builders, updates and checkers read it as it is.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import attrs

from skillhorizon.world.rows import layout

if TYPE_CHECKING:
    from skillhorizon.world.rows import Layout

_WORD = re.compile(r"\w+")


class SecretRead(Exception):
    """A tool used a hidden column that it does not declare to reveal; an internal error, never an agent's."""


class Secret:
    """Stands for a hidden value; using it in any way raises `SecretRead`."""

    def __init__(self, column: str) -> None:
        object.__setattr__(self, "column", column)

    def _refuse(self, *_arguments: object) -> NoReturn:
        raise SecretRead(
            f"{object.__getattribute__(self, 'column')} is hidden; declare to reveal it, or leave it alone"
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __hash__ = __bool__ = __len__ = __iter__ = __index__ = __int__ = __str__ = __repr__ = _refuse
    __add__ = __sub__ = __mul__ = __floordiv__ = __mod__ = __contains__ = __getitem__ = __call__ = _refuse
    __getattr__ = _refuse


Covers = tuple[tuple[tuple[int, Secret], ...], dict[str, Secret]]
"""Secrets by their column's place, and by name those of columns that are kept as JSON."""


@attrs.frozen(eq=False)
class Veil:
    """What stays hidden while a tool runs that reveals the columns `table.column` in `reveals`."""

    reveals: frozenset[str]
    _covers: dict[str, Covers] = attrs.field(factory=dict, init=False)

    def cover(self, made: Layout, values: tuple[Any, ...]) -> Any:
        """Return the row of these values with secrets for what stays hidden."""
        covers = self._covers.get(made.table.name) or self._covers.setdefault(made.table.name, self._find(made))
        plain, parsed = covers
        if plain:
            kept = list(values)
            for place, secret in plain:
                kept[place] = secret
            values = tuple(kept)
        row = made.decode(values)
        if not parsed:
            return row
        return row._replace(**parsed) if issubclass(made.row, tuple) else attrs.evolve(row, **parsed)

    def _find(self, made: Layout) -> Covers:
        columns = {name: f"{made.table.name}.{name}" for name in made.names if name in made.hidden}
        secrets = {name: Secret(column) for name, column in columns.items() if column not in self.reveals}
        plain = tuple((made.names.index(name), secrets[name]) for name in secrets if name not in made.json_names)
        return plain, {name: secret for name, secret in secrets.items() if name in made.json_names}


@attrs.frozen(eq=False)
class Guard:
    """Knows which words of hand-written statements name hidden columns."""

    rows: tuple[type[Any], ...]
    _clean: set[tuple[str, frozenset[str]]] = attrs.field(factory=set, init=False)

    @cached_property
    def columns(self) -> dict[str, str]:
        """Hidden column names with their `table.column`."""
        return {name: f"{made.table.name}.{name}" for made in map(layout, self.rows) for name in sorted(made.hidden)}

    def check(self, text: str, veil: Veil) -> None:
        """Refuse a statement that names a hidden column which stays hidden.

        Raises:
            SecretRead: naming the column.
        """
        if (text, veil.reveals) in self._clean:
            return
        for word in _WORD.findall(text):
            column = self.columns.get(word)
            if column is not None and column not in veil.reveals:
                raise SecretRead(f"the statement names {column}, which is hidden; declare to reveal it")
        self._clean.add((text, veil.reveals))
