"""Check 10: every task has an update that ends accepted work, decoys are marked, and ignoring updates fails."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import cause
from skillhorizon.conformance.runs import Run, perform
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Specimen, Spot, Subject

NAME = "updates"
found = partial(Finding, check=NAME)
_NONE = {"updates": "none"}


def check(subject: Subject) -> Iterator[Finding]:
    """Look at what updates end in the reference run, at a run that ignores them, and at tasks without any."""
    for specimen in subject.proven(subject.samples()):
        yield from _ends(specimen)
        if specimen.built.plan.updates:
            yield from _ignored(specimen)
    for specimen in subject.proven(subject.few()):
        yield from _none(subject, specimen.spot)


def _ends(specimen: Specimen) -> Iterator[Finding]:
    ended, spot = ended_by(specimen.run), specimen.spot
    for update in specimen.built.plan.updates:
        refs = ended.get(update.id, [])
        if update.decoy and refs:
            yield found(message=f"the decoy {update.id} ends accepted work ({spot})", evidence=", ".join(refs[:10]))
        if not update.decoy and not refs and update.id in specimen.run.fired:
            told = f"the update {update.id} ends nothing and is not marked as a decoy ({spot})"
            yield found(message=told, evidence=f"kind {update.kind}, {update.trigger}")
    if not ended:
        told = f"{len(specimen.built.plan.updates)} updates, none of which ends an artifact that a call made"
        yield found(message=f"no update of the task ends accepted work ({spot})", evidence=told)


def ended_by(run: Run) -> dict[str, list[str]]:
    """Return for each fired update the artifact versions, made by calls, whose end it caused."""
    made = {ref for record in run.records for ref in record.made}
    ended: dict[str, list[str]] = {}
    for record in run.records:
        for ref, _how, root in record.ended:
            if root in run.fired and ref in made:
                ended.setdefault(root, []).append(ref)
    return ended


def _ignored(specimen: Specimen) -> Iterator[Finding]:
    run = perform(specimen.session(), skip=lambda step: bool(step.update), tolerate=True)
    if run.score.success:
        told = f"an agent that ignores updates succeeds ({specimen.spot})"
        yield found(message=told, evidence=f"updates fired: {', '.join(sorted(run.fired))}")


def _none(subject: Subject, spot: Spot) -> Iterator[Finding]:
    """Build the same task without updates: it has none, and its reference succeeds."""
    try:
        built = subject.build(spot, _NONE)
        run = perform(built.session(Nowhere()))
    except Exception as error:  # whatever an environment raises is a finding
        yield found(message=f"a task with updates = none cannot be made ({spot})", evidence=cause(error))
        return
    if built.plan.updates or run.unmet:
        told = f"updates: {len(built.plan.updates)}; unmet: {', '.join(sorted(run.unmet)[:10]) or 'nothing'}"
        yield found(message=f"a task with updates = none has updates or does not succeed ({spot})", evidence=told)
    built.close()
