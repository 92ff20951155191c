"""The graph of a task: plans, access, cases, services, closings, acceptance (specification, Modules)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import Concern, Edge, Graph, Module, Pattern
from skillhorizon_fieldops.composer.estate import Estate
from skillhorizon_fieldops.composer.portfolio import Portfolio

if TYPE_CHECKING:
    from collections.abc import Iterator

ACCEPT = "accept"
_REUSE_WAVES = 2
_JOIN, _REUSE, _SEQUENTIAL = Pattern.JOIN, Pattern.REUSE, Pattern.SEQUENTIAL
_CONTENT, _PROVENANCE, _QUANTITY, _VALIDITY = (
    Concern.CONTENT,
    Concern.PROVENANCE,
    Concern.QUANTITY,
    Concern.VALIDITY,
)


@attrs.frozen(kw_only=True)
class Parts:
    """What a graph is drawn from."""

    estate: Estate
    portfolio: Portfolio
    waves: int

    def case(self, index: int) -> str:
        """Return a device's module."""
        return f"case:{self.estate.names[index]}"

    def access(self, index: int) -> str:
        """Return the module of a device's zone."""
        return f"access:{self.estate.zones[self.estate.zone_of[index]].zone}"

    def service(self, index: int) -> str:
        """Return a service's module."""
        return f"service:{self.portfolio.names[index]}"


def plan(wave: int) -> str:
    """Return the module that plans a wave."""
    return f"plan:{wave}"


def close(wave: int) -> str:
    """Return the module that closes a wave."""
    return f"close:{wave}"


def graph(parts: Parts) -> Graph:
    """Draw the graph of a task."""
    modules = (
        *_plans(parts),
        *_accesses(parts),
        *_cases(parts),
        *_services(parts),
        *_closings(parts),
        _acceptance(parts),
    )
    edges = (*_of_waves(parts), *_of_cases(parts), *_of_services(parts))
    return Graph(modules, edges)


def _plans(parts: Parts) -> Iterator[Module]:
    names = parts.estate.names
    for wave in range(1, parts.waves + 1):
        own = parts.estate.of_wave(wave)
        zones = sorted({parts.access(index).partition(":")[2] for index in own})
        yield Module(
            id=plan(wave),
            kind="plan",
            skills=("diagnose-case", "select-parts", "schedule-crew"),
            objects=(f"wave:{wave}", *(names[index] for index in own)),
            inputs=tuple(f"device:{names[index]}" for index in own),
            outputs=(*(f"DGN:{names[index]}" for index in own), *(f"BKG:{zone}" for zone in zones)),
            completion="every device of the wave is diagnosed, has its parts reserved and its crew booked",
            unit=wave,
        )


def _accesses(parts: Parts) -> Iterator[Module]:
    estate = parts.estate
    held: dict[int, list[str]] = {}
    for index, place in enumerate(estate.zone_of):
        held.setdefault(place, []).append(estate.names[index])
    for number, zone in enumerate(estate.zones):
        yield Module(
            id=f"access:{zone.zone}",
            kind="access",
            skills=("plan-isolation", "execute-work"),
            objects=(zone.zone, *held[number]),
            inputs=(f"BKG:{zone.zone}", *(f"RSV:{name}" for name in held[number])),
            outputs=(f"PRM:{zone.zone}", *(f"WRK:{name}" for name in held[number])),
            completion="every device of the zone is worked and the isolation closed",
            unit=zone.wave,
        )


def _cases(parts: Parts) -> Iterator[Module]:
    for index, name in enumerate(parts.estate.names):
        reference = parts.portfolio.references.get(index)
        referred = () if reference is None else (f"COM:{parts.portfolio.names[reference]}",)
        yield Module(
            id=f"case:{name}",
            kind="case",
            skills=("evaluate-test",),
            objects=(name,),
            inputs=(f"WRK:{name}", *referred),
            outputs=(f"TST:{name}", f"CRT:{name}"),
            completion="the device is restored and its current test passes",
            unit=parts.estate.waves[index],
        )


def _services(parts: Parts) -> Iterator[Module]:
    estate, portfolio = parts.estate, parts.portfolio
    for number, name in enumerate(portfolio.names):
        members = [estate.names[index] for index in portfolio.members[number]]
        needs = [portfolio.names[need] for need in portfolio.shares[number]]
        yield Module(
            id=f"service:{name}",
            kind="service",
            skills=("commission-service",),
            objects=(name, *members),
            inputs=(*(f"CRT:{member}" for member in members), *(f"COM:{need}" for need in needs)),
            outputs=(f"COM:{name}",),
            completion="the service is commissioned with exact figures",
            unit=portfolio.waves[number],
        )


def _closings(parts: Parts) -> Iterator[Module]:
    for wave in range(1, parts.waves + 1):
        yield Module(
            id=close(wave),
            kind="close",
            skills=("execute-work", "reconcile-accept"),
            objects=(f"wave:{wave}",),
            inputs=tuple(f"RSV:{parts.estate.names[index]}" for index in parts.estate.of_wave(wave)),
            outputs=(f"ACC:{wave}",),
            completion="parts are settled, the wave is closed and its account posted",
            unit=wave,
        )


def _acceptance(parts: Parts) -> Module:
    sections = sorted(set(parts.portfolio.sections))
    return Module(
        id=ACCEPT,
        kind="accept",
        skills=("reconcile-accept",),
        objects=("system", *sections),
        inputs=(
            *(f"COM:{name}" for name in parts.portfolio.names),
            *(f"ACC:{wave}" for wave in range(1, parts.waves + 1)),
        ),
        outputs=(*(f"SEC:{section}" for section in sections), "SYS:system"),
        completion="all sections and the system are accepted",
        unit=parts.waves,
    )


def _edge(ends: tuple[str, str], output: str, patterns: tuple[Pattern, ...], conditions: tuple[Concern, ...]) -> Edge:
    return Edge(upstream=ends[0], downstream=ends[1], outputs=(output,), patterns=patterns, conditions=conditions)


def _of_waves(parts: Parts) -> Iterator[Edge]:
    for zone in parts.estate.zones:
        access = f"access:{zone.zone}"
        yield _edge((plan(zone.wave), access), f"BKG:{zone.zone}", (_SEQUENTIAL,), (_VALIDITY,))
        settled = _edge((access, close(zone.wave)), f"WRK:{zone.zone}", (_JOIN,), (_QUANTITY,))
        yield attrs.evolve(settled, necessary=False)
    for wave in range(1, parts.waves + 1):
        if wave < parts.waves:
            yield _edge((close(wave), plan(wave + 1)), f"wave:{wave + 1}", (_SEQUENTIAL,), (_VALIDITY,))
            yield _edge((close(wave), close(wave + 1)), f"wave:{wave + 1}", (_SEQUENTIAL,), (_VALIDITY,))
        yield _edge((close(wave), ACCEPT), f"ACC:{wave}", (_JOIN, _REUSE), (_VALIDITY,))


def _of_cases(parts: Parts) -> Iterator[Edge]:
    estate, portfolio = parts.estate, parts.portfolio
    for index, above in enumerate(estate.network.upstream):
        case = parts.case(index)
        yield _edge((parts.access(index), case), f"WRK:{estate.names[index]}", (_SEQUENTIAL,), (_VALIDITY,))
        for ancestor in above:
            yield _edge((parts.case(ancestor), case), f"CRT:{estate.names[ancestor]}", (_SEQUENTIAL,), (_VALIDITY,))
        if index in portfolio.references:
            service = portfolio.references[index]
            output = f"COM:{portfolio.names[service]}"
            yield _edge((parts.service(service), case), output, (_REUSE,), (_CONTENT, _VALIDITY))


def _of_services(parts: Parts) -> Iterator[Edge]:
    portfolio, estate = parts.portfolio, parts.estate
    for number, members in enumerate(portfolio.members):
        service, output = parts.service(number), f"COM:{portfolio.names[number]}"
        for index in members:
            yield _edge((parts.case(index), service), f"CRT:{estate.names[index]}", (_JOIN,), (_PROVENANCE,))
        for need in portfolio.shares[number]:
            far = portfolio.waves[need] <= portfolio.waves[number] - _REUSE_WAVES
            ends = (parts.service(need), service)
            yield _edge(ends, f"COM:{portfolio.names[need]}", (_REUSE if far else _SEQUENTIAL,), (_VALIDITY,))
        yield _edge((service, ACCEPT), output, (_JOIN,), (_VALIDITY,))
