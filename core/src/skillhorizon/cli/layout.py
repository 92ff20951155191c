"""Where a graph's modules stand in its picture: levels as columns, and lanes for edges that pass them by."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import attrs

from skillhorizon.model.graph import Edge, Graph, Pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COLUMN, WIDTH = 124, 84
"""Pixels from column to column, and of a box."""
ROW, BOX, LANE = 26, 18, 8
"""Pixels that a box takes with its gap, of the box alone, and of a lane."""
SWEEPS = 6
TELLING = (Pattern.REUSE, Pattern.JOIN, Pattern.SEQUENTIAL)
"""From the most telling pattern to the least: an edge is drawn as the first that it has."""


@attrs.frozen
class Lane:
    """The way of a module's edges of one pattern past a level."""

    upstream: str
    pattern: Pattern
    level: int


Item = str | Lane
"""What stands in a column: a module's id, or a lane."""


@attrs.frozen
class Segment:
    """A line from one column to the next."""

    left: Item
    right: Item
    pattern: Pattern


@attrs.frozen
class Spot:
    """Where an item stands: the left end and the middle of its height, in pixels."""

    x: int
    y: int

    @property
    def right(self) -> int:
        """The right end."""
        return self.x + WIDTH


@attrs.frozen
class Layout:
    """Segments, and the spots of modules and lanes; `width` and `height` in pixels, from 0."""

    segments: tuple[Segment, ...]
    spots: Mapping[Item, Spot]
    width: int
    height: int


def drawn_as(edge: Edge) -> Pattern:
    """Return the pattern that an edge is drawn as."""
    return next(pattern for pattern in TELLING if pattern in edge.patterns)


def lay_out(graph: Graph) -> Layout:
    """Place a graph; whole numbers only, so that the same graph stands everywhere alike."""
    parts = segments(graph)
    columns = arranged(graph, parts)
    height = max((sum(map(_height, column)) for column in columns), default=0)
    spots = {
        item: Spot(i * COLUMN, height // 2 + offset)
        for i, column in enumerate(columns)
        for item, offset in _offsets(column).items()
    }
    return Layout(parts, spots, max(0, len(columns) * COLUMN - (COLUMN - WIDTH)), height)


def segments(graph: Graph) -> tuple[Segment, ...]:
    """Return the lines that edges are drawn with; edges of one module and pattern share theirs."""
    level, found = graph.levels, dict[Segment, None]()
    for edge in graph.edges:
        pattern = drawn_as(edge)
        passed = range(level[edge.upstream] + 1, level[edge.downstream])
        way: list[Item] = [edge.upstream, *(Lane(edge.upstream, pattern, at) for at in passed), edge.downstream]
        found |= dict.fromkeys(Segment(left, right, pattern) for left, right in pairwise(way))
    return tuple(found)


def arranged(graph: Graph, parts: Sequence[Segment]) -> list[list[Item]]:
    """Return the items by level, in an order that keeps lines short.

    Columns are sorted by the mean height of their neighbours, forth and back in turn.
    """
    level = graph.levels
    columns: list[list[Item]] = [[] for _ in range(max(level.values(), default=0))]
    for module in graph.modules:
        columns[level[module.id] - 1].append(module.id)
    for lane in dict.fromkeys(part.right for part in parts if isinstance(part.right, Lane)):
        columns[lane.level - 1].append(lane)
    before = _neighbours((part.right, part.left) for part in parts)
    after = _neighbours((part.left, part.right) for part in parts)
    for sweep in range(SWEEPS):
        way, neighbours = (1, before) if sweep % 2 == 0 else (-1, after)
        columns = _swept(columns[::way], neighbours)[::way]
    return columns


def _neighbours(pairs: Iterable[tuple[Item, Item]]) -> dict[Item, list[Item]]:
    found: dict[Item, list[Item]] = {}
    for item, neighbour in pairs:
        found.setdefault(item, []).append(neighbour)
    return found


def _swept(columns: Sequence[Sequence[Item]], neighbours: Mapping[Item, Sequence[Item]]) -> list[list[Item]]:
    """Sort each column by where the neighbours in the column before stand."""
    place: dict[Item, int] = {}
    out = []
    for column in columns:
        own = _offsets(column)
        seen = {item: [place[other] for other in neighbours.get(item, ()) if other in place] for item in column}
        rank = {item: sum(found) * 1000 // len(found) if found else own[item] * 1000 for item, found in seen.items()}
        ordered = sorted(column, key=lambda item: (rank[item], own[item]))
        place |= _offsets(ordered)
        out.append(ordered)
    return out


def _offsets(column: Sequence[Item]) -> dict[Item, int]:
    """Return the middles of a column's items, in pixels below the column's own middle."""
    top = -sum(map(_height, column)) // 2
    out = {}
    for item in column:
        out[item] = top + _height(item) // 2
        top += _height(item)
    return out


def _height(item: Item) -> int:
    return LANE if isinstance(item, Lane) else ROW
