"""What is declared of a task: its goals, delivery requirements and public facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Demand, Goal, Json, Requirement
from skillhorizon_socialops.composer.graph import OF_BRIEF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon_socialops.composer.briefs import Portfolio
    from skillhorizon_socialops.composer.season import Season
    from skillhorizon_socialops.config import SocialConfig
    from skillhorizon_socialops.plan import AnyUpdate

_REQUIREMENTS = (
    Requirement("D1", Demand.ACHIEVEMENT, "every update is answered, with the right briefs and what it asks for"),
    Requirement("D2", Demand.ACHIEVEMENT, "every planned post is published, withdrawn or released"),
    Requirement("D3", Demand.INVARIANT, "publications keep due times, hours, caps and cooldowns within the allowance"),
    Requirement("D4", Demand.INVARIANT, "every accepted operation had current inputs; the seed is as it was"),
    Requirement("D5", Demand.ACHIEVEMENT, "every wave is closed"),
)


def requirements(updates: Sequence[AnyUpdate]) -> tuple[Requirement, ...]:
    """Return the delivery requirements; without updates there is none to answer."""
    return _REQUIREMENTS if updates else _REQUIREMENTS[1:]


def goals(portfolio: Portfolio) -> tuple[Goal, ...]:
    """Return one goal per brief, by id."""
    names = (brief.brief_id for brief in portfolio.briefs)
    return tuple(Goal(f"brief:{name}", name, tuple(f"{kind}:{name}" for kind in OF_BRIEF)) for name in names)


def brief(config: SocialConfig) -> dict[str, Json]:
    """Return the public facts of the instruction."""
    return {
        "scenario": config.scenario,
        "pattern": config.pattern,
        "waves": config.waves,
        "lanes": config.lanes,
        "briefs": config.briefs,
        "final": config.final,
        "allowance": config.allowance,
    }


def work(config: SocialConfig, season: Season) -> dict[str, int]:
    """Return the work counts of a task."""
    return {
        "briefs": config.briefs,
        "waves": config.waves,
        "lanes": config.lanes,
        "updates": len(season.updates),
        "conversions": len(season.events),
    }
