"""Check 5: mutations fail where they say, and harmless ones pass."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.runs import Run, perform
from skillhorizon.construction.proof import no_preference
from skillhorizon.session.mutated import MutatedClient

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.environment import Sabotage

NAME = "mutations"
found = partial(Finding, check=NAME)


def check(subject: Subject) -> Iterator[Finding]:
    """Run every mutation wherever it applies; those that apply to no sample, in the bands above where they do first."""
    placed: dict[str, set[bool]] = {mutation.name: set() for mutation in subject.environment.mutations}
    for specimen in subject.proven(subject.samples()):
        yield from _tried(specimen, placed, placed)
    for specimen in subject.proven(subject.above()):
        missing = [name for name, kinds in placed.items() if not kinds]
        if not missing:
            break
        yield from _tried(specimen, missing, placed)
    if subject.looked_at:
        yield from _missing(placed)


def _tried(specimen: Specimen, names: Iterable[str], placed: dict[str, set[bool]]) -> Iterator[Finding]:
    """Run some mutations on a specimen, and note which apply."""
    plan, wanted = specimen.built.plan, set(names)
    for mutation in specimen.built.components.environment.mutations:
        sabotage = mutation.place(plan) if mutation.name in wanted else None
        if sabotage is not None:
            placed[mutation.name].add(sabotage.passes)
            yield from _judged(specimen, mutation.name, sabotage)


def mutated(specimen: Specimen, sabotage: Sabotage) -> Run:
    """Run the reference under a mutation."""
    session = specimen.session()
    return perform(
        session,
        MutatedClient(session, sabotage),
        prefer=sabotage.prefer or no_preference,
        skip=sabotage.skip,
        edit=sabotage.edit,
        tolerate=True,
    )


def _judged(specimen: Specimen, name: str, sabotage: Sabotage) -> Iterator[Finding]:
    run = mutated(specimen, sabotage)
    unmet = {finding.id: ", ".join(finding.unmet) for finding in run.score.unmet}
    where = f"({specimen.spot})"
    if sabotage.passes:
        if unmet:
            yield found(message=f"the harmless mutation {name} fails {where}", evidence=_listed(unmet))
        return
    kept = sorted(sabotage.fails - unmet.keys())
    if kept:
        yield found(message=f"the mutation {name} does not fail what it says {where}", evidence=f"hold: {kept[:10]}")
    more = {each: conditions for each, conditions in unmet.items() if each not in sabotage.fails}
    if sabotage.only and more:
        yield found(message=f"the mutation {name} fails more than it says {where}", evidence=_listed(more))


def _listed(unmet: dict[str, str]) -> str:
    return "\n".join(f"unmet: {each} ({conditions})" for each, conditions in list(unmet.items())[:10])


def _missing(placed: dict[str, set[bool]]) -> Iterator[Finding]:
    for name, kinds in placed.items():
        if not kinds:
            yield found(message=f"the mutation {name} applies nowhere", evidence="it was placed in no specimen")
    for kind, told in ((False, "that must fail"), (True, "that must pass")):
        if not any(kind in kinds for kinds in placed.values()):
            yield found(message=f"there is no mutation {told}", evidence=f"mutations: {', '.join(placed) or 'none'}")
