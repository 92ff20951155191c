"""The graph of a task: five modules a brief, one a closing, one an update (specification, Modules)."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from skillhorizon import Concern, Edge, Graph, Module, Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon_socialops.composer.briefs import Portfolio
    from skillhorizon_socialops.plan import AnyUpdate
    from skillhorizon_socialops.rows import Brief

OF_BRIEF = ("content", "audience", "experiment", "report", "deploy")
_SKILLS = {
    "content": ("package-assembly",),
    "audience": ("audience-planning",),
    "experiment": ("experiment-registration", "load-audit", "due-publication"),
    "report": ("conversion-credit", "report-and-deployment"),
    "deploy": ("package-assembly", "load-audit", "due-publication", "report-and-deployment"),
}
_COMPLETION = {
    "content": "a package of right assets is built for either arm",
    "audience": "the arms are sized from current credits",
    "experiment": "the experiment is registered and both arms are published",
    "report": "conversions are credited and the winner is reported",
    "deploy": "the winner is deployed",
}
_JOIN, _REUSE, _SEQUENTIAL = Pattern.JOIN, Pattern.REUSE, Pattern.SEQUENTIAL
_CONTENT, _PROVENANCE, _QUANTITY, _VALIDITY = (
    Concern.CONTENT,
    Concern.PROVENANCE,
    Concern.QUANTITY,
    Concern.VALIDITY,
)


def close(wave: int) -> str:
    """Return the module that closes a wave."""
    return f"close:{wave}"


def graph(portfolio: Portfolio, updates: Sequence[AnyUpdate]) -> Graph:
    """Draw the graph of a task."""
    rows: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in portfolio.depends:
        rows[row.brief_id].append((row.role, row.upstream))
    waves = max(brief.wave for brief in portfolio.briefs)
    modules = [
        *(module for brief in portfolio.briefs for module in _of_brief(brief, rows[brief.brief_id])),
        *(_update(update) for update in updates),
        *(_closing(wave, portfolio, updates) for wave in range(1, waves + 1)),
    ]
    edges = [
        *(edge for brief in portfolio.briefs for edge in _within(brief)),
        *(edge for brief in portfolio.briefs for edge in _between(brief, rows[brief.brief_id])),
        *(
            _edge(f"update:{update.id}", close(update.wave + 1), update.id, (_JOIN,), (_VALIDITY,))
            for update in updates
        ),
    ]
    return Graph(tuple(modules), tuple(edges))


def _of_brief(brief: Brief, rows: Sequence[tuple[str, str]]) -> Iterator[Module]:
    name = brief.brief_id
    named = {role: [upstream for each, upstream in rows if each == role] for role, _ in rows}
    inputs = {
        "content": [f"rp:{upstream}" for upstream in named.get("control", ())],
        "audience": [f"cr:{upstream}" for upstream in named.get("suppress", ())],
        "experiment": [f"pk:{name}.a", f"pk:{name}.b", f"ap:{name}"],
        "report": [f"ex:{name}", *(f"rp:{upstream}" for upstream in named.get("benchmark", ()))],
        "deploy": [f"rp:{name}"],
    }
    outputs = {
        "content": [f"pk:{name}.a", f"pk:{name}.b"],
        "audience": [f"ap:{name}"],
        "experiment": [f"ex:{name}"],
        "report": [f"cr:{name}", f"rp:{name}"],
        "deploy": [f"dp:{name}"],
    }
    for kind in OF_BRIEF:
        yield Module(
            id=f"{kind}:{name}",
            kind=kind,
            skills=_SKILLS[kind],
            objects=(name,),
            inputs=tuple(inputs[kind]),
            outputs=tuple(outputs[kind]),
            completion=_COMPLETION[kind],
            unit=brief.wave,
        )


def _update(update: AnyUpdate) -> Module:
    return Module(
        id=f"update:{update.id}",
        kind="update",
        skills=("update-response",),
        objects=(update.id,),
        inputs=(),
        outputs=(update.id,),
        completion="the briefs that it affects are named, and a corrective post that nobody needs is released",
        unit=update.wave + 1,
    )


def _closing(wave: int, portfolio: Portfolio, updates: Sequence[AnyUpdate]) -> Module:
    return Module(
        id=close(wave),
        kind="close",
        skills=(),
        objects=(f"wave:{wave}",),
        inputs=(
            *(f"dp:{brief.brief_id}" for brief in portfolio.briefs if brief.wave == wave),
            *(update.id for update in updates if update.wave + 1 == wave),
        ),
        outputs=(f"wave:{wave}",),
        completion="the wave is closed",
        unit=wave,
    )


def _edge(
    upstream: str, downstream: str, output: str, patterns: tuple[Pattern, ...], conditions: tuple[Concern, ...]
) -> Edge:
    return Edge(upstream=upstream, downstream=downstream, outputs=(output,), patterns=patterns, conditions=conditions)


def _within(brief: Brief) -> Iterator[Edge]:
    """Yield the edges inside a brief, to its wave's closing, and from the closing before."""
    content, audience, experiment, report, deploy = (f"{kind}:{brief.brief_id}" for kind in OF_BRIEF)
    name = brief.brief_id
    yield _edge(content, experiment, f"pk:{name}.a", (_JOIN,), (_CONTENT, _VALIDITY))
    yield _edge(audience, experiment, f"ap:{name}", (_JOIN,), (_QUANTITY, _VALIDITY))
    yield _edge(experiment, report, f"ex:{name}", (_SEQUENTIAL,), (_CONTENT, _VALIDITY))
    yield _edge(report, deploy, f"rp:{name}", (_SEQUENTIAL,), (_CONTENT, _VALIDITY))
    yield _edge(deploy, close(brief.wave), f"dp:{name}", (_JOIN,), (_VALIDITY,))
    if brief.wave > 1:
        for module in (content, audience):
            yield _edge(close(brief.wave - 1), module, f"wave:{brief.wave - 1}", (_SEQUENTIAL,), (_VALIDITY,))


def _between(brief: Brief, rows: Sequence[tuple[str, str]]) -> Iterator[Edge]:
    """Yield the edges of a brief's rows; a brief that several name in the same way stands once."""
    name = brief.brief_id
    for role, upstream in rows:
        report = f"report:{upstream}"
        if role == "control":
            yield _edge(report, f"content:{name}", f"rp:{upstream}", (_REUSE,), (_CONTENT, _VALIDITY))
        elif role == "suppress":
            yield _edge(report, f"audience:{name}", f"cr:{upstream}", (_JOIN, _REUSE), (_QUANTITY, _VALIDITY))
        elif role == "benchmark":
            yield _edge(report, f"report:{name}", f"rp:{upstream}", (_REUSE,), (_CONTENT, _VALIDITY))
    for upstream in dict.fromkeys(upstream for _, upstream in rows):
        yield _edge(f"deploy:{upstream}", f"experiment:{name}", f"pb:{upstream}", (_REUSE,), (_PROVENANCE,))
