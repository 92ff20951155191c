"""Which row of an order counts (R2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

FIRST = "first"
VALUED = frozenset({"sale", "correction"})
WITHDRAWN = "withdrawn"
Kinds: TypeAlias = "Sequence[str | None]"
"""What each row's code means under a contract; None for a code that the contract does not know."""


def selected(policy: str, orders: Sequence[str], revisions: Sequence[int], kinds: Kinds) -> dict[str, int]:
    """Return the index of the selected row of each included order, by order (R2).

    Args:
        policy: `first` or `latest_revision`.
        orders: the order of each row of one source, in ascending position.
        revisions: the rows' revisions.
        kinds: the meanings of the rows' codes.

    >>> orders = ["O3071", "O3071", "O3071", "O3072", "O3072", "O3073"]
    >>> kinds = ["sale", "correction", "metadata", "sale", "withdrawn", "sale"]
    >>> selected("latest_revision", orders, [1, 2, 3, 1, 2, 1], kinds)
    {'O3071': 1, 'O3073': 5}
    >>> selected("first", orders, [1, 2, 3, 1, 2, 1], kinds)
    {'O3071': 0, 'O3072': 3, 'O3073': 5}
    """
    return _first(orders, kinds) if policy == FIRST else _latest(orders, revisions, kinds)


def _first(orders: Sequence[str], kinds: Kinds) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, order in enumerate(orders):
        if order not in found:
            found[order] = at
    return {order: at for order, at in sorted(found.items()) if kinds[at] in VALUED}


def _latest(orders: Sequence[str], revisions: Sequence[int], kinds: Kinds) -> dict[str, int]:
    found: dict[str, int] = {}
    withdrawn: list[str] = []
    for at, kind in enumerate(kinds):
        if kind in VALUED:
            order = orders[at]
            if order not in found or revisions[at] > revisions[found[order]]:
                found[order] = at
        elif kind == WITHDRAWN:
            withdrawn.append(orders[at])
    for order in withdrawn:
        found.pop(order, None)
    return {order: found[order] for order in sorted(found)}
