"""Check 12: a replay of the reference's journal is the same to the byte."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.errors import DigestMismatch
from skillhorizon.model.canonical import loads
from skillhorizon.model.journal import record_of
from skillhorizon.session.replay import replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Subject

NAME = "replays"
found = partial(Finding, check=NAME)


def check(subject: Subject) -> Iterator[Finding]:
    """Write each journal, read it back, and repeat its calls."""
    for specimen in subject.proven(subject.samples()):
        yield from _repeated(specimen)


def _repeated(specimen: Specimen) -> Iterator[Finding]:
    records = [record_of(loads(record.line())) for record in specimen.run.records]
    try:
        session = replay(specimen.built, records)
    except DigestMismatch as error:
        yield found(message=f"a replay differs from its journal ({specimen.spot})", evidence=str(error))
        return
    digest = session.world.digest()
    session.world.close()
    if digest != specimen.run.digest:
        told = f"world: {specimen.run.digest[:16]} then, {digest[:16]} now"
        yield found(message=f"a replay with equal records ends in another world ({specimen.spot})", evidence=told)
