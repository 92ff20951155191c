"""Rows of orders: which rows an order has, in which order they stand, and which of them counts."""

from __future__ import annotations

from functools import partial
from itertools import chain, count, repeat
from operator import itemgetter
from typing import TYPE_CHECKING

from skillhorizon_financeops.rows import COLUMNS, Source, SourceRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from skillhorizon import Rng
    from skillhorizon_financeops.truth import Reading

Entry = tuple[str, int]
"""kind and revision of a row."""
Cells = tuple[str | int, ...]
"""The values of a row."""
_ARRANGED: Mapping[str, Callable[[Cells], Cells]] = {
    name: itemgetter(*map(COLUMNS["FR"].index, columns)) for name, columns in COLUMNS.items()
}
_row: Callable[[Iterable[object]], SourceRow] = partial(tuple.__new__, SourceRow)
"""`SourceRow._make` without a step of Python for each row."""
_EXTRAS = ("correction",) * 45 + ("metadata",) * 30 + ("withdrawn",) * 25
"""One entry a percent."""
ALONE: Sequence[Entry] = (("sale", 1),)
"""An order of one row."""
_COUNTS = frozenset({"sale", "correction"})
RAW_LOW, RAW_HIGH = 500, 250_000
NUMBERS = tuple(f"{number:02}" for number in range(100))
"""How the number of an order is written in its id."""


def skeleton(rng: Rng, rows: int) -> list[Sequence[Entry]]:
    """Draw orders of so many rows in all: each order's (kind, revision) in order of position."""
    out: list[Sequence[Entry]] = []
    left = rows
    while left > 0:
        draw = rng.integer(0, 99)
        if draw < 45 and left > 1:  # noqa: PLR2004  # 30 % have a row more, 15 % two
            entries = [*ALONE, (rng.choice(_EXTRAS), 2)]
            if draw >= 30 and left > 2:  # noqa: PLR2004  # the 15 %
                entries.append((rng.choice(_EXTRAS), 3))
            out.append(_shuffled(rng, entries) if rng.chance(3_000) else entries)
        else:
            out.append(ALONE)
        left -= len(out[-1])
    return out


def _shuffled(rng: Rng, entries: list[Entry]) -> list[Entry]:
    """Shuffle an order's rows; a sale or correction stays first, so that every policy finds one."""
    first = rng.choice([entry for entry in entries if entry[0] in _COUNTS])
    entries.remove(first)
    return [first, *(rng.shuffled(entries) if len(entries) > 1 else entries)]


def counting(entries: Sequence[Entry], policy: str) -> int | None:
    """Return the index of the row that counts (R2), or None when the order is excluded."""
    if policy == "first" or len(entries) == 1:
        return 0 if entries[0][0] in _COUNTS else None
    latest, found = 0, None
    for index, (kind, revision) in enumerate(entries):
        if kind == "withdrawn":
            return None
        if revision > latest and kind in _COUNTS:
            latest, found = revision, index
    return found


def code_of(codes: Mapping[str, str], kind: str) -> str:
    """Return the code that means `kind`."""
    return next(code for code, meaning in codes.items() if meaning == kind)


def cells(source_format: str, values: Cells) -> Cells:
    """Return the values of order, rev, code, party, amt and ref in a format's column order."""
    return _ARRANGED[source_format](values)


def numbered(source: Source, orders: Iterable[Iterable[Reading]]) -> tuple[SourceRow, ...]:
    """Return the rows of a new source's orders, positions from 1."""
    arranged = map(_ARRANGED[source.format], chain.from_iterable(orders))
    return tuple(map(_row, zip(repeat(source.source_id), count(1), repeat(1), arranged)))


def order_ids(letter: str, source_id: str) -> str:
    """Return what the ids of a source's orders begin with: letter, stage, source; their numbers have two digits.

    >>> order_ids("O", "S03-07")
    'O0307'
    """
    return f"{letter}{source_id[1:3]}{source_id[4:6]}"
