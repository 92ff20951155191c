"""Which preconditions and conditions can be deleted without any trap noticing."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.deletion.altered import altered, files_of
from skillhorizon.conformance.deletion.traps import Trap, errors, exhaustions, gaps, probes
from skillhorizon.conformance.deletion.ways import Source, Watch
from skillhorizon.conformance.mutations import mutated
from skillhorizon.conformance.profiles import FAST
from skillhorizon.conformance.subject import Spot, Subject
from skillhorizon.construction.components import Components
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.rng import Rng
from skillhorizon.session.session import Nowhere, Toolbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from skillhorizon.conformance.deletion.sites import Site
    from skillhorizon.conformance.subject import Specimen
    from skillhorizon.construction.workshop import Built
    from skillhorizon.environment import Mutation

Unmet = frozenset[tuple[str, str]]
"""What does not hold after a run, as (goal or requirement, condition); the tools that failed inside, the last code."""
_TOLD = "the last call's code"
_ERRORS = 2
_MOST_TRIED = 12


@attrs.frozen
class Laid:
    """A trap where it was laid: what it leaves unmet as things are, and the sites that refused something in it."""

    spot: Spot
    trap: Trap
    unmet: Unmet
    sites: frozenset[str]


class Misjudged(Exception):
    """A trap names another code than the one that its last call is refused by, or a refusal no source shows."""


class Trapper:
    """Lays traps on an environment whose sites ask whether they may refuse.

    Args:
        origin: `module:attribute` of the bundle.
        package: the top package that refuses.
        spots: where to lay them; none is the smallest tasks of each family.
        own: further traps of the environment's own, (built task, reference calls) -> traps.
        larger: where only the environment's own traps are laid.
    """

    def __init__(
        self,
        origin: str,
        package: str,
        *,
        spots: Sequence[Spot] = (),
        own: Callable[[Built, Sequence[Any]], Iterable[Trap]] | None = None,
        larger: Sequence[Spot] = (),
    ) -> None:
        files = files_of(package)
        self.own, self.larger, self._watch = own, larger, Watch(files)
        with altered(origin, package, self._watch) as environment:
            self.environment = environment
        self.subject = Subject(origin, Components(environment, Toolbox.of(environment), ()), FAST)
        self.spots = list(spots) or self.subject.few()
        self.sites = Source(files).sites(environment.tools)
        self._names = frozenset(site.name for site in self.sites)
        self._laid: dict[int | None, list[Laid]] = {}

    def specimens(self) -> Iterator[Specimen]:
        """Yield the tasks that traps are laid on."""
        return self.subject.proven(self.spots)

    def laid(self) -> Iterator[Laid]:
        """Yield every trap, laid: the environment's own first.

        Raises:
            Misjudged: when a trap names another code than the one by which its last call is refused, or when an
                operation is refused where its source shows no way to.
        """
        yield from self.named()
        for specimen in self.specimens():
            built, records = specimen.built, specimen.run.records
            for trap, site in self._probes(specimen):
                yield self._known(Laid(specimen.spot, trap, frozenset(), frozenset({site})))
            rng = Rng("runs", str(specimen.spot))
            for trap in (*gaps(records), *errors(built, records, rng, _ERRORS), *exhaustions(built, records, rng)):
                yield self._sprung(specimen, trap)

    def named(self) -> Iterator[Laid]:
        """Yield the environment's own traps, laid; see `laid`."""
        if self.own is not None:
            for specimen in self.subject.proven((*self.spots, *self.larger)):
                for trap in self.own(specimen.built, specimen.run.records):
                    yield self._sprung(specimen, trap)

    def _probes(self, specimen: Specimen) -> Iterator[tuple[Trap, str]]:
        counts: dict[str, int] = defaultdict(int)
        rng = Rng("traps", str(specimen.spot))
        for trap, site in probes(specimen.built, specimen.run.records, rng, self._watch.refuser):
            counts[site] += 1
            if counts[site] <= _MOST_TRIED:
                yield trap, site

    def _sprung(self, specimen: Specimen, trap: Trap) -> Laid:
        sites: set[str] = set()
        unmet = sprung(specimen.built, trap, self._watch.refuser, sites)
        if trap.code and (_TOLD, trap.refusal) not in unmet:
            told = next(text for what, text in unmet if what == _TOLD)
            raise Misjudged(f"{trap.name} ({specimen.spot}): {trap.refusal} was to refuse it, not {told or 'nothing'}")
        return self._known(Laid(specimen.spot, trap, unmet, frozenset(sites)))

    def _known(self, laid: Laid) -> Laid:
        hidden = sorted(laid.sites - self._names - {""})
        if hidden:
            raise Misjudged(f"an operation is refused at {hidden[0]}, where its source shows no way to")
        return laid

    def unnoticed(self, code: str = "", *, most: int | None = None) -> list[Site]:
        """Return the sites that can be deleted without any trap noticing.

        Args:
            code: of these sites only, at least one; '' is all.
            most: of so many traps only, the first; None is all.

        Raises:
            Misjudged: as `laid` does, and when there is no site of that code.
        """
        sites = [site for site in self.sites if code in ("", site.code)]
        if not sites:
            raise Misjudged(f"no operation refuses by the code {code!r}")
        if most not in self._laid:
            self._laid[most] = list(islice(self.laid(), most))
        return self.survivors(sites, self._laid[most])

    def unmissed(self, forgeries: Iterable[Mutation[Any]] = ()) -> set[str]:
        """Return the names of conditions that neither a mutation nor a forgery leaves unmet."""
        specimens = list(self.specimens())
        mutations = (*self.environment.mutations, *forgeries)
        return conditions_of(specimens) - missed_by_mutations(specimens, mutations)

    def survivors(self, sites: Sequence[Site], laid: Sequence[Laid]) -> list[Site]:
        """Return the sites that can be deleted without changing what any trap leaves unmet."""
        return [site for site in sites if not self._noticed(site, laid)]

    def _noticed(self, site: Site, laid: Sequence[Laid]) -> bool:
        self._watch.without = site.name
        try:
            return any(self._changed(each) for each in laid if site.name in each.sites)
        finally:
            self._watch.without = ""

    def _changed(self, laid: Laid) -> bool:
        return sprung(self.subject.specimen(laid.spot).built, laid.trap, str, set()) != laid.unmet


def sprung(built: Built, trap: Trap, refuser: Callable[[], str], sites: set[str]) -> Unmet:
    """Make a trap's calls and return what they leave unmet; note in `sites` what `refuser` says refused."""
    session = built.session(Nowhere())
    inside: set[tuple[str, str]] = set()
    last: Any = {}
    try:
        for tool, arguments in trap.calls:
            observation = session.call(tool, arguments)
            last = observation.data
            if observation.outcome is Outcome.INTERNAL_ERROR:
                inside.add(("internal error", tool))
            name = refuser()
            if observation.outcome is Outcome.REJECTED and session.tools[tool].kind is Kind.OPERATION:
                sites.add(name)
        told = {(_TOLD, _refusal(trap, last))} if trap.code else set()
        return frozenset(inside | told) | _unmet(session.score().unmet)
    finally:
        session.world.close()


def _refusal(trap: Trap, answer: Any) -> str:
    """Return how a trap's last call was refused, as far as the trap wants to know; '' when it was not."""
    error = answer.get("error")
    if error is None:
        return ""
    return f"{error['code']} {error['details'].get('object', '')}" if trap.culprit else str(error["code"])


def _unmet(findings: Iterable[Any]) -> Unmet:
    return frozenset((finding.id, condition) for finding in findings for condition in finding.unmet)


def unmet_names(unmet: Iterable[tuple[str, str]]) -> set[str]:
    """Return the names of unmet conditions; what stands after a colon names an object.

    >>> sorted(unmet_names([("source:S01-01", "view_true:S01-01.2"), ("D1", "closed")]))
    ['closed', 'view_true']
    """
    return {condition.partition(":")[0] for _, condition in unmet}


def conditions_of(specimens: Iterable[Specimen]) -> set[str]:
    """Return the names of all conditions that a checker judges."""
    names: set[str] = set()
    for specimen in specimens:
        session = specimen.session()
        report = session.report()
        session.world.close()
        found = (c for finding in (*report.goals, *report.requirements) for c in finding.conditions)
        names |= {condition.partition(":")[0] for condition in found}
    return names


def missed_by_mutations(specimens: Iterable[Specimen], mutations: Iterable[Mutation[Any]]) -> set[str]:
    """Return the names of conditions that some mutation leaves unmet."""
    names: set[str] = set()
    for specimen in specimens:
        for mutation in mutations:
            sabotage = mutation.place(specimen.built.plan)
            if sabotage is not None:
                names |= unmet_names(_unmet(mutated(specimen, sabotage).score.unmet))
    return names
