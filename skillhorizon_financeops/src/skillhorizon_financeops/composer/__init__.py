"""Composes a task: reference data, sources, then updates against truth, then views, goals and the graph."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer import contracts, reference, views
from skillhorizon_financeops.composer.declared import REQUIREMENTS, brief, goals, resources, work
from skillhorizon_financeops.composer.feeds import fill
from skillhorizon_financeops.composer.graph import Parts, graph
from skillhorizon_financeops.composer.headers import headers
from skillhorizon_financeops.composer.notices import Fired, notices
from skillhorizon_financeops.composer.shape import shape
from skillhorizon_financeops.plan import AnyUpdate, Facts, Plan, PlannedView
from skillhorizon_financeops.truth import Book, Replay, answers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon import Rng
    from skillhorizon_financeops.config import FinanceConfig

__all__ = ["compose"]


def compose(config: FinanceConfig, rng: Rng) -> Plan:
    """Compose the plan of a task; each part draws from a stream of its own."""
    facts = _reference(rng, config)
    first = Replay(Book(facts.contracts, facts.identity_maps, facts.account_values), facts.sources, facts.opening_items)
    fill(rng.stream("sources"), shape(config), first, config.stages)
    second = first.again()
    fired = notices(rng.stream("notices"), config, second)
    comparatives = views.comparative(rng.stream("views"), config, second, [f.found.update for f in fired])
    return _plan(config, _filled(facts, first, comparatives), second, (fired, comparatives))


def _reference(rng: Rng, config: FinanceConfig) -> Facts:
    """Draw everything but rows and views."""
    registers = reference.identity_sources(config)
    return Facts(
        entities=reference.entities(rng.stream("entities")),
        staff=reference.staff(config),
        identity_sources=registers,
        identity_maps=reference.identity_maps(rng.stream("maps"), config),
        account_values=reference.account_values(rng.stream("accounts"), config),
        contracts=contracts.contracts(rng.stream("contracts"), config),
        sources=headers(rng.stream("headers"), config, registers),
        source_rows=(),
        opening_items=reference.opening_items(rng.stream("openings"), config),
        obligations=(),
    )


def _filled(facts: Facts, replay: Replay, comparatives: Iterable[PlannedView]) -> Facts:
    rows = tuple(chain.from_iterable([replay.book.rows[source.source_id] for source in facts.sources]))
    obligations = sorted((view.obligation("hidden") for view in comparatives), key=lambda o: o.obligation_id)
    return attrs.evolve(facts, source_rows=rows, obligations=tuple(obligations))


def _plan(
    config: FinanceConfig,
    facts: Facts,
    replay: Replay,
    drawn: tuple[Sequence[Fired], Sequence[PlannedView]],
) -> Plan:
    fired, comparatives = drawn
    updates = views.with_views(fired, comparatives, config.stages)
    planned = _by_due(comparatives, updates)
    effects = {f.found.update.id: (f.effect, f.found.near) for f in fired}
    truth = answers(replay, facts.entities, updates, planned, effects)
    parts = Parts(sources=facts.sources, views=planned, updates=updates, truth=truth, stages=config.stages)
    return Plan(
        graph=graph(parts),
        goals=goals(parts),
        requirements=REQUIREMENTS,
        updates=updates,
        resources=resources(config),
        brief=brief(config),
        work=work(config, updates, planned),
        stages=config.stages,
        facts=facts,
        views=planned,
        truth=truth,
    )


def _by_due(comparatives: Iterable[PlannedView], updates: Iterable[AnyUpdate]) -> tuple[PlannedView, ...]:
    every = [*comparatives, *(view for update in updates for view in update.views)]
    return tuple(sorted(every, key=lambda view: (view.due, view.notice, view.subject)))
