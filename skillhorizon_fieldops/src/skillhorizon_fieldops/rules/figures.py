"""The figures of a commissioning (R8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_WHOLE = 10_000
HEADROOM_BP: Mapping[str, int] = {"gold": 1_500, "silver": 800, "bronze": 0}
"""The least headroom of a tier, in basis points of its load."""


@attrs.frozen
class Figures:
    """What a service can carry, what it must, and its headroom in basis points of the load."""

    capacity: int
    load: int
    headroom_bp: int


def capacity(members: Iterable[tuple[int, int]]) -> int:
    """Return the least derated rating of the members, given as (rated, derate_bp) (R8).

    >>> capacity([(1200, 0), (1100, 1200)])
    968
    """
    return min(rated * (_WHOLE - derate_bp) // _WHOLE for rated, derate_bp in members)


def figures(members: Iterable[tuple[int, int]], demand: int, dependents: Iterable[tuple[int, int]]) -> Figures:
    """Return a service's figures (R8).

    Args:
        members: (rated, derate_bp).
        demand: its own.
        dependents: (demand, share_bp) of the services that need it.

    >>> figures([(1200, 0), (1100, 1200)], 700, [(300, 2500), (250, 1500)])
    Figures(capacity=968, load=812, headroom_bp=1921)
    """
    carried = capacity(members)
    load = demand + sum(other * share_bp // _WHOLE for other, share_bp in dependents)
    return Figures(carried, load, (carried - load) * _WHOLE // load)
