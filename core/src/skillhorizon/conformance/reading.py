"""Check 16: the checker never writes."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import cause
from skillhorizon.conformance.probing import checkpoints, state_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.session.session import Session

NAME = "reading"
found = partial(Finding, check=NAME)
_STATES = 5


def check(subject: Subject) -> Iterator[Finding]:
    """Let the checker judge several states of the reference run in a store that refuses writes."""
    for specimen in subject.proven(subject.samples()):
        yield from _judged(specimen)


def _judged(specimen: Specimen) -> Iterator[Finding]:
    session, records = specimen.session(), specimen.run.records
    try:
        for call in checkpoints(records, _STATES):
            state_after(session, records, call)
            fault = _written(session)
            if fault:
                yield found(message=f"the checker writes after call {call} ({specimen.spot})", evidence=fault)
                return
    finally:
        session.world.close()


def _written(session: Session) -> str:
    """Judge the state, which a session does in a store that refuses writes; return what was refused, or ''."""
    before = session.world.digest()
    try:
        session.report()
    except sqlite3.OperationalError as error:
        return cause(error)
    return "" if session.world.digest() == before else "the digest differs before and after"
