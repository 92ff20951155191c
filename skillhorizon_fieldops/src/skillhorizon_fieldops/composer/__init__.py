"""Composes a task: devices and their faults, services, updates, then what all that takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_fieldops.composer import calendar, catalogue, estate, kit, portfolio, stores, symptoms
from skillhorizon_fieldops.composer.declared import REQUIREMENTS, brief, goals, resources, work
from skillhorizon_fieldops.composer.graph import Parts, graph
from skillhorizon_fieldops.composer.updates import Planned, updates
from skillhorizon_fieldops.plan import AnyUpdate, Facts, Plan, Truth
from skillhorizon_fieldops.rows import Device

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_fieldops.composer.catalogue import Catalogue
    from skillhorizon_fieldops.config import FieldConfig

__all__ = ["compose"]


def compose(config: FieldConfig, rng: Rng) -> Plan:
    """Compose the plan of a task; each part draws from a stream of its own, apart for every cell."""
    own = rng.stream(config.scenario, config.profile)
    laid_out = estate.estate(own.stream("estate"), config)
    known = catalogue.catalogue(own.stream("catalogue"), config)
    equipped = kit.kit(own.stream("kit"), config, laid_out, known)
    services = portfolio.portfolio(own.stream("portfolio"), config, laid_out, equipped)
    planned = Planned(config=config, estate=laid_out, kit=equipped, portfolio=services)
    fired = updates(own.stream("updates"), planned)
    parts = Parts(estate=laid_out, portfolio=services, waves=config.waves)
    return Plan(
        graph=graph(parts),
        goals=goals(parts),
        requirements=REQUIREMENTS,
        updates=fired,
        resources=resources(config),
        brief=brief(config, parts),
        work=work(config, parts, equipped, fired),
        waves=config.waves,
        facts=_facts(own, planned, known, fired),
        truth=_truth(rng.path_text, planned),
    )


def _facts(rng: Rng, planned: Planned, known: Catalogue, fired: tuple[AnyUpdate, ...]) -> Facts:
    config, laid_out, equipped = planned.config, planned.estate, planned.kit
    demand = _demand(rng, planned, known, fired)
    crews = calendar.crews(rng.stream("crews"), demand)
    fits = catalogue.fits(rng.stream("fits"))
    need = stores.stores(config, (laid_out, equipped, known), fits, fired)
    editions = sorted((e for each in known.editions.values() for e in each), key=lambda e: e.manual.edition)
    return Facts(
        sites=tuple(laid_out.sites[site] for site in sorted(laid_out.sites)),
        travel=estate.travel_rows(laid_out),
        zones=tuple(sorted(laid_out.zones, key=lambda zone: zone.zone)),
        windows=calendar.windows(config, laid_out, demand.chosen),
        devices=_devices(planned),
        readings=symptoms.readings(rng.stream("readings"), config, laid_out, equipped, known),
        history=kit.history(rng.stream("history"), laid_out.names),
        feeds=estate.feeds(rng.stream("points"), laid_out),
        stored_points=estate.stored_points(laid_out),
        services=planned.portfolio.rows(),
        members=planned.portfolio.member_rows(laid_out.names),
        needs=planned.portfolio.need_rows(),
        crews=crews,
        crew_blocks=calendar.crew_blocks(config, crews),
        manuals=tuple(edition.manual for edition in editions),
        rules=tuple(rule for edition in editions for rule in edition.rules),
        cards=tuple(cards[fault] for _, cards in sorted(known.cards.items()) for fault in sorted(cards)),
        fits=fits,
        batches=stores.batches(rng.stream("batches"), need, fits),
        procedures=tuple(sorted(catalogue.PROCEDURES, key=lambda row: row.device_class)),
    )


def _demand(rng: Rng, planned: Planned, known: Catalogue, fired: tuple[AnyUpdate, ...]) -> calendar.Demand:
    times = calendar.times(planned.estate, planned.kit, known)
    return calendar.Demand(
        config=planned.config,
        estate=planned.estate,
        kit=planned.kit,
        times=times,
        chosen=calendar.blocks(rng.stream("blocks"), planned.estate, times),
        updates=fired,
        recalled=stores.cases_per_batch(planned.config),
    )


def _devices(planned: Planned) -> tuple[Device, ...]:
    laid_out, equipped, services = planned.estate, planned.kit, planned.portfolio
    rows = []
    for index, name in enumerate(laid_out.names):
        partner, reference = equipped.partners.get(index), services.references.get(index)
        rows.append(
            Device(
                device=name,
                device_class=laid_out.network.classes[index],
                model=equipped.models[index],
                hw_rev=equipped.revs[index],
                zone=laid_out.zones[laid_out.zone_of[index]].zone,
                wave=laid_out.waves[index],
                pair=None if partner is None else laid_out.names[partner],
                ref_service=None if reference is None else services.names[reference],
                rated=equipped.rated[index],
                fault=equipped.faults[index],
                infant=int(index in equipped.infants),
            )
        )
    return tuple(sorted(rows, key=lambda device: device.device))


def _truth(seed_text: str, planned: Planned) -> Truth:
    laid_out, equipped = planned.estate, planned.kit
    names = laid_out.names
    return Truth(
        seed_text=seed_text,
        faults=dict(sorted(zip(names, equipped.faults, strict=True))),
        infants=frozenset(names[index] for index in equipped.infants),
        upstream={
            name: tuple(names[above] for above in laid_out.network.upstream[index])
            for index, name in sorted(enumerate(names), key=lambda pair: pair[1])
        },
    )
