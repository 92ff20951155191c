"""Composes a task: lanes and briefs, then conversions and updates wave by wave, then what audiences may carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_socialops.composer import declared
from skillhorizon_socialops.composer.briefs import portfolio
from skillhorizon_socialops.composer.caps import policies
from skillhorizon_socialops.composer.graph import graph
from skillhorizon_socialops.composer.season import season
from skillhorizon_socialops.plan import Facts, Plan

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_socialops.config import SocialConfig

__all__ = ["compose"]


def compose(config: SocialConfig, rng: Rng) -> Plan:
    """Compose the plan of a task; each part draws from a stream of its own, apart for every cell."""
    own = rng.stream(config.scenario, config.pattern)
    laid_out = portfolio(own.stream("portfolio"), config)
    played = season(own.stream("season"), config, laid_out)
    return Plan(
        graph=graph(laid_out, played.updates),
        goals=declared.goals(laid_out),
        requirements=declared.requirements(played.updates),
        updates=played.updates,
        resources={"allowance": config.allowance},
        brief=declared.brief(config),
        work=declared.work(config, played),
        waves=config.waves,
        facts=Facts(
            briefs=laid_out.briefs,
            depends=laid_out.depends,
            posts=laid_out.posts,
            house_posts=laid_out.house_posts,
            policies=policies(config, laid_out, played.updates),
            events=played.events,
        ),
    )
