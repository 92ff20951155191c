"""Check 3: nothing holds at the start, and agents that do nothing, only read, or stop one step short fail."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.runs import perform
from skillhorizon.evaluation.idle import queries
from skillhorizon.model.goal import Demand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.environment import Step
    from skillhorizon.model.score import Score

NAME = "start"
found = partial(Finding, check=NAME)


def check(subject: Subject) -> Iterator[Finding]:
    """Look at each specimen's start, and let the idle agents work."""
    for specimen in subject.proven(subject.samples()):
        yield from _at_start(specimen)
        yield from _after_reading(specimen)
        yield from _minus_one(specimen)


def _at_start(specimen: Specimen) -> Iterator[Finding]:
    session = specimen.session()
    try:
        score, plan = session.score(), specimen.built.plan
    finally:
        session.world.close()
    unmet = {finding.id for finding in score.unmet}
    goals = [goal.id for goal in plan.goals if goal.id not in unmet]
    if goals:
        yield found(message=f"goals hold at the start ({specimen.spot})", evidence=", ".join(goals[:10]))
    for requirement in plan.requirements:
        achieved = requirement.id not in unmet
        if achieved and requirement.demand is Demand.ACHIEVEMENT:
            told = f"the achievement {requirement.id} holds at the start ({specimen.spot})"
            yield found(message=told, evidence=requirement.text)
        if not achieved and requirement.demand is Demand.INVARIANT:
            broken = next(finding for finding in score.unmet if finding.id == requirement.id)
            told = f"the invariant {requirement.id} is broken at the start ({specimen.spot})"
            yield found(message=told, evidence=", ".join(broken.unmet))


def _after_reading(specimen: Specimen) -> Iterator[Finding]:
    session = specimen.session()
    try:
        before = session.score()
        for tool, arguments in queries(session.tools, specimen.run.records):
            session.call(tool, arguments)
        after = session.score()
    finally:
        session.world.close()
    if after.success or after.goals_met > before.goals_met:
        yield found(message=f"an agent that only reads meets goals ({specimen.spot})", evidence=_told(after))


def _minus_one(specimen: Specimen) -> Iterator[Finding]:
    last = len(specimen.run.steps)
    count = 0

    def skip(_step: Step) -> bool:
        nonlocal count
        count += 1
        return count == last

    run = perform(specimen.session(), skip=skip, tolerate=True)
    if run.score.success:
        step = specimen.run.steps[-1]
        told = f"an agent that leaves out the last step succeeds ({specimen.spot})"
        yield found(message=told, evidence=f"step {last}: {step.module} {step.update}".rstrip())


def _told(score: Score) -> str:
    return f"goals met: {score.goals_met} of {score.goals}; TS {int(score.success)}"
