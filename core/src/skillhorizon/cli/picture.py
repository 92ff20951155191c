"""A task's graph as SVG: columns are levels, colours kinds of modules, strokes patterns of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from skillhorizon.cli.layout import BOX, TELLING, WIDTH, Lane, Layout, Segment, Spot, lay_out
from skillhorizon.model.graph import Graph, Module, Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MARGIN, HEADER, LEGEND_ROW, LEGEND_ITEM = 20, 44, 20, 190
LABEL = 15
"""Most characters of a label; a tooltip holds the whole id."""
_COLOURS = (
    "#8ecae6",
    "#ffb703",
    "#95d5b2",
    "#e5989b",
    "#cdb4db",
    "#f4a261",
    "#a3b18a",
    "#90a8ed",
    "#e9c46a",
    "#76c8c8",
    "#d4a373",
    "#c9ada7",
)
_STROKES = {
    Pattern.REUSE: 'stroke="#d1495b" stroke-width="1.1" stroke-dasharray="5 3"',
    Pattern.JOIN: 'stroke="#33658a" stroke-width="1.3"',
    Pattern.SEQUENTIAL: 'stroke="#8a8a8a" stroke-width="1.1"',
}
_TOLD = {
    Pattern.SEQUENTIAL: "sequential: needs it first",
    Pattern.JOIN: "join: needs several",
    Pattern.REUSE: "reuse: needs it again later",
}


def draw(graph: Graph, title: str) -> str:
    """Return an SVG document of a task's graph; the same graph gives the same text.

    Args:
        graph: modules and edges.
        title: written above the picture.
    """
    layout = lay_out(graph)
    colours = _colours(graph, layout)
    width = 2 * MARGIN + max(layout.width, len(_TOLD) * LEGEND_ITEM)
    top = HEADER + LEGEND_ROW * (1 + -(-len(colours) // _per_line(width)))
    moved = {item: Spot(spot.x + MARGIN, spot.y + top) for item, spot in layout.spots.items()}
    body = [
        *_head(width, top + layout.height + MARGIN, title),
        *_legend(colours, width),
        *(_line(part, moved) for part in sorted(layout.segments, key=lambda part: -TELLING.index(part.pattern))),
        *(_box(module, moved[module.id], colours[module.kind]) for module in graph.modules),
        "</svg>",
    ]
    return "\n".join(body) + "\n"


def _colours(graph: Graph, layout: Layout) -> dict[str, str]:
    """Return a colour per kind, in the order in which kinds appear from left to right."""
    modules = sorted(graph.modules, key=lambda module: (layout.spots[module.id].x, layout.spots[module.id].y))
    kinds = dict.fromkeys(module.kind for module in modules)
    return {kind: _COLOURS[i % len(_COLOURS)] for i, kind in enumerate(kinds)}


def _head(width: int, height: int, title: str) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="Helvetica, Arial, sans-serif" font-size="10">'
    )
    yield f"<title>{escape(title)}</title>"
    yield f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    yield f'<text x="{MARGIN}" y="24" font-size="14" fill="#222222">{escape(title)}</text>'


def _per_line(width: int) -> int:
    return max(1, (width - 2 * MARGIN) // LEGEND_ITEM)


def _legend(colours: Mapping[str, str], width: int) -> Iterator[str]:
    """Yield the strokes of patterns in one line and the colours of kinds below."""
    for i, (pattern, told) in enumerate(_TOLD.items()):
        x = MARGIN + i * LEGEND_ITEM
        yield f'<line x1="{x}" y1="{HEADER}" x2="{x + 26}" y2="{HEADER}" {_STROKES[pattern]}/>'
        yield f'<text x="{x + 32}" y="{HEADER + 4}" fill="#222222">{told}</text>'
    for i, (kind, colour) in enumerate(colours.items()):
        x = MARGIN + i % _per_line(width) * LEGEND_ITEM
        y = HEADER + LEGEND_ROW * (1 + i // _per_line(width)) - 6
        yield f'<rect x="{x}" y="{y}" width="14" height="12" rx="3" fill="{colour}"/>'
        yield f'<text x="{x + 20}" y="{y + 10}" fill="#222222">{escape(kind)}</text>'


def _line(part: Segment, spots: Mapping[str | Lane, Spot]) -> str:
    start, end = spots[part.left], spots[part.right]
    bend = (start.right + end.x) // 2
    path = f"M{start.right} {start.y}C{bend} {start.y} {bend} {end.y} {end.x} {end.y}"
    on = f"H{end.right}" if isinstance(part.right, Lane) else ""
    return f'<path d="{path}{on}" fill="none" {_STROKES[part.pattern]}/>'


def _box(module: Module, spot: Spot, colour: str) -> str:
    label = module.id.rpartition(":")[2]
    short = label if len(label) <= LABEL else label[: LABEL - 1] + "…"
    skills = f", skills {', '.join(module.skills)}" if module.skills else ""
    return (
        f"<g><title>{escape(module.id)}: {escape(module.kind)}{escape(skills)}</title>"
        f'<rect x="{spot.x}" y="{spot.y - BOX // 2}" width="{WIDTH}" height="{BOX}" rx="4" fill="{colour}" '
        'stroke="#555555"/>'
        f'<text x="{spot.x + WIDTH // 2}" y="{spot.y + 3}" text-anchor="middle" fill="#222222">{escape(short)}</text>'
        "</g>"
    )
