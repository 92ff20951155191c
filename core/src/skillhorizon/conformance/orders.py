"""Check 6: other orders of work give another journal, still fire every update, and succeed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.runs import Run, perform
from skillhorizon.errors import ProofFailed
from skillhorizon.model.canonical import digest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from skillhorizon.conformance.subject import Specimen, Subject

NAME = "orders"
found = partial(Finding, check=NAME)
_FEW, _MANY = 2, 6


def check(subject: Subject) -> Iterator[Finding]:
    """Rank modules that are ready together by chance, more often as long as nothing changes."""
    for specimen in subject.proven(subject.samples()):
        plain = [(record.tool, record.arguments_text) for record in specimen.run.records]
        differing = 0
        for number in range(_MANY):
            if number >= _FEW and differing:
                break
            run = yield from _shuffled(specimen, number)
            differing += run is None or [(r.tool, r.arguments_text) for r in run.records] != plain
        if not differing:
            told = f"{_MANY} shuffled rankings give the same calls"
            yield found(message=f"the policy does not follow the preferred order ({specimen.spot})", evidence=told)


def _shuffled(specimen: Specimen, number: int) -> Generator[Finding, None, Run | None]:
    try:
        run = perform(specimen.session(), prefer=lambda module: int(digest([module, number])[:8], 16))
    except ProofFailed as error:
        yield found(message=f"the reference fails in another order ({specimen.spot})", evidence=str(error))
        return None
    yield from _judged(specimen, run)
    return run


def _judged(specimen: Specimen, run: Run) -> Iterator[Finding]:
    silent = sorted(specimen.run.fired - run.fired)
    if silent:
        told = f"updates do not fire in another order ({specimen.spot})"
        yield found(message=told, evidence=", ".join(silent))
    elif run.unmet:
        told = f"another order of work does not succeed ({specimen.spot})"
        yield found(message=told, evidence=", ".join(sorted(run.unmet)[:10]))
