"""How many units a reservation takes out of its batch (R3)."""

from __future__ import annotations


def withdrawn(qty: int, pack: int) -> int:
    """Return the units of the whole packs that hold `qty` units (R3).

    >>> withdrawn(3, 2)
    4
    """
    return -(-qty // pack) * pack
