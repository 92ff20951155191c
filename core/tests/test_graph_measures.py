from __future__ import annotations

import pytest

from skillhorizon import Concern, Edge, Graph, Module, Pattern
from skillhorizon.errors import ProofFailed


def module(name: str, unit: int = 1) -> Module:
    return Module(id=name, kind="work", skills=("do",), objects=(), inputs=(), outputs=(), completion="", unit=unit)


def edge(upstream: str, downstream: str, *patterns: Pattern) -> Edge:
    return Edge(
        upstream=upstream,
        downstream=downstream,
        outputs=("o",),
        patterns=patterns or (Pattern.SEQUENTIAL,),
        conditions=(Concern.CONTENT,),
    )


def diamond() -> Graph:
    modules = (module("a"), module("b", 2), module("c", 2), module("d", 5))
    join = Pattern.JOIN
    edges = (edge("a", "b"), edge("a", "c"), edge("b", "d", join), edge("c", "d", join), edge("a", "d", Pattern.REUSE))
    return Graph(modules, edges)


def test_depth_joins_and_spans_are_measured() -> None:
    shape = diamond().shape()
    assert (shape.depth, shape.joins, shape.reuse_span_levels, shape.reuse_span_units) == (3, 1, 2, 4)


def test_one_join_edge_is_no_join() -> None:
    assert Graph((module("a"), module("b")), (edge("a", "b", Pattern.JOIN),)).shape().joins == 0


def test_reachable_follows_edges_downstream() -> None:
    assert diamond().reachable(["b"]) == {"b", "d"}


def test_a_circle_is_named() -> None:
    with pytest.raises(ProofFailed, match="circle"):
        Graph((module("a"), module("b")), (edge("a", "b"), edge("b", "a"))).shape()


def test_an_edge_to_nowhere_is_named() -> None:
    with pytest.raises(ProofFailed, match="a -> z"):
        Graph((module("a"),), (edge("a", "z"),)).shape()


def test_two_edges_of_one_pair_are_refused() -> None:
    with pytest.raises(ProofFailed, match="2 edges lead from a to b"):
        Graph((module("a"), module("b")), (edge("a", "b"), edge("a", "b", Pattern.REUSE))).shape()


def test_ids_are_unique() -> None:
    with pytest.raises(ProofFailed, match="share an id"):
        Graph((module("a"), module("a")), ()).shape()
