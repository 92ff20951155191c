"""Modules, edges and the graph of a task, with its measured shape (protocol, section 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property

import attrs

from skillhorizon.errors import ProofFailed


class Pattern(StrEnum):
    """How an edge extends the work: a prerequisite, one of several joined inputs, or reuse of an earlier result."""

    SEQUENTIAL = "sequential"
    JOIN = "join"
    REUSE = "reuse"


class Concern(StrEnum):
    """What an edge requires of the output it carries."""

    CONTENT = "content"
    PROVENANCE = "provenance"
    QUANTITY = "quantity"
    VALIDITY = "validity"


@attrs.frozen(kw_only=True, slots=False)  # made in half the time, and a task has thousands
class Module:
    """One piece of required business work: skills applied to objects, with its inputs, outputs and completion.

    `unit` is the environment's own measure of time (a stage, wave, round) that the module belongs to.
    """

    id: str
    kind: str
    skills: tuple[str, ...]
    objects: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    completion: str
    unit: int


@attrs.frozen(kw_only=True, slots=False)  # made in half the time, and a task has thousands
class Edge:
    """A dependency: the downstream module requires the upstream's outputs under the given conditions."""

    upstream: str
    downstream: str
    outputs: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    conditions: tuple[Concern, ...]
    necessary: bool = True


@attrs.frozen(kw_only=True)
class Shape:
    """Measures of a graph: depth in modules, joins, and reuse spans in module levels and environment units."""

    modules: int
    edges: int
    depth: int
    joins: int
    reuse_edges: int
    reuse_span_levels: int
    reuse_span_units: int
    kinds: Mapping[str, int]


@attrs.frozen
class Graph:
    """An acyclic graph of modules; one edge per pair of modules."""

    modules: tuple[Module, ...]
    edges: tuple[Edge, ...]

    @cached_property
    def by_id(self) -> dict[str, Module]:
        """Return the modules by their id."""
        return {module.id: module for module in self.modules}

    @cached_property
    def levels(self) -> dict[str, int]:
        """Return each module's level: the number of modules on the longest path that ends in it.

        Raises:
            ProofFailed: when an edge names an unknown module, a pair has two edges, or the edges form a cycle.
        """
        order = self._order()
        level = dict.fromkeys(order, 1)
        below = self.downstream
        for module in order:
            for successor in below.get(module, ()):
                level[successor] = max(level[successor], level[module] + 1)
        return level

    @cached_property
    def downstream(self) -> dict[str, tuple[str, ...]]:
        """Return for each module the modules its edges lead to."""
        out: dict[str, list[str]] = {}
        for edge in self.edges:
            out.setdefault(edge.upstream, []).append(edge.downstream)
        return {module: tuple(successors) for module, successors in out.items()}

    def _order(self) -> list[str]:
        import networkx as nx  # noqa: PLC0415  # 100 ms; only construction needs it

        self._check_edges()
        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(module.id for module in self.modules)
        graph.add_edges_from((edge.upstream, edge.downstream) for edge in self.edges)
        try:
            return list(nx.topological_sort(graph))
        except nx.NetworkXUnfeasible:
            cycle = " -> ".join(upstream for upstream, _ in nx.find_cycle(graph))
            raise ProofFailed(f"the modules {cycle} depend on each other in a circle; drop one of the edges") from None

    def _check_edges(self) -> None:
        known = self.by_id.keys()
        if len(known) != len(self.modules):
            raise ProofFailed("two modules of the graph share an id; module ids must be unique")
        for edge in self.edges:
            if edge.upstream not in known or edge.downstream not in known:
                raise ProofFailed(f"the edge {edge.upstream} -> {edge.downstream} names a module that the graph lacks")
        pair, count = (
            Counter((edge.upstream, edge.downstream) for edge in self.edges).most_common(1)[0]
            if self.edges
            else (("", ""), 0)
        )
        if count > 1:
            raise ProofFailed(f"{count} edges lead from {pair[0]} to {pair[1]}; join them into one with all patterns")

    def reachable(self, starts: Iterable[str]) -> set[str]:
        """Return the modules that paths from `starts` reach, the starts included."""
        seen = set(starts)
        stack = sorted(seen)
        while stack:
            for successor in self.downstream.get(stack.pop(), ()):
                if successor not in seen:
                    seen.add(successor)
                    stack.append(successor)
        return seen

    def shape(self) -> Shape:
        """Measure depth, joins and reuse spans (protocol, section 1)."""
        level, by_id = self.levels, self.by_id
        reuse = [edge for edge in self.edges if Pattern.REUSE in edge.patterns]
        joins = Counter(edge.downstream for edge in self.edges if Pattern.JOIN in edge.patterns)
        return Shape(
            modules=len(self.modules),
            edges=len(self.edges),
            depth=max(level.values(), default=0),
            joins=sum(1 for count in joins.values() if count > 1),
            reuse_edges=len(reuse),
            reuse_span_levels=max((level[e.downstream] - level[e.upstream] for e in reuse), default=0),
            reuse_span_units=max((by_id[e.downstream].unit - by_id[e.upstream].unit for e in reuse), default=0),
            kinds=dict(sorted(Counter(module.kind for module in self.modules).items())),
        )
