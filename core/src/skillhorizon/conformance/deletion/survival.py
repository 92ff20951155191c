"""Which preconditions and conditions can be deleted without any trap noticing."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.deletion.altered import altered, files_of
from skillhorizon.conformance.deletion.sites import Site, sites_of
from skillhorizon.conformance.deletion.traps import Trap, errors, exhaustions, gaps, probes
from skillhorizon.conformance.mutations import mutated
from skillhorizon.conformance.profiles import FAST
from skillhorizon.conformance.subject import Specimen, Spot, Subject
from skillhorizon.construction.components import Components
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.rng import Rng
from skillhorizon.session.session import Nowhere, Toolbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from skillhorizon.construction.workshop import Built
    from skillhorizon.environment import Environment, Mutation

Unmet = frozenset[tuple[str, str]]
"""What does not hold after a run, as (goal or requirement, condition), and the tools that failed inside."""
_ERRORS = 2
_MOST_TRIED = 12


@attrs.frozen
class Laid:
    """A trap where it was laid: what it leaves unmet as things are, and the sites that refused something in it."""

    spot: Spot
    trap: Trap
    unmet: Unmet
    sites: frozenset[str]


class Trapper:
    """Lays traps on an environment whose sites tell of themselves.

    Args:
        origin: `module:attribute` of the bundle.
        package: the top package that refuses.
        spots: where to lay them; none is the smallest tasks of each family.
        own: further traps of the environment's own, (built task, reference calls) -> traps.
    """

    def __init__(
        self,
        origin: str,
        package: str,
        *,
        spots: Sequence[Spot] = (),
        own: Callable[[Built, Sequence[Any]], Iterable[Trap]] | None = None,
    ) -> None:
        self.origin, self.package, self.own = origin, package, own
        self._last = ""
        with altered(origin, package, self._hit) as environment:
            self.environment = environment
        self.subject = _subject(origin, self.environment)
        self.spots = list(spots) or self.subject.few()
        self.sites = sites_of(files_of(package), environment.tools)

    def _hit(self, file: str, line: int) -> None:
        self._last = f"{file}:{line}"

    def _refuser(self) -> str:
        """Return the last site come to, which is the one that refused when a call was refused, and forget it."""
        last, self._last = self._last, ""
        return last

    def specimens(self) -> Iterator[Specimen]:
        """Yield the tasks that traps are laid on."""
        return self.subject.proven(self.spots)

    def laid(self) -> Iterator[Laid]:
        """Yield every trap, laid."""
        for specimen in self.specimens():
            rng = Rng("traps", str(specimen.spot))
            built, records = specimen.built, specimen.run.records
            counts: dict[str, int] = defaultdict(int)
            for trap, site in probes(built, records, rng, self._refuser):
                counts[site] += 1
                if counts[site] <= _MOST_TRIED:
                    yield Laid(specimen.spot, trap, frozenset(), frozenset({site}))
            more = [*gaps(records), *errors(built, records, rng, _ERRORS), *exhaustions(built, records, rng)]
            for trap in (*more, *(self.own(built, records) if self.own is not None else ())):
                sites: set[str] = set()
                unmet = sprung(built, trap, self._refuser, sites)
                yield Laid(specimen.spot, trap, unmet, frozenset(sites))

    def survivors(self, sites: Sequence[Site], laid: Sequence[Laid]) -> list[Site]:
        """Return the sites that can be deleted without changing what any trap leaves unmet."""
        return [site for site in sites if not self._noticed(site, laid)]

    def _noticed(self, site: Site, laid: Sequence[Laid]) -> bool:
        mine = [each for each in laid if site.name in each.sites]
        if not mine:
            return False
        with altered(self.origin, self.package, self._hit, site) as environment:
            subject = _subject(self.origin, environment)
        tasks: dict[Spot, Built] = {}
        for each in mine:
            if each.spot not in tasks:
                tasks[each.spot] = subject.build(each.spot)
            if sprung(tasks[each.spot], each.trap) != each.unmet:
                return True
        return False


def _subject(origin: str, environment: Environment[Any, Any]) -> Subject:
    return Subject(origin, Components(environment, Toolbox.of(environment), ()), FAST)


def sprung(built: Built, trap: Trap, refuser: Callable[[], str] = str, sites: set[str] | None = None) -> Unmet:
    """Make a trap's calls and return what they leave unmet; with `sites`, note there what `refuser` says refused."""
    session = built.session(Nowhere())
    inside: set[tuple[str, str]] = set()
    try:
        for tool, arguments in trap.calls:
            refuser()
            outcome = session.call(tool, arguments).outcome
            if outcome is Outcome.INTERNAL_ERROR:
                inside.add(("internal error", tool))
            if sites is not None and outcome is Outcome.REJECTED:
                sites.add(refuser())
        return frozenset(inside) | _unmet(session.score().unmet)
    finally:
        session.world.close()


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
