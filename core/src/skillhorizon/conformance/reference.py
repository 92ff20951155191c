"""Check 2: the reference reaches LGC = TS = 1 everywhere, without an unexpected rejection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.model.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon.conformance.subject import Specimen, Spot, Subject

NAME = "reference"
found = partial(Finding, check=NAME)
_EXPECTED = (Outcome.ACCEPTED, Outcome.FAILED)


def check(subject: Subject) -> Iterator[Finding]:
    """Look at families x variants x bands x seeds; what cannot be proven is told by `unproven`."""
    for specimen in subject.proven(subject.everywhere()):
        yield from _rejections(specimen)
        yield from _silent(specimen)


def _rejections(specimen: Specimen) -> Iterator[Finding]:
    for record in specimen.run.records:
        if record.outcome not in _EXPECTED:
            yield found(
                message=f"the reference's call {record.index} of {record.tool} is {record.outcome} ({specimen.spot})",
                evidence=short(record.observation),
            )
            return


def _silent(specimen: Specimen) -> Iterator[Finding]:
    silent = sorted({update.id for update in specimen.built.plan.updates} - specimen.run.fired)
    if silent:
        triggers = [f"{u.id}: {u.trigger}" for u in specimen.built.plan.updates if u.id in silent]
        yield found(message=f"updates do not fire in the reference run ({specimen.spot})", evidence="\n".join(triggers))


def unproven(causes: Iterable[tuple[Spot, tuple[str, str]]]) -> Iterator[Finding]:
    """Yield a finding for each spot at which no task could be composed, built, solved and judged."""
    for spot, (check, text) in causes:
        told = "the reference does not succeed" if check == NAME else "the checker tries to write"
        yield Finding(check=check, message=f"{told} ({spot})", evidence=text)
