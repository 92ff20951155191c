"""Services: who carries them, whom they need, which devices refer to them, and how much they may demand (R8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.composer.estate import Estate, names
from skillhorizon_fieldops.config import SECTION_SIZE
from skillhorizon_fieldops.rows import Member, Need, Service

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_fieldops.composer.kit import Kit
    from skillhorizon_fieldops.config import FieldConfig

MINIMUM_BP: Mapping[str, int] = {"gold": 1_500, "silver": 800, "bronze": 0}
_TIERS = (("gold", 20), ("silver", 40), ("bronze", 40))
_PARENT_BPS, _NEAR_BPS, _FAR_BPS, _REFERENCE_BPS = 4_000, 6_000, 3_000, 4_000
_NEAR, _FAR_WAVES = 10, 2
_MOST_DEPENDENTS, _MOST_REFERENCES = 3, 3
_SHARE_BP, _ABOVE_BP, _LEAST_MAXIMUM = (500, 3_000), (0, 400), 110
_TRIES = 8


@attrs.frozen(kw_only=True)
class Portfolio:
    """The services of a task by index, in the order of their home devices.

    Attributes:
        names: service ids, shuffled.
        tiers, waves, sections, demands: of each service.
        members: device indexes of each service, ascending.
        shares: service -> the services that it needs -> share_bp.
        references: device -> the service that its test refers to.
    """

    names: tuple[str, ...]
    tiers: tuple[str, ...]
    waves: tuple[int, ...]
    sections: tuple[str, ...]
    demands: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    shares: tuple[Mapping[int, int], ...]
    references: Mapping[int, int]

    def rows(self) -> tuple[Service, ...]:
        """Return the services' rows, by id."""
        columns = zip(self.names, self.tiers, self.waves, self.sections, self.demands, strict=True)
        return tuple(sorted((Service(*row) for row in columns), key=lambda service: service.service))

    def member_rows(self, devices: Sequence[str]) -> tuple[Member, ...]:
        """Return the rows of membership, by service and device."""
        rows = [Member(name, devices[d]) for name, own in zip(self.names, self.members, strict=True) for d in own]
        return tuple(sorted(rows, key=lambda member: (member.service, member.device)))

    def need_rows(self) -> tuple[Need, ...]:
        """Return the rows of needs, by service and need."""
        rows = [
            Need(name, self.names[need], share)
            for name, shares in zip(self.names, self.shares, strict=True)
            for need, share in shares.items()
        ]
        return tuple(sorted(rows, key=lambda need: (need.service, need.need)))


class _Pool:
    """Candidates that may be drawn a few times each."""

    def __init__(self, rng: Rng, most: int) -> None:
        self.rng, self.most = rng, most
        self.items: list[int] = []
        self.used: dict[int, int] = {}

    def draw(self, barred: Mapping[int, int]) -> int | None:
        """Draw one that is not barred and not used up, or None after a few tries."""
        for _ in range(_TRIES):
            if not self.items:
                return None
            place = self.rng.integer(0, len(self.items) - 1)
            item = self.items[place]
            if self.used.get(item, 0) >= self.most:
                self.items[place] = self.items[-1]
                self.items.pop()
            elif item not in barred:
                return self.use(item)
        return None

    def use(self, item: int) -> int:
        """Count one use."""
        self.used[item] = self.used.get(item, 0) + 1
        return item


def portfolio(rng: Rng, config: FieldConfig, estate: Estate, kit: Kit) -> Portfolio:
    """Draw all services."""
    members = _members(rng.stream("members"), config, estate)
    waves = tuple(max(estate.waves[device] for device in own) for own in members)
    tiers = tuple(rng.weighted(_TIERS) for _ in members)
    shares = _shares(rng.stream("needs"), waves)
    ratings = [min(kit.rated[device] for device in own) for own in members]
    return Portfolio(
        names=names(rng.stream("names"), "S", config.services),
        tiers=tiers,
        waves=waves,
        sections=_sections(rng.stream("sections"), config),
        demands=_demands(rng.stream("demands"), ratings, tiers, shares),
        members=members,
        shares=tuple(shares),
        references=_references(rng.stream("references"), estate, waves),
    )


def _members(rng: Rng, config: FieldConfig, estate: Estate) -> tuple[tuple[int, ...], ...]:
    """Give each service its home devices, and often the first one's parent."""
    out = []
    for service in range(config.services):
        first, end = (config.devices * n // config.services for n in (service, service + 1))
        parent = estate.network.parents[first]
        above = (parent,) if parent >= 0 and rng.chance(_PARENT_BPS) else ()
        out.append((*above, *range(first, end)))
    return tuple(out)


def _shares(rng: Rng, waves: Sequence[int]) -> list[dict[int, int]]:
    """Draw needs: one of the ten services before, one of a wave well before."""
    far = _Pool(rng, _MOST_DEPENDENTS)
    out: list[dict[int, int]] = []
    settled = 0
    for service, wave in enumerate(waves):
        while waves[settled] <= wave - _FAR_WAVES:
            far.items.append(settled)
            settled += 1
        own: dict[int, int] = {}
        near = [n for n in range(max(0, service - _NEAR), service) if far.used.get(n, 0) < _MOST_DEPENDENTS]
        if rng.chance(_NEAR_BPS) and near:
            own[far.use(rng.choice(near))] = rng.integer(*_SHARE_BP)
        distant = far.draw(own) if rng.chance(_FAR_BPS) else None
        if distant is not None:
            own[distant] = rng.integer(*_SHARE_BP)
        out.append(own)
    return out


def _references(rng: Rng, estate: Estate, waves: Sequence[int]) -> dict[int, int]:
    """Draw which devices refer to a service of an earlier wave."""
    pool, settled = _Pool(rng, _MOST_REFERENCES), 0
    out: dict[int, int] = {}
    for device, wave in enumerate(estate.waves):
        while settled < len(waves) and waves[settled] < wave:
            pool.items.append(settled)
            settled += 1
        service = pool.draw({}) if rng.chance(_REFERENCE_BPS) else None
        if service is not None:
            out[device] = service
    return out


def _demands(rng: Rng, ratings: Sequence[int], tiers: Sequence[str], shares: list[dict[int, int]]) -> tuple[int, ...]:
    """Draw demands, last service first, so that headroom holds with every demand a tenth higher."""
    dependents: dict[int, list[int]] = {}
    for service, own in enumerate(shares):
        for need in own:
            dependents.setdefault(need, []).append(service)
    most = [0] * len(ratings)
    for service in range(len(ratings) - 1, -1, -1):
        above = 10_000 + MINIMUM_BP[tiers[service]] + rng.integer(*_ABOVE_BP)
        waiting = dependents.get(service, [])
        while True:
            carried = sum(most[other] * shares[other][service] // 10_000 for other in waiting)
            most[service] = ratings[service] * 10_000 // above - carried
            if most[service] >= _LEAST_MAXIMUM:
                break
            for other in waiting:
                shares[other][service] //= 2
    return tuple(highest * 10 // 11 for highest in most)


def _sections(rng: Rng, config: FieldConfig) -> tuple[str, ...]:
    """Shuffle the services in blocks of two sections, and cut these."""
    out = [""] * config.services
    for start in range(0, config.services, 2 * SECTION_SIZE):
        block = rng.shuffled(range(start, min(config.services, start + 2 * SECTION_SIZE)))
        for place, service in enumerate(block):
            out[service] = f"A{1 + (start + place) // SECTION_SIZE:02}"
    return tuple(out)
