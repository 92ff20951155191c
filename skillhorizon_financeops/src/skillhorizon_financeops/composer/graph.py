"""Modules and edges: packages, views, closures, restatements, the release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from skillhorizon import Concern, Edge, Graph, Module, Pattern
from skillhorizon_financeops.plan import AnyUpdate, PlannedView, Truth
from skillhorizon_financeops.rows import Source

RELEASE = "release"
Nature = tuple[tuple[Pattern, ...], tuple[Concern, ...]]
_JOINED: Nature = (Pattern.JOIN,), (Concern.VALIDITY,)
_NEXT: Nature = (Pattern.SEQUENTIAL,), (Concern.VALIDITY,)
_CARRIED: Nature = (Pattern.SEQUENTIAL,), (Concern.QUANTITY, Concern.VALIDITY)
_PAID: Nature = (Pattern.REUSE,), (Concern.QUANTITY,)
_SHOWN: Nature = (Pattern.REUSE,), (Concern.PROVENANCE,)
_USED: Nature = (Pattern.REUSE,), (Concern.VALIDITY,)
_SALES_SKILLS = ("select-contract", "resolve-identity", "normalize-source", "aggregate-source")


@attrs.frozen(kw_only=True)
class Parts:
    """What the graph is drawn from: sources, planned views by due stage, updates, truth, S."""

    sources: Sequence[Source]
    views: Sequence[PlannedView]
    updates: Sequence[AnyUpdate]
    truth: Truth
    stages: int

    def due(self) -> Mapping[str, list[PlannedView]]:
        """Return view subject -> its triples by due stage."""
        out: dict[str, list[PlannedView]] = {}
        for view in self.views:
            out.setdefault(view.subject, []).append(view)
        return out


def graph(parts: Parts) -> Graph:
    """Draw the graph of a task."""
    modules = (*_packages(parts), *_views(parts), *_closures(parts), *_restatements(parts), _release(parts))
    edges = (
        *_into_closures(parts),
        *_open_items(parts),
        *_of_views(parts),
        *_of_updates(parts),
        *(_edge(closure(stage), RELEASE, f"CLS:{stage}", _JOINED) for stage in _stages(parts)),
    )
    return Graph(modules, edges)


def package(source_id: str) -> str:
    """Return the id of a source's package module."""
    return f"package:{source_id}"


def closure(stage: int) -> str:
    """Return the id of a stage's closure module."""
    return f"closure:{stage}"


def view_module(subject: str) -> str:
    """Return the id of a view's module."""
    return f"view:{subject}"


def restatement(notice: str) -> str:
    """Return the id of a notice's restatement module."""
    return f"restatement:{notice}"


def _stages(parts: Parts) -> range:
    return range(1, parts.stages + 1)


def _edge(upstream: str, downstream: str, output: str, nature: Nature) -> Edge:
    patterns, concerns = nature
    return Edge(upstream=upstream, downstream=downstream, outputs=(output,), patterns=patterns, conditions=concerns)


def _packages(parts: Parts) -> Iterator[Module]:
    for source in parts.sources:
        name, cash = source.source_id, source.kind == "remittance"
        yield Module(
            id=package(name),
            kind="package",
            skills=(*_SALES_SKILLS, "match-remittance") if cash else _SALES_SKILLS,
            objects=(name,),
            inputs=(f"source:{name}", f"format:{source.format}", f"identity:{source.identity_source_id}"),
            outputs=(f"NRM:{name}", *((f"MAT:{name}",) if cash else ()), f"AGG:{name}"),
            completion="normalization, matching and aggregate are valid and true",
            unit=source.stage,
        )


def _views(parts: Parts) -> Iterator[Module]:
    for subject, triples in parts.due().items():
        first = triples[0]
        yield Module(
            id=view_module(subject),
            kind="view",
            skills=("record-historical-view",),
            objects=(first.source_id,),
            inputs=(f"AGG:{first.source_id}", f"CLS:{first.basis}"),
            outputs=(f"VW:{subject}",),
            completion="the latest version shows the totals under the basis stage's knowledge",
            unit=first.due,
        )


def _closures(parts: Parts) -> Iterator[Module]:
    names: dict[int, list[str]] = {stage: [] for stage in _stages(parts)}
    for source in parts.sources:
        names[source.stage].append(f"AGG:{source.source_id}")
    for stage in _stages(parts):
        yield Module(
            id=closure(stage),
            kind="closure",
            skills=("close-stage",),
            objects=(f"stage:{stage}",),
            inputs=(*names[stage], *((f"CLS:{stage - 1}",) if stage > 1 else ())),
            outputs=(f"CLS:{stage}",),
            completion="the closure is valid and its movement and closing are true",
            unit=stage,
        )


def _restatements(parts: Parts) -> Iterator[Module]:
    for update in parts.updates:
        affected = tuple(parts.truth.evidence[update.id])
        yield Module(
            id=restatement(update.id),
            kind="restatement",
            skills=("assess-change", "restate-package", "discharge-obligation"),
            objects=(update.id, *affected),
            inputs=(f"notice:{update.id}", *(f"AGG:{source}" for source in affected)),
            outputs=(update.obligation_id,),
            completion="the restatement is discharged with the changes of exactly the affected sources",
            unit=update.stage,
        )


def _release(parts: Parts) -> Module:
    return Module(
        id=RELEASE,
        kind="release",
        skills=("review-release", "publish-release"),
        objects=(RELEASE,),
        inputs=tuple(f"CLS:{stage}" for stage in _stages(parts)),
        outputs=(*(f"{kind}:{stage}" for stage in _stages(parts) for kind in ("RVW", "PUB")), "REL:release"),
        completion="every stage is reviewed without findings and published, and the release is valid",
        unit=parts.stages,
    )


def _into_closures(parts: Parts) -> Iterator[Edge]:
    for source in parts.sources:
        name = source.source_id
        yield _edge(package(name), closure(source.stage), f"AGG:{name}", _JOINED)
    for stage in range(1, parts.stages):
        yield _edge(closure(stage), closure(stage + 1), f"CLS:{stage}", _CARRIED)


def _open_items(parts: Parts) -> Iterator[Edge]:
    """From sales to each later remittance whose true lines, under any knowledge, settle one of their items."""
    for source in parts.sources:
        history = parts.truth.history[source.source_id] if source.kind == "remittance" else ()
        settled = {line[1][1:5] for _, truth in history for line in truth.lines or ()}
        for sales in [f"S{place[:2]}-{place[2:]}" for place in sorted(settled) if place[:2] != "00"]:
            yield _edge(package(sales), package(source.source_id), f"NRM:{sales}", _PAID)


def _of_views(parts: Parts) -> Iterator[Edge]:
    nature = _SHOWN
    for subject, triples in parts.due().items():
        source, basis = triples[0].source_id, triples[0].basis
        yield _edge(package(source), view_module(subject), f"AGG:{source}", nature)
        yield _edge(closure(basis), view_module(subject), f"CLS:{basis}", nature)
        for view in triples:
            if view.due > basis:
                yield _edge(view_module(subject), closure(view.due), f"VW:{subject}", nature)


def _of_updates(parts: Parts) -> Iterator[Edge]:
    comparative = {view.subject for view in parts.views if not view.notice}
    for update in parts.updates:
        module, after_release = restatement(update.id), update.trigger.event == "released"
        for source in parts.truth.evidence[update.id]:
            yield _edge(package(source), module, f"AGG:{source}", _USED)
        if after_release:
            yield _edge(RELEASE, module, "REL:release", _NEXT)
        else:
            yield _edge(closure(update.stage), module, f"CLS:{update.stage}", _USED)
        views = [view.subject for view in update.views if view.subject not in comparative]
        for subject in views:
            yield _edge(module, view_module(subject), update.obligation_id, _NEXT)
        if not after_release:
            yield from _onward(parts, update, views)


def _onward(parts: Parts, update: AnyUpdate, views: Iterable[str]) -> Iterator[Edge]:
    """From a restatement, and at the last stage from its views, to what waits for them."""
    last = update.stage == parts.stages
    target = RELEASE if last or update.decoy else closure(update.stage + 1)
    nature = _NEXT
    yield _edge(restatement(update.id), target, update.obligation_id, nature)
    if last:
        yield from (_edge(view_module(subject), RELEASE, f"VW:{subject}", nature) for subject in views)
