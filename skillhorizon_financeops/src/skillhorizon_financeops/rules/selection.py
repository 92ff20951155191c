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
    orders: dict[str, list[Entry]] = {}
    for entry in entries:
        orders.setdefault(entry.order, []).append(entry)
    choose = _first if policy == FIRST else _latest
    found = {}
    for order in sorted(orders):
        rows = orders[order]
        chosen = choose(rows) if len(rows) > 1 else rows[0]
        if chosen is not None and chosen.kind in VALUED:
            found[order] = chosen
    return found


def _first(entries: list[Entry]) -> Entry | None:
    return min(entries, key=lambda each: each.pos)


def _latest(entries: list[Entry]) -> Entry | None:
    if any(entry.kind == "withdrawn" for entry in entries):
        return None
    return max((entry for entry in entries if entry.kind in VALUED), key=lambda each: each.rev, default=None)
