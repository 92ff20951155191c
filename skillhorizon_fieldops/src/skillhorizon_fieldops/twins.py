"""Twins of a task: one hidden column is permuted, and no call may tell before a test is run."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Twin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon import Json, Rng
    from skillhorizon_fieldops.plan import Plan
    from skillhorizon_fieldops.rows import Device


def twins(plan: Plan, rng: Rng) -> Iterator[Twin[Plan]]:
    """Yield a task with other true faults, and one with other infants; readings and resources stay."""
    for column in ("fault", "infant"):
        devices = _permuted(plan.facts.devices, column, rng.stream(column))
        facts = attrs.evolve(plan.facts, devices=devices)
        yield Twin(name=f"other values of device.{column}", plan=attrs.evolve(plan, facts=facts), reveals=_tests)


def _tests(tool: str, _arguments: Mapping[str, Json]) -> bool:
    return tool == "run_test"


def _permuted(devices: tuple[Device, ...], column: str, rng: Rng) -> tuple[Device, ...]:
    """Permute a column among the devices of each model."""
    values: dict[str, list[Any]] = defaultdict(list)
    for each in devices:
        values[each.model].append(getattr(each, column))
    drawn = {model: iter(rng.stream(model).shuffled(found)) for model, found in values.items()}
    return tuple(attrs.evolve(each, **{column: next(drawn[each.model])}) for each in devices)
