"""Where devices stand and when they are due: waves, zones, sites, regions; all by index, names shuffled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.composer.network import Network, network
from skillhorizon_fieldops.rows import Feed, Site, StoredPoint, Travel, Zone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Rng
    from skillhorizon_fieldops.config import FieldConfig

REGIONS = ("R1", "R2", "R3", "R4")
_WITHIN, _BETWEEN = 5, (10, 30)
_ACCESS_BP = (0, 1_500)
_ZONES_PER_SITE, _DEVICES_PER_ZONE, _LEAST_ZONES = 4, 7, 2
_STORED_BPS = 3_000
_LEAST_DIGITS = 3


@attrs.frozen(kw_only=True)
class Estate:
    """The devices of a task by index, parents first.

    Attributes:
        network: how they feed each other.
        names: device ids, shuffled.
        waves: each device's wave; it never falls.
        zone_of: each device's zone, by index into `zones`.
        zones: all zones, by wave.
        sites: site id -> site.
        travel: (region, region) -> minutes.
        stored: device index -> its stored point.
    """

    network: Network
    names: tuple[str, ...]
    waves: tuple[int, ...]
    zone_of: tuple[int, ...]
    zones: tuple[Zone, ...]
    sites: Mapping[str, Site]
    travel: Mapping[tuple[str, str], int]
    stored: Mapping[int, str]

    @property
    def worst_travel(self) -> dict[str, int]:
        """Return the most minutes to each region, from wherever."""
        return {region: max(self.travel[origin, region] for origin in REGIONS) for region in REGIONS}

    def site(self, index: int) -> Site:
        """Return a device's site."""
        return self.sites[self.zones[self.zone_of[index]].site]

    def of_wave(self, wave: int) -> list[int]:
        """Return a wave's devices."""
        return [index for index, due in enumerate(self.waves) if due == wave]


def names(rng: Rng, letter: str, count: int) -> tuple[str, ...]:
    """Return `count` ids such as `D027` in a drawn order."""
    digits = max(_LEAST_DIGITS, len(str(count)))
    return tuple(rng.shuffled([f"{letter}{n:0{digits}}" for n in range(1, count + 1)]))


def estate(rng: Rng, config: FieldConfig) -> Estate:
    """Lay out all devices of a task."""
    count = config.devices
    waves = tuple(1 + index * config.waves // count for index in range(count))
    sizes = _zone_sizes(config, waves)
    zone_names = names(rng.stream("zones"), "Z", len(sizes))
    per_site = _ZONES_PER_SITE if config.restoration else 1
    zones = tuple(
        Zone(name, f"ST{1 + number // per_site:02}", wave)
        for number, (name, (wave, _)) in enumerate(zip(zone_names, sizes, strict=True))
    )
    return Estate(
        network=network(rng.stream("feeds"), config.profile, count),
        names=names(rng.stream("devices"), "D", count),
        waves=waves,
        zone_of=tuple(number for number, (_, size) in enumerate(sizes) for _ in range(size)),
        zones=zones,
        sites=_sites(rng.stream("sites"), sorted({zone.site for zone in zones})),
        travel=_travel(rng.stream("travel")),
        stored=_stored(rng.stream("stored"), count),
    )


def _zone_sizes(config: FieldConfig, waves: Sequence[int]) -> list[tuple[int, int]]:
    """Return (wave, devices) of every zone, in the order of the devices."""
    if config.restoration:
        return [(wave, 1) for wave in waves]
    sizes = []
    for wave in range(1, config.waves + 1):
        count = waves.count(wave)
        zones = max(_LEAST_ZONES, -(-count // _DEVICES_PER_ZONE))
        sizes += [(wave, count * (n + 1) // zones - count * n // zones) for n in range(zones)]
    return sizes


def _sites(rng: Rng, ids: Sequence[str]) -> dict[str, Site]:
    return {site: Site(site, rng.choice(REGIONS), rng.integer(*_ACCESS_BP)) for site in ids}


def _travel(rng: Rng) -> dict[tuple[str, str], int]:
    minutes = {(region, region): _WITHIN for region in REGIONS}
    for number, one in enumerate(REGIONS):
        for other in REGIONS[number + 1 :]:
            minutes[one, other] = minutes[other, one] = rng.integer(*_BETWEEN)
    return minutes


def _stored(rng: Rng, count: int) -> dict[int, str]:
    holders = [index for index in range(count) if rng.chance(_STORED_BPS)]
    return dict(zip(holders, names(rng, "Q", len(holders)), strict=True))


def feeds(rng: Rng, estate: Estate) -> tuple[Feed, ...]:
    """Return the rows of all feeds, closed and open, by point."""
    closed = [(parent, child, "closed") for child, parent in enumerate(estate.network.parents) if parent >= 0]
    every = [*closed, *((one, other, "open") for one, other in estate.network.ties)]
    points = names(rng, "P", len(every))
    rows = [
        Feed(point, estate.names[one], estate.names[other], normal)
        for point, (one, other, normal) in zip(points, every, strict=True)
    ]
    return tuple(sorted(rows, key=lambda feed: feed.point))


def stored_points(estate: Estate) -> tuple[StoredPoint, ...]:
    """Return the rows of all stored points, by point."""
    return tuple(StoredPoint(point, estate.names[index]) for index, point in sorted(estate.stored.items(), key=_second))


def _second(item: tuple[int, str]) -> str:
    return item[1]


def travel_rows(estate: Estate) -> tuple[Travel, ...]:
    """Return the sixteen rows of travel."""
    return tuple(Travel(*pair, minutes) for pair, minutes in sorted(estate.travel.items()))
