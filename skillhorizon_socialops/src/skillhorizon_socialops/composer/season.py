"""Plays a task's waves while it is composed: conversions and updates depend on what is true so far."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

from skillhorizon_socialops.composer.boundaries import Boundaries
from skillhorizon_socialops.composer.conversions import Side, conversions
from skillhorizon_socialops.composer.lanes import pairs
from skillhorizon_socialops.composer.nominal import Nominal
from skillhorizon_socialops.plan import (
    AnyUpdate,
    CalendarSubstitution,
    ConversionCorrection,
    Event,
    RightsWithdrawal,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Rng
    from skillhorizon_socialops.composer.briefs import Portfolio
    from skillhorizon_socialops.config import SocialConfig
    from skillhorizon_socialops.rows import Brief


@attrs.frozen
class Season:
    """The events by id, and the updates in the order of their minutes."""

    events: tuple[Event, ...]
    updates: tuple[AnyUpdate, ...]


def season(rng: Rng, config: SocialConfig, portfolio: Portfolio) -> Season:
    """Draw a task's events and updates, wave by wave."""
    nominal = Nominal(portfolio)
    boundaries = Boundaries(rng.stream("updates"), config, portfolio, nominal)
    events: list[Event] = []
    updates: list[AnyUpdate] = []
    for wave in range(1, config.waves + 1):
        chosen = [] if wave == 1 else _numbered(boundaries.choose(wave - 1), len(updates))
        _correct(nominal, chosen)
        found = _events(rng.stream("events", wave), config, portfolio.of_wave(wave), chosen, len(events) + 1)
        events += found
        nominal.show(found)
        nominal.play(wave, portfolio.of_wave(wave), chosen)
        updates += _withdrawn(boundaries, nominal, chosen)
    return Season(tuple(sorted(events, key=attrgetter("id"))), tuple(updates))


def _numbered(chosen: Sequence[AnyUpdate], known: int) -> list[AnyUpdate]:
    """Give updates their ids."""
    return [attrs.evolve(update, id=f"N-{number:02}") for number, update in enumerate(chosen, known + 1)]


def _correct(nominal: Nominal, chosen: Sequence[AnyUpdate]) -> None:
    for update in chosen:
        if isinstance(update, ConversionCorrection):
            nominal.correct(update)


def _withdrawn(boundaries: Boundaries, nominal: Nominal, chosen: Sequence[AnyUpdate]) -> list[AnyUpdate]:
    """Choose the asset of a withdrawal, now that the wave's winners are known."""
    out: list[AnyUpdate] = []
    for update in chosen:
        if isinstance(update, RightsWithdrawal):
            whole = boundaries.withdraw(update)
            nominal.withdraw(whole)
            out.append(whole)
        else:
            out.append(update)
    return out


def _events(
    rng: Rng, config: SocialConfig, briefs: Sequence[Brief], chosen: Sequence[AnyUpdate], first: int
) -> list[Event]:
    replaced = {update.brief for update in chosen if isinstance(update, CalendarSubstitution)}
    sides = [Side.of(brief, substituted=brief.brief_id in replaced) for brief in briefs]
    return conversions(rng, config.scenario, sides, pairs(config, len(sides)), first)
