"""Plans of every cell with their truth, composed once, and short ways to parts of them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeVar

from skillhorizon import Rng
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.composer.nominal import replayed
from skillhorizon_socialops.config import PATTERNS, SCENARIOS, SocialConfig

if TYPE_CHECKING:
    from skillhorizon_socialops.plan import Plan
    from skillhorizon_socialops.rows import Brief
    from skillhorizon_socialops.truth import Story

U = TypeVar("U")
CONFIGS = [SocialConfig(scenario, pattern, 44) for scenario in SCENARIOS for pattern in PATTERNS]
CELLS = [(config.scenario, config.pattern) for config in CONFIGS]


def id_of(config: SocialConfig) -> str:
    return f"{config.scenario}-{config.pattern}"


@cache
def plan_of(config: SocialConfig) -> Plan:
    return compose(config, Rng("composer", 1))


@cache
def story_of(config: SocialConfig) -> Story:
    return replayed(plan_of(config))


def briefs_of(plan: Plan) -> dict[str, Brief]:
    return {brief.brief_id: brief for brief in plan.facts.briefs}


def name(wave: int, lane: int) -> str:
    return f"b-{wave:02}-{lane:02}"


def of_kind(plan: Plan, kind: type[U]) -> list[U]:
    return [update for update in plan.updates if isinstance(update, kind)]
