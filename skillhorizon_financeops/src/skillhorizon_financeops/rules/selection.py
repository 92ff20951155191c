"""Which row of an order counts (R2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

FIRST = "first"
VALUED = ("sale", "correction")


class Entry(NamedTuple):
    """A row of a source as the rules see it: `kind` is its code's meaning under a contract, `ref` '' for none."""

    pos: int
    order: str
    rev: int
    kind: str
    alias: str
    amount: int
    ref: str = ""


def selected(policy: str, entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return the selected row of each included order, by order (R2).

    Args:
        policy: `first` or `latest_revision`.
        entries: the rows of one source, in any order.

    >>> rows = [Entry(1, "O3071", 1, "sale", "K07", 123450), Entry(2, "O3071", 2, "correction", "K07", 118000),
    ...         Entry(3, "O3071", 3, "metadata", "K02", 99999), Entry(4, "O3072", 1, "sale", "K02", 45005),
    ...         Entry(5, "O3072", 2, "withdrawn", "K02", 0), Entry(6, "O3073", 1, "sale", "K04", -20015)]
    >>> {order: entry.pos for order, entry in selected("latest_revision", rows).items()}
    {'O3071': 2, 'O3073': 6}
    >>> {order: entry.pos for order, entry in selected("first", rows).items()}
    {'O3071': 1, 'O3072': 4, 'O3073': 6}
    """
    found = _first(entries) if policy == FIRST else _latest(entries)
    return {order: found[order] for order in sorted(found)}


def _first(entries: Iterable[Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        before = found.get(entry.order)
        if before is None or entry.pos < before.pos:
            found[entry.order] = entry
    return {order: entry for order, entry in found.items() if entry.kind in VALUED}


def _latest(entries: Iterable[Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    withdrawn = []
    for entry in entries:
        if entry.kind in VALUED:
            before = found.get(entry.order)
            if before is None or entry.rev > before.rev:
                found[entry.order] = entry
        elif entry.kind == "withdrawn":
            withdrawn.append(entry.order)
    for order in withdrawn:
        found.pop(order, None)
    return found
