"""What is declared of a task: its goals, delivery requirements and public facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Demand, Goal, Json, Requirement
from skillhorizon_fieldops.composer.graph import Parts, plan
from skillhorizon_fieldops.config import PERMIT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon_fieldops.composer.kit import Kit
    from skillhorizon_fieldops.config import FieldConfig
    from skillhorizon_fieldops.plan import AnyUpdate

REQUIREMENTS = (
    Requirement("D1", Demand.ACHIEVEMENT, "every service is commissioned with exact figures"),
    Requirement("D2", Demand.INVARIANT, "no permit is open and no device is isolated"),
    Requirement("D3", Demand.ACHIEVEMENT, "every wave's account is posted and exact"),
    Requirement("D4", Demand.INVARIANT, "relief stays within its budget, and every batch's units add up"),
    Requirement("D5", Demand.ACHIEVEMENT, "the system is accepted"),
)


def goals(parts: Parts) -> tuple[Goal, ...]:
    """Return one goal per device: its case, its zone's access, its wave's plan; by device id."""
    estate = parts.estate
    rows = [
        Goal(f"case:{name}", name, (plan(estate.waves[index]), parts.access(index), parts.case(index)))
        for index, name in enumerate(estate.names)
    ]
    return tuple(sorted(rows, key=lambda goal: goal.id))


def resources(config: FieldConfig) -> dict[str, int]:
    """Return the units of relief within budget, and how many permits may be open at once."""
    return {"permits": PERMIT_LIMIT, "relief": config.relief}


def brief(config: FieldConfig, parts: Parts) -> dict[str, Json]:
    """Return the public facts of the instruction."""
    return {
        "scenario": config.scenario,
        "profile": config.profile,
        "waves": config.waves,
        "devices": config.devices,
        "services": config.services,
        "zones": len(parts.estate.zones),
        "sections": config.sections,
        **resources(config),
    }


def work(config: FieldConfig, parts: Parts, kit: Kit, updates: Sequence[AnyUpdate]) -> dict[str, int]:
    """Return the work counts of a task."""
    return {
        "devices": config.devices,
        "infants": len(kit.infants),
        "needs": sum(map(len, parts.portfolio.shares)),
        "pairs": len(kit.partners) // 2,
        "references": len(parts.portfolio.references),
        "services": config.services,
        "updates": len(updates),
        "waves": config.waves,
        "zones": len(parts.estate.zones),
    }
