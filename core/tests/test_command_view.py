"""`shz view`: a task's graph in numbers and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from click.testing import CliRunner, Result

from skillhorizon import Concern, Edge, Graph, Module, Pattern
from skillhorizon.cli import shz
from skillhorizon.cli.layout import Lane, arranged, lay_out, segments
from skillhorizon.cli.picture import draw
from skillhorizon.construction.suites import load_task
from skillhorizon.model.canonical import loads

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"


def module(name: str, kind: str = "step") -> Module:
    return Module(id=name, kind=kind, skills=(), objects=(), inputs=(), outputs=(), completion="done", unit=1)


def edge(upstream: str, downstream: str, *patterns: Pattern) -> Edge:
    return Edge(
        upstream=upstream,
        downstream=downstream,
        outputs=(),
        patterns=patterns or (Pattern.SEQUENTIAL,),
        conditions=(Concern.VALIDITY,),
    )


def view(path: Path, *words: str) -> Result:
    return CliRunner().invoke(shz, ["view", str(path), *words])


def test_a_task_is_told_in_numbers(bakery_suite: Path) -> None:
    path = bakery_suite / "tasks" / "bakery-smoke-plain-rye-01.json"
    shape = load_task(path).blueprint.shape
    found = loads(view(path, "--json").stdout)
    assert (found["modules"], found["joins"], found["kinds"]) == (shape.modules, shape.joins, dict(shape.kinds))
    assert "kind of module  modules" in view(path).output


def test_the_picture_holds_every_module_and_edge(bakery_suite: Path, tmp_path: Path) -> None:
    path, picture = bakery_suite / "tasks" / "bakery-smoke-plain-rye-01.json", tmp_path / "graph.svg"
    assert view(path, "--svg", str(picture)).exit_code == 0
    root = ET.fromstring(picture.read_bytes())  # noqa: S314  # our own picture
    graph = load_task(path).blueprint.graph
    assert len(root.findall(f"{SVG}path")) == len(segments(graph))
    assert len(root.findall(f"{SVG}g")) == len(graph.modules)
    view(path, "--svg", str(tmp_path / "again.svg"))
    assert (tmp_path / "again.svg").read_bytes() == picture.read_bytes()


def test_columns_are_levels_and_neighbours_stand_at_one_height() -> None:
    modules = tuple(module(name) for name in ("a1", "a2", "b2", "b1", "c"))
    edges = (edge("a1", "b1"), edge("a2", "b2"), edge("b1", "c", Pattern.JOIN), edge("b2", "c", Pattern.JOIN))
    graph = Graph(modules, edges)
    columns = arranged(graph, segments(graph))
    assert columns in ([["a1", "a2"], ["b1", "b2"], ["c"]], [["a2", "a1"], ["b2", "b1"], ["c"]])


def test_edges_past_a_level_have_lanes_that_those_of_one_module_and_pattern_share() -> None:
    modules = tuple(module(name) for name in ("a", "b", "c", "d"))
    steps = (edge("a", "b"), edge("b", "c"), edge("c", "d"))
    edges = (*steps, edge("a", "c", Pattern.REUSE), edge("a", "d", Pattern.REUSE))
    layout = lay_out(Graph(modules, edges))
    lanes = [spot for spot in layout.spots if isinstance(spot, Lane)]
    assert lanes == [Lane("a", Pattern.REUSE, 2), Lane("a", Pattern.REUSE, 3)]
    assert len(layout.segments) == len(edges) + len(lanes)
    places = list(layout.spots.values())
    assert len(set(places)) == len(places)


def test_an_edge_is_drawn_as_its_most_telling_pattern_and_names_are_escaped() -> None:
    graph = Graph((module("a<b"), module("c&d", "join")), (edge("a<b", "c&d", Pattern.JOIN, Pattern.REUSE),))
    root = ET.fromstring(draw(graph, "A & B"))  # noqa: S314  # our own picture
    assert root.find(f"{SVG}title") is not None
    (path,) = root.findall(f"{SVG}path")
    assert path.get("stroke-dasharray")


def test_no_task_file_is_told(tmp_path: Path) -> None:
    done = view(tmp_path / "nothing.json")
    assert done.exit_code == 1
    assert "cannot read the task file" in done.stderr
