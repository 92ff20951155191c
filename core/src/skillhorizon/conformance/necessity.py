"""Check 4: every module is necessary and every edge is real."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.conformance.runs import Run, perform
from skillhorizon.errors import ProofFailed
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.canonical import loads
from skillhorizon.model.goal import Demand
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.rng import Rng
from skillhorizon.model.update import After

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon.conformance.subject import Specimen, Spot, Subject
    from skillhorizon.construction.reach import Course, Reach
    from skillhorizon.environment import Step
    from skillhorizon.model.graph import Edge
    from skillhorizon.model.journal import Record
    from skillhorizon.model.plan import Plan

NAME = "necessity"
found = partial(Finding, check=NAME)
_SAMPLE = 4
_FAST_SAMPLE = 10
_SHORTEST = 4
_STANDS = (Outcome.ACCEPTED, Outcome.FAILED)
Footprint = frozenset[tuple[str, ...]]


def check(subject: Subject) -> Iterator[Finding]:
    """Skip modules one by one: all of them in the smallest bands, a sample above."""
    small = {spot.band for spot in subject.samples() if spot.seed == subject.profile.seeds}
    for specimen in subject.proven(subject.samples()):
        faults = list(_structure(specimen))
        yield from faults
        if not faults:
            yield from _skipped(specimen, _modules(subject, specimen, whole=specimen.spot.band in small))
            yield from _optional(specimen)


def _modules(subject: Subject, specimen: Specimen, *, whole: bool) -> list[str]:
    names = [module.id for module in specimen.built.plan.graph.modules]
    count = len(names) if whole and subject.profile.full else _SAMPLE if subject.profile.full else _FAST_SAMPLE
    return Rng("necessity", str(specimen.spot)).sample(names, min(count, len(names)))


def _structure(specimen: Specimen) -> Iterator[Finding]:
    """Find a graph that is none, goals of unknown modules, and modules without a step."""
    plan, spot = specimen.built.plan, specimen.spot
    try:
        levels = plan.graph.levels
    except ProofFailed as error:
        yield found(message=f"the graph is broken ({spot})", evidence=str(error))
        return
    for goal in plan.goals:
        unknown = sorted(set(goal.modules) - levels.keys())
        if unknown or not goal.modules:
            told = f"modules: {', '.join(unknown) or 'none'}"
            yield found(message=f"the goal {goal.id} names no modules of the graph ({spot})", evidence=told)
    stepped = {step.module for step in specimen.run.steps}
    for kind, names in (
        ("module has no step", levels.keys() - stepped),
        ("step has no module", stepped - levels.keys()),
    ):
        if names:
            yield found(message=f"a {kind} in the reference run ({spot})", evidence=", ".join(sorted(names)[:10]))


def _skipped(specimen: Specimen, modules: list[str]) -> Iterator[Finding]:
    plan, prints = specimen.built.plan, footprints(specimen, specimen.run)
    below: dict[str, list[Edge]] = {}
    for edge in plan.graph.edges:
        below.setdefault(edge.upstream, []).append(edge)
    for module in modules:
        run = perform(specimen.session(), skip=partial(_belongs, module), tolerate=True)
        yield from _losses(specimen, module, run)
        now = footprints(specimen, run)
        for edge in below.get(module, ()):
            if edge.necessary and now.get(edge.downstream) == prints.get(edge.downstream):
                told = f"{edge.downstream} submits and leaves the same when {module} is skipped"
                yield found(message=_unreal(edge, specimen.spot), evidence=told)


def _belongs(module: str, step: Step) -> bool:
    return step.module == module


def _unreal(edge: Edge, spot: Spot) -> str:
    return f"the edge {edge.upstream} -> {edge.downstream} is not real ({spot})"


def _losses(specimen: Specimen, module: str, run: Run) -> Iterator[Finding]:
    """Hold what a skipped module lost against what it must lose, and may."""
    plan, spot = specimen.built.plan, specimen.spot
    own = [goal.id for goal in plan.goals if module in goal.modules]
    kept = [goal for goal in own if goal not in run.unmet]
    if kept:
        told = f"goals that hold without it: {', '.join(kept[:10])}"
        yield found(message=f"the module {module} is not necessary for its goals ({spot})", evidence=told)
    if not own and not _loses_achievement(plan, run):
        told = "it serves no goal, and every achievement holds without it"
        yield found(message=f"the module {module} is not necessary ({spot})", evidence=told)
    modules, goals = affected(specimen.course, module)
    wronged = [g.id for g in plan.goals if g.id in run.unmet and g.id not in goals and not modules & {*g.modules}]
    if wronged:
        told = f"skipping {module} loses goals that the graph does not connect with it ({spot})"
        yield found(message=told, evidence=f"goals: {', '.join(wronged[:10])}")


def _loses_achievement(plan: Plan, run: Run) -> bool:
    return any(r.id in run.unmet for r in plan.requirements if r.demand is Demand.ACHIEVEMENT)


def affected(course: Course, module: str) -> tuple[set[str], set[str]]:
    """Return the modules and goals that a module reaches.

    By edges; by updates whose trigger its calls count; and, where an update steps it, what that update steps later.
    """
    graph, goals = course.plan.graph, set[str]()
    modules = graph.reachable({module})
    triggers = {update.id: update.trigger for update in course.plan.updates}
    while True:
        size = len(modules) + len(goals)
        for reach in course.reaches:
            start = 0 if _counts(course, triggers[reach.update], modules) else _first_under(course, reach, modules)
            modules |= graph.reachable(m for m, end in reach.modules.items() if end > start)
            goals |= {goal for goal, end in reach.goals.items() if end >= start}
        if len(modules) + len(goals) == size:
            return modules, goals


def _first_under(course: Course, reach: Reach, modules: set[str]) -> int:
    """Return the first step of some modules under an update, or one beyond all steps."""
    steps = enumerate(course.steps)
    own = (number for number, step in steps if step.update == reach.update and step.module in modules)
    return next(own, len(course.steps) + 1)


def _counts(course: Course, trigger: object, modules: set[str]) -> bool:
    """Whether a trigger counts calls of some modules; the clock is moved by all."""
    return not isinstance(trigger, After) or bool(modules & course.modules_of([trigger.event]))


def footprints(specimen: Specimen, run: Run) -> Mapping[str, Footprint]:
    """Return for each module the operations of its that were accepted, and what it made that stands at the end."""
    tools = specimen.built.components.toolbox.tools
    prints: dict[str, set[tuple[str, ...]]] = {}
    for record, module in _by_module(run):
        if tools[record.tool].kind is not Kind.OPERATION or record.outcome not in _STANDS:
            continue
        mine = prints.setdefault(module, set())
        mine.add((record.tool, record.arguments_text))
        for ref in record.made:
            name, _, version = ref.rpartition("@")
            standing = run.standing.get(name)
            if standing is not None and str(standing[0]) == version:
                mine.add((name, standing[1]))
    return {module: frozenset(found) for module, found in prints.items()}


def _by_module(run: Run) -> Iterator[tuple[Record, str]]:
    number = 0
    for record in run.records:
        while number < len(run.steps) and run.steps[number].last < record.index:
            number += 1
        if number < len(run.steps) and run.steps[number].first <= record.index:
            yield record, run.steps[number].module


def _optional(specimen: Specimen) -> Iterator[Finding]:
    """Find edges declared not necessary whose upstream content stands in no downstream input."""
    for edge in specimen.built.plan.graph.edges:
        if not edge.necessary and not _carried(specimen.run, edge):
            told = f"nothing that {edge.upstream} made stands in a call or an observation of {edge.downstream}"
            yield found(message=_unreal(edge, specimen.spot), evidence=short(told))


def _carried(run: Run, edge: Edge) -> bool:
    made = {ref for record in run.records_of(edge.upstream) for ref in record.made}
    words = {w for record in run.records_of(edge.upstream) for w in _words(loads(record.arguments_text)) if record.made}
    inputs = [f"{record.arguments_text}{record.observation}" for record in run.records_of(edge.downstream)]
    return any(word in text for word in made | words for text in inputs)


def _words(value: object) -> Iterator[str]:
    """Yield the longer texts and numbers in a JSON value."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
    elif len(str(value)) >= _SHORTEST:
        yield str(value)
