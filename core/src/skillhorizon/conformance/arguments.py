"""Check 8: no arguments, valid by the schema or not, cause an internal error."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.conformance.probing import checkpoints, knowledge, last_given, made_up, state_after
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.rng import Rng
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Subject

NAME = "arguments"
found = partial(Finding, check=NAME)
_STATES = 4


def check(subject: Subject) -> Iterator[Finding]:
    """Call every tool with made-up arguments at several states of the reference run."""
    blamed: set[tuple[str, str]] = set()
    for specimen in subject.proven(subject.few()):
        for finding, key in _of(specimen, subject.profile.tries):
            if key not in blamed:
                blamed.add(key)
                yield finding


def _of(specimen: Specimen, tries: int) -> Iterator[tuple[Finding, tuple[str, str]]]:
    session, records = specimen.session(), specimen.run.records
    known, rng = knowledge(session, records), Rng("arguments", str(specimen.spot))
    given = last_given(records)
    try:
        for call in checkpoints(records, _STATES):
            state_after(session, records, call)
            fork = session.fork(Nowhere())
            for name, arguments in made_up(session, given, known, rng, tries):
                observation = fork.call(name, arguments)
                if observation.outcome is Outcome.INTERNAL_ERROR:
                    error = observation.data["error"]["message"]
                    told = f"{name} fails inside ({specimen.spot}, after call {call})"
                    yield found(message=told, evidence=f"{short(arguments)}\n{short(error)}"), (name, error)
            fork.world.close()
    finally:
        session.world.close()
