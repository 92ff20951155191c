"""Runs of a reference policy, honest or interfered with, and what is left of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.proof import no_preference
from skillhorizon.model.journal import Record
from skillhorizon.model.score import Score
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.trace import TracedStep, Tracer, traced

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon.environment import Prefer, Step
    from skillhorizon.model.goal import Finding
    from skillhorizon.session.session import Session
    from skillhorizon.world.world import World

_STANDING = "SELECT id, version, content_text FROM artifact WHERE ended IS NULL"


@attrs.frozen(kw_only=True)
class Run:
    """A run that has ended.

    Attributes:
        records, steps: its calls, and its steps in order.
        events: call -> names of the events that first happened to a subject in it.
        score: what it reached.
        unmet: id -> the finding of each goal or requirement that does not hold.
        standing: artifact id -> (version, canonical JSON of the content), of those that have not ended.
        digest: the world's digest before anything was scored.
    """

    records: tuple[Record, ...]
    steps: tuple[TracedStep, ...]
    events: Mapping[int, tuple[str, ...]]
    score: Score
    standing: Mapping[str, tuple[int, str]]
    digest: str

    @property
    def unmet(self) -> dict[str, Finding]:
        """What does not hold, by id."""
        return {finding.id: finding for finding in self.score.unmet}

    @property
    def fired(self) -> frozenset[str]:
        """The updates that fired."""
        return frozenset(update for record in self.records for update in record.fired)

    def records_of(self, module: str) -> list[Record]:
        """Return the calls made under a module's steps."""
        spans = [(step.first, step.last) for step in self.steps if step.module == module]
        return [record for record in self.records if any(low <= record.index <= high for low, high in spans)]


def perform(
    session: Session,
    client: SessionClient | None = None,
    *,
    prefer: Prefer = no_preference,
    skip: Callable[[Step], bool] | None = None,
    tolerate: bool = False,
    edit: Callable[[World], None] | None = None,
) -> Run:
    """Run the policy on a session that has made no call, score it and free its world.

    Raises:
        ProofFailed: when a call is refused and that is not tolerated.
    """
    tracer, spoken = Tracer(), client or SessionClient(session)
    tracer.watch(session, reports=False)
    session.recorder = tracer
    try:
        steps = session.environment.steps(spoken, session.plan.brief, prefer)
        drive(traced(steps, session, tracer.steps), skip=skip, tolerate=tolerate)
        if edit is not None:
            with session.world.transaction():
                edit(session.world)
        digest = session.world.digest()
        return Run(
            records=tuple(tracer.records),
            steps=tuple(tracer.steps),
            events=tracer.events,
            score=session.score(),
            standing={name: (version, text) for name, version, text in session.world.sql(_STANDING)},
            digest=digest,
        )
    finally:
        session.world.close()
