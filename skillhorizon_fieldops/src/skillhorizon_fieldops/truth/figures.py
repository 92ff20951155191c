"""What a service can carry and has to (R8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MINIMUM_BP: Mapping[str, int] = {"gold": 1_500, "silver": 800, "bronze": 0}
"""The least headroom of each tier."""


@attrs.frozen
class Figures:
    """Capacity and load in units of demand, headroom in basis points of the load."""

    capacity: int
    load: int
    headroom_bp: int


def rating(rated: int, derate_bp: int) -> int:
    """Return what is left of a rating under an installed part.

    >>> rating(1_100, 1_200)
    968
    """
    return rated * (10_000 - derate_bp) // 10_000


def figures(ratings: Iterable[int], demand: int, dependents: Iterable[tuple[int, int]]) -> Figures:
    """Return a service's figures.

    Args:
        ratings: what each member carries.
        demand: its own.
        dependents: (demand, share_bp) of each service that needs it.

    >>> figures([1_200, 968], 700, [(300, 2_500), (250, 1_500)])
    Figures(capacity=968, load=812, headroom_bp=1921)
    """
    capacity = min(ratings)
    load = demand + sum(other * share // 10_000 for other, share in dependents)
    return Figures(capacity, load, (capacity - load) * 10_000 // load)
