"""The reference's course through a task, and what each fired update reaches (architecture, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.proof import no_preference
from skillhorizon.model.canonical import loads
from skillhorizon.model.journal import Record
from skillhorizon.model.plan import Plan
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.session import Nowhere
from skillhorizon.session.trace import TracedStep, Tracer, traced, unmet_goals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon.environment import Prefer
    from skillhorizon.session.session import Session


@attrs.frozen(kw_only=True)
class Reach:
    """What a fired update undoes.

    Steps are counted from 0; `call` and `step` fired it. `modules` maps each module stepped under it to its last step
    under it; `goals` maps each goal that was unmet right after the firing call though its modules were done to the
    first step after which the reference run meets it again (the number of steps when it never does).
    """

    update: str
    call: int
    step: int
    modules: Mapping[str, int]
    goals: Mapping[str, int]


@attrs.frozen(eq=False)
class Course:
    """The reference run of a task: its steps, records and events, and what its updates reach."""

    plan: Plan
    steps: tuple[TracedStep, ...]
    records: tuple[Record, ...]
    events: Mapping[int, tuple[str, ...]]
    reaches: tuple[Reach, ...] = ()

    @cached_property
    def plain_end(self) -> dict[str, int]:
        """Return for each module its last step that no update asked for."""
        return {step.module: number for number, step in enumerate(self.steps) if not step.update}

    @cached_property
    def under_updates(self) -> dict[str, int]:
        """Return for each module all of whose steps carry an update the last of them."""
        ends = {step.module: number for number, step in enumerate(self.steps)}
        return {module: number for module, number in ends.items() if module not in self.plain_end}

    def done(self, count: int) -> frozenset[str]:
        """Return the modules that are done once the first `count` steps have been taken.

        A module is done after its last plain step, one whose steps all carry an update after the last of them; a fired
        update undoes each module it reaches until that module's last step under it (protocol, section 3).
        """
        ended = {m for m, end in (self.plain_end | self.under_updates).items() if end < count}
        return frozenset(ended - {m for reach in self.reaches for m in _open(reach.step, reach.modules, count)})

    def met(self, count: int) -> frozenset[str]:
        """Return the goals all of whose modules are done after `count` steps and that no fired update has undone."""
        done = self.done(count)
        undone = {g for reach in self.reaches for g in _open(reach.step, reach.goals, count)}
        return frozenset(g.id for g in self.plan.goals if g.id not in undone and done.issuperset(g.modules))

    def modules_of(self, events: Iterable[str]) -> set[str]:
        """Return the modules under whose steps one of these events happened."""
        wanted = set(events)
        return {self.steps[self.step_at(call)].module for call, names in self.events.items() if wanted & {*names}}

    def step_at(self, call: int) -> int:
        """Return the number of the step that made a call, or the one before it when it stood between steps."""
        return max((number for number, step in enumerate(self.steps) if step.first <= call), default=0)


def _open(start: int, ends: Mapping[str, int], count: int) -> Iterator[str]:
    """Yield what a firing in step `start` has undone and no step up to `count` has restored."""
    return (name for name, end in ends.items() if start < count <= end)


def course_of(session: Session, prefer: Prefer = no_preference) -> Course:
    """Run the pinned policy beside a session that has made no call, and derive what its updates reach.

    Raises:
        ProofFailed: when a call is refused.
    """
    tracer = Tracer()
    run = session.fork(tracer)
    tracer.watch(run)
    try:
        steps = session.environment.steps(SessionClient(run), session.plan.brief, prefer)
        drive(traced(steps, run, tracer.steps))
    finally:
        run.world.close()
    course = Course(session.plan, tuple(tracer.steps), tuple(tracer.records), tracer.events)
    return attrs.evolve(course, reaches=_reaches(session, course, tracer.unmet))


def _reaches(session: Session, course: Course, unmet: Mapping[int, frozenset[str]]) -> tuple[Reach, ...]:
    """Derive the reaches in the order of firing; an earlier one says what was undone already when a later fired."""
    for record in course.records:
        for update in record.fired:
            step = course.step_at(record.index)
            modules = {s.module: number for number, s in enumerate(course.steps) if s.update == update}
            lost = course.met(step + 1) & unmet[record.index]
            reach = Reach(update=update, call=record.index, step=step, modules=modules, goals=dict.fromkeys(lost, -1))
            course = attrs.evolve(course, reaches=(*course.reaches, reach))
    return _restored(session, course)


def _restored(session: Session, course: Course) -> tuple[Reach, ...]:
    """Repeat the course's calls and note after which step each lost goal is met again.

    A goal some of whose modules are not done is not looked at: it is not met whatever has undone it.
    """
    modules = {goal.id: goal.modules for goal in course.plan.goals}
    waiting = {(number, goal) for number, reach in enumerate(course.reaches) for goal in reach.goals}
    ends = {key: len(course.steps) for key in waiting}
    again = session.fork(Nowhere())
    try:
        for step in _repeated(again, course) if waiting else ():
            done = course.done(step + 1)
            ready = {k for k in waiting if course.reaches[k[0]].step <= step and done.issuperset(modules[k[1]])}
            unmet = unmet_goals(again) if ready else frozenset()
            met = {key for key in ready if key[1] not in unmet}
            ends.update(dict.fromkeys(met, step))
            waiting -= met
            if not waiting:
                break
    finally:
        again.world.close()
    return tuple(
        attrs.evolve(reach, goals={goal: ends[number, goal] for goal in sorted(reach.goals)})
        for number, reach in enumerate(course.reaches)
    )


def _repeated(session: Session, course: Course) -> Iterator[int]:
    """Repeat the course's calls and yield the number of each step after its last call."""
    lasts = {step.last: number for number, step in enumerate(course.steps)}
    for record in course.records:
        session.call(record.tool, loads(record.arguments_text))
        if record.index in lasts:
            yield lasts[record.index]
