"""How devices feed each other: a forest of closed feeds and its open ties, by index, parents first."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.config import CLASSES, LAYERED, RADIAL, RING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from skillhorizon import Rng

ROOT = -1
"""The parent of a device that nothing feeds."""
Pair = tuple[int, int]
Grown = tuple[list[int], list[Pair]]
"""Parents and open ties of one tree or group, by index within it."""
_TREE, _RING, _ACCESS = (24, 40), 10, (9, 15)
_DEVICES_PER_TIE, _AGGREGATORS = 6, 3


@attrs.frozen
class Network:
    """Parents by index (`ROOT` for none) and open ties, each as (from, to)."""

    parents: tuple[int, ...]
    ties: tuple[Pair, ...]

    @cached_property
    def upstream(self) -> tuple[tuple[int, ...], ...]:
        """Return Up(d) for each device: all its closed-feed ancestors, nearest first."""
        out: list[tuple[int, ...]] = []
        for parent in self.parents:
            out.append(() if parent == ROOT else (parent, *out[parent]))
        return tuple(out)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Return each device's class by its depth: head, mid, and edge from two feeds down."""
        return tuple(CLASSES[min(len(above), len(CLASSES) - 1)] for above in self.upstream)

    @cached_property
    def descendants(self) -> tuple[int, ...]:
        """Return how many devices each one feeds, directly or through others."""
        counts = [0] * len(self.parents)
        for index in range(len(self.parents) - 1, -1, -1):
            if self.parents[index] != ROOT:
                counts[self.parents[index]] += counts[index] + 1
        return tuple(counts)


def network(rng: Rng, profile: str, count: int) -> Network:
    """Grow trees or groups one after the other until `count` devices stand."""
    parents: list[int] = []
    ties: list[Pair] = []
    for grown, open_ties in _groups(rng, profile, count):
        start = len(parents)
        parents += [parent if parent == ROOT else start + parent for parent in grown]
        ties += [(start + one, start + other) for one, other in open_ties]
    return Network(tuple(parents), tuple(ties))


def _groups(rng: Rng, profile: str, count: int) -> Iterator[Grown]:
    size_of, grow = _GROWTH[profile]
    while count:
        size = size_of(rng, count)
        yield grow(rng, size)
        count -= size


def _tree_size(rng: Rng, left: int) -> int:
    """Draw 24 to 40, so that what is left makes a tree of its own where possible."""
    low, high = _TREE
    return left if left <= high else rng.integer(low, max(low, min(high, left - low)))


def _ring_size(_rng: Rng, left: int) -> int:
    return min(_RING, left)


def _layers_size(rng: Rng, left: int) -> int:
    fixed, (low, high) = 1 + _AGGREGATORS, _ACCESS
    return left if left <= fixed + high else fixed + rng.integer(low, high)


def _tree(rng: Rng, size: int) -> Grown:
    """Put each device under the lowest one with a free branch; every device has two or three."""
    parents, free, lowest = [ROOT], [rng.integer(2, 3)], 0
    for _ in range(1, size):
        if not free[lowest]:
            lowest += 1
        free[lowest] -= 1
        parents.append(lowest)
        free.append(rng.integer(2, 3))
    return parents, _ties(rng, parents)


def _ties(rng: Rng, parents: list[int]) -> list[Pair]:
    """Draw open ties between devices of a tree that no feed links yet."""
    linked = {(parent, child) for child, parent in enumerate(parents)}
    ties: list[Pair] = []
    while len(ties) < len(parents) // _DEVICES_PER_TIE:
        one, other = sorted(rng.sample(range(len(parents)), 2))
        if (one, other) not in linked:
            linked.add((one, other))
            ties.append((one, other))
    return ties


def _ring(_rng: Rng, size: int) -> Grown:
    """Two arms, each device under the last but one before it, tied where they meet."""
    parents = [index - 2 if index > 1 else ROOT for index in range(size)]
    return parents, [(size - 2, size - 1)] if size > 1 else []


def _layers(_rng: Rng, size: int) -> Grown:
    """A core, aggregators under it, access devices under these in turn, each with standby from the next."""
    aggregators = min(_AGGREGATORS, size - 1)
    access = range(size - 1 - aggregators)
    parents = [ROOT, *[0] * aggregators, *(1 + n % aggregators for n in access)]
    return parents, [(1 + (n + 1) % aggregators, 1 + aggregators + n) for n in access]


_GROWTH: Mapping[str, tuple[Callable[[Rng, int], int], Callable[[Rng, int], Grown]]] = {
    RADIAL: (_tree_size, _tree),
    RING: (_ring_size, _ring),
    LAYERED: (_layers_size, _layers),
}
