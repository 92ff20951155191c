"""Check 7: rejected calls leave the world as it was."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.conformance.probing import checkpoints, knowledge, last_given, made_up, state_after
from skillhorizon.model.canonical import dumps
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.rng import Rng
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon.conformance.probing import Call
    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.session.session import Session

NAME = "rejections"
found = partial(Finding, check=NAME)
_REFUSED = (Outcome.REJECTED, Outcome.MALFORMED)
_STATES = 6


def check(subject: Subject) -> Iterator[Finding]:
    """Make calls that are likely to be refused, at several states of the reference run."""
    blamed: set[str] = set()
    for specimen in subject.proven(subject.few()):
        for finding, tool in _of(specimen, subject.profile.tries):
            if tool not in blamed:
                blamed.add(tool)
                yield finding


def _of(specimen: Specimen, tries: int) -> Iterator[tuple[Finding, str]]:
    session, records = specimen.session(), specimen.run.records
    known, rng = knowledge(session, records), Rng("rejections", str(specimen.spot))
    given = last_given(records)
    try:
        for call in checkpoints(records, _STATES):
            state_after(session, records, call)
            yield from _tried(specimen, session, made_up(session, given, known, rng, tries))
    finally:
        session.world.close()


def _tried(specimen: Specimen, session: Session, calls: Iterable[Call]) -> Iterator[tuple[Finding, str]]:
    """Make calls beside a session; one that is accepted gets its world thrown away."""
    fork, before = session.fork(Nowhere()), session.world.digest()
    for name, arguments in calls:
        writes = fork.world.store.db.total_changes
        outcome = fork.call(name, arguments).outcome
        if outcome in _REFUSED:
            if fork.world.store.db.total_changes == writes or fork.world.digest() == before:
                continue
            told = f"a {outcome} call of {name} changed the world ({specimen.spot})"
            yield found(message=told, evidence=short(_text(arguments))), name
        fork.world.close()
        fork = session.fork(Nowhere())
    fork.world.close()


def _text(arguments: object) -> str:
    try:
        return dumps(arguments)
    except (TypeError, ValueError):
        return repr(arguments)
