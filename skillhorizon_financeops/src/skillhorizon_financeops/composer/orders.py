"""Rows of orders: which rows an order has, in which order they stand, and which of them counts."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from skillhorizon_financeops.rows import COLUMNS, Source, SourceRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from skillhorizon import Rng

Entry = tuple[str, int]
"""kind and revision of a row."""
Cells = tuple[str | int, ...]
"""The values of a row."""
_ARRANGED: Mapping[str, Callable[[Cells], Cells]] = {
    name: itemgetter(*map(COLUMNS["FR"].index, columns)) for name, columns in COLUMNS.items()
}
_EXTRAS = ("correction",) * 45 + ("metadata",) * 30 + ("withdrawn",) * 25
"""One entry a percent."""
_COUNTS = frozenset({"sale", "correction"})
RAW_LOW, RAW_HIGH = 500, 250_000


def skeleton(rng: Rng, count: int) -> list[list[Entry]]:
    """Draw orders of `count` rows in all: each order's (kind, revision) in order of position."""
    out: list[list[Entry]] = []
    left = count
    while left > 0:
        draw = rng.integer(0, 99)
        extra = min(1 if draw < 30 else 2 if draw < 45 else 0, left - 1)  # noqa: PLR2004  # 30 %, 15 %
        entries = [("sale", 1)]
        if extra:
            entries += [(rng.choice(_EXTRAS), revision) for revision in range(2, extra + 2)]
            entries = _shuffled(rng, entries) if rng.chance(3_000) else entries
        out.append(entries)
        left -= extra + 1
    return out


def _shuffled(rng: Rng, entries: list[Entry]) -> list[Entry]:
    """Shuffle an order's rows; a sale or correction stays first, so that every policy finds one."""
    first = rng.choice([entry for entry in entries if entry[0] in _COUNTS])
    return [first, *rng.shuffled([entry for entry in entries if entry is not first])]


def counting(entries: Sequence[Entry], policy: str) -> int | None:
    """Return the index of the row that counts (R2), or None when the order is excluded."""
    if policy == "first":
        return 0 if entries[0][0] in _COUNTS else None
    if any(kind == "withdrawn" for kind, _ in entries):
        return None
    return max((revision, index) for index, (kind, revision) in enumerate(entries) if kind in _COUNTS)[1]


def code_of(codes: Mapping[str, str], kind: str) -> str:
    """Return the code that means `kind`."""
    return next(code for code, meaning in codes.items() if meaning == kind)


def cells(source_format: str, values: Cells) -> Cells:
    """Return the values of order, rev, code, party, amt and ref in a format's column order."""
    return _ARRANGED[source_format](values)


def numbered(source: Source, rows: Sequence[Cells]) -> tuple[SourceRow, ...]:
    """Return a new source's rows from their order, rev, code, party, amt and ref, positions from 1."""
    arranged = map(_ARRANGED[source.format], rows)
    return tuple([SourceRow(source.source_id, pos, 1, row) for pos, row in enumerate(arranged, start=1)])


def order_id(letter: str, source_id: str, number: int) -> str:
    """Return an order's id: letter, stage, source, number.

    >>> order_id("O", "S03-07", 1)
    'O030701'
    """
    return f"{letter}{source_id[1:3]}{source_id[4:6]}{number:02}"
