"""Where in a plan a mutation applies: its facts by id, and what waits on what."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon_fieldops.rows import Card, Device, Service, Site

ALL_SERVICES_AND_SYSTEM = frozenset({"D1", "D5"})
"""What fails with any service."""


@attrs.frozen
class Places:
    """A plan's facts, indexed."""

    plan: Plan

    @cached_property
    def devices(self) -> dict[str, Device]:
        """Devices by id."""
        return {device.device: device for device in self.plan.facts.devices}

    @cached_property
    def services(self) -> dict[str, Service]:
        """Services by id."""
        return {service.service: service for service in self.plan.facts.services}

    @cached_property
    def cards(self) -> dict[tuple[str, str], Card]:
        """Cards by model and fault."""
        return {(card.model, card.fault): card for card in self.plan.facts.cards}

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """Devices of each service."""
        return _grouped((member.service, member.device) for member in self.plan.facts.members)

    @cached_property
    def carried(self) -> dict[str, list[str]]:
        """Services of each device."""
        return _grouped((member.device, member.service) for member in self.plan.facts.members)

    @cached_property
    def needs(self) -> dict[str, list[str]]:
        """Services that each service needs."""
        return _grouped((need.service, need.need) for need in self.plan.facts.needs)

    @cached_property
    def dependents(self) -> dict[str, list[str]]:
        """Services that need each service."""
        return _grouped((need.need, need.service) for need in self.plan.facts.needs)

    @cached_property
    def referring(self) -> dict[str, list[str]]:
        """Devices that refer to each service."""
        return _grouped((d.ref_service, d.device) for d in self.plan.facts.devices if d.ref_service is not None)

    @cached_property
    def below(self) -> dict[str, list[str]]:
        """Devices that each device feeds, directly or through others."""
        upstream = self.plan.truth.upstream
        return _grouped((above, device) for device in sorted(upstream) for above in upstream[device])

    @cached_property
    def stored(self) -> frozenset[str]:
        """Devices with a stored point."""
        return frozenset(point.device for point in self.plan.facts.stored_points)

    @cached_property
    def sites(self) -> dict[str, Site]:
        """The site of each zone."""
        sites = {site.site: site for site in self.plan.facts.sites}
        return {zone.zone: sites[zone.site] for zone in self.plan.facts.zones}

    def card(self, name: str) -> Card:
        """Return the card of a device's true fault."""
        device = self.devices[name]
        return self.cards[device.model, device.fault]

    def without_parts(self, name: str) -> str:
        """Return the fault of a device's model whose card takes no parts."""
        model = self.devices[name].model
        return next(fault for (own, fault), card in self.cards.items() if own == model and card.family is None)

    def lost(self, cases: Iterable[str], services: Iterable[str]) -> frozenset[str]:
        """Return the goals of the cases lost when some cases are never certified, some services never handed back.

        What waits on a lost case are the devices below it and its services; on a lost service, services that need it
        and devices that refer to it.
        """
        gone: set[tuple[str, str]] = set()
        queue = [*(("case", name) for name in cases), *(("service", name) for name in services)]
        while queue:
            item = queue.pop()
            if item not in gone:
                gone.add(item)
                queue += self._waiting(*item)
        return frozenset(f"case:{name}" for kind, name in gone if kind == "case")

    def _waiting(self, kind: str, name: str) -> list[tuple[str, str]]:
        if kind == "case":
            cases, services = self.below.get(name, []), self.carried[name]
        else:
            cases, services = self.referring.get(name, []), self.dependents.get(name, [])
        return [*(("case", other) for other in cases), *(("service", other) for other in services)]


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    out: defaultdict[str, list[str]] = defaultdict(list)
    for key, value in pairs:
        out[key].append(value)
    return dict(out)
