"""What a state is judged by: the plan's facts, indexed once, and what updates changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.goals.state import State, Version
from skillhorizon_fieldops.plan import Plan
from skillhorizon_fieldops.truth import Changes, changes

if TYPE_CHECKING:
    from skillhorizon_fieldops.rows import Device


@attrs.frozen(kw_only=True)
class Judgement:
    """A state beside its plan.

    Attributes:
        plan: the task's plan.
        state: the world as it stands.
        changes: what fired updates changed, and when.
        derates: part -> basis points off a rating.
    """

    plan: Plan
    state: State
    changes: Changes
    derates: Mapping[str, int]

    @classmethod
    def of(cls, plan: Plan, state: State) -> Judgement:
        """Index a plan's facts and what its updates changed."""
        derates = {fit.part: fit.derate_bp for fit in plan.facts.fits}
        return cls(plan=plan, state=state, changes=changes(plan, state.fired), derates=derates)

    @cached_property
    def devices(self) -> dict[str, Device]:
        """The plan's devices by id."""
        return {device.device: device for device in self.plan.facts.devices}

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """The devices that carry each service."""
        out: dict[str, list[str]] = {service.service: [] for service in self.plan.facts.services}
        for member in self.plan.facts.members:
            out[member.service].append(member.device)
        return out

    @cached_property
    def needs(self) -> dict[str, list[str]]:
        """The services that each service needs."""
        out: dict[str, list[str]] = {service.service: [] for service in self.plan.facts.services}
        for need in self.plan.facts.needs:
            out[need.service].append(need.need)
        return out

    @cached_property
    def dependents(self) -> dict[str, list[tuple[str, int]]]:
        """The services that need each service, with their shares in basis points."""
        out: dict[str, list[tuple[str, int]]] = {service.service: [] for service in self.plan.facts.services}
        for need in self.plan.facts.needs:
            out[need.need].append((need.service, need.share_bp))
        return out

    def sound(self, work: Version) -> bool:
        """Whether a device tests well after a work: the true fault repaired, and no infant's first work."""
        truth = self.plan.truth
        infant = work.subject in truth.infants and work.number == 1
        return bool(work.content["fault"] == truth.faults[work.subject]) and not infant
