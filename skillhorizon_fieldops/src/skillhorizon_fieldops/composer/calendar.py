"""When zones may be worked, and how many crews that takes (R4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.composer.estate import REGIONS, Estate, names
from skillhorizon_fieldops.composer.kit import Kit
from skillhorizon_fieldops.config import BLOCKS, CLASSES, FieldConfig
from skillhorizon_fieldops.plan import AnyUpdate, BatchRecall, CrewChange, WindowChange
from skillhorizon_fieldops.rows import Crew, CrewBlock, Window
from skillhorizon_fieldops.truth import RESEAT_MIN, SHIFT, minutes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon import Rng
    from skillhorizon_fieldops.composer.catalogue import Catalogue

Block = tuple[int, str]
"""wave, block."""


@attrs.frozen(kw_only=True)
class Times:
    """What work takes, with travel from wherever a crew starts.

    Attributes:
        zones: zone index -> class -> minutes of its job.
        repairs: device -> minutes of its true repair alone.
        reseats: device -> minutes of a reseat alone.
    """

    zones: tuple[Mapping[str, int], ...]
    repairs: tuple[int, ...]
    reseats: tuple[int, ...]


def times(estate: Estate, kit: Kit, catalogue: Catalogue) -> Times:
    """Work out the minutes of all jobs."""
    travel = estate.worst_travel
    zones: list[dict[str, int]] = [{} for _ in estate.zones]
    repairs, reseats = [], []
    for index, device_class in enumerate(estate.network.classes):
        site, stored = estate.site(index), index in estate.stored
        here = minutes(kit.card(catalogue, index).base_min, site.access_bp, stored=stored)
        job = zones[estate.zone_of[index]]
        job[device_class] = job.get(device_class, travel[site.region]) + here
        repairs.append(here + travel[site.region])
        reseats.append(minutes(RESEAT_MIN, site.access_bp, stored=stored) + travel[site.region])
    return Times(zones=tuple(zones), repairs=tuple(repairs), reseats=tuple(reseats))


def blocks(rng: Rng, estate: Estate, times: Times) -> tuple[str, ...]:
    """Give each zone one block of its wave, the longer ones first, always the block with less work."""
    load: dict[Block, int] = {}
    chosen = [""] * len(estate.zones)
    order = sorted(rng.shuffled(range(len(estate.zones))), key=lambda zone: -sum(times.zones[zone].values()))
    for zone in order:
        wave = estate.zones[zone].wave
        block = min(BLOCKS, key=lambda name: load.get((wave, name), 0))
        load[wave, block] = load.get((wave, block), 0) + sum(times.zones[zone].values())
        chosen[zone] = block
    return tuple(chosen)


def windows(config: FieldConfig, estate: Estate, chosen: Sequence[str]) -> tuple[Window, ...]:
    """Return each zone's windows: one block of its wave, both of the sweep."""
    rows = [Window(zone.zone, zone.wave, block, "open") for zone, block in zip(estate.zones, chosen, strict=True)]
    rows += [Window(zone.zone, config.sweep, block, "open") for zone in estate.zones for block in BLOCKS]
    return tuple(sorted(rows, key=lambda window: (window.zone, window.wave, window.block)))


@attrs.frozen(kw_only=True)
class Demand:
    """What may have to be worked in each block, class by class.

    Attributes:
        config, estate, kit, times: the task.
        chosen: each zone's block.
        updates: the planned ones.
        recalled: cases that one recall may undo.
    """

    config: FieldConfig
    estate: Estate
    kit: Kit
    times: Times
    chosen: tuple[str, ...]
    updates: tuple[AnyUpdate, ...]
    recalled: int

    @cached_property
    def jobs(self) -> dict[tuple[Block, str], list[int]]:
        """Return the planned jobs of each block and class."""
        out: dict[tuple[Block, str], list[int]] = {}
        for zone, block, job in zip(self.estate.zones, self.chosen, self.times.zones, strict=True):
            for device_class, length in job.items():
                out.setdefault(((zone.wave, block), device_class), []).append(length)
        return out

    def longest(self, device_class: str) -> int:
        """Return the largest job of a class: a zone's, or a rework alone."""
        alone = [each for d in self._of(device_class) for each in (self.times.repairs[d], self.times.reseats[d])]
        return max([*alone, *(job[device_class] for job in self.times.zones if device_class in job)], default=0)

    def load(self, wave: int, block: str, device_class: str) -> int:
        """Return the minutes that a block of a wave may have to take."""
        if wave == self.config.sweep:
            largest = max((job.get(device_class, 0) for job in self.times.zones), default=0)
            return largest + sum(self._rework(planned, device_class) for planned in range(1, wave))
        other = BLOCKS[block == BLOCKS[0]]
        moves = self._in_wave(wave, WindowChange)
        moved = max(self.jobs.get(((wave, other), device_class), [0])) if moves else 0
        return sum(self.jobs.get(((wave, block), device_class), ())) + moved + self._rework(wave, device_class)

    def _of(self, device_class: str) -> list[int]:
        return [index for index, own in enumerate(self.estate.network.classes) if own == device_class]

    def _in_wave(self, wave: int, kind: type[AnyUpdate]) -> bool:
        return any(isinstance(update, kind) and update.wave == wave for update in self.updates)

    @cached_property
    def _reseats(self) -> dict[tuple[int, str], int]:
        out: dict[tuple[int, str], int] = {}
        for index in sorted(self.kit.infants):
            place = self.estate.waves[index], self.estate.network.classes[index]
            out[place] = out.get(place, 0) + self.times.reseats[index]
        return out

    @cached_property
    def _recalls(self) -> dict[str, int]:
        """Return by class the minutes of the longest cases that one recall may undo."""
        out: dict[str, list[int]] = {}
        for index in sorted(self.kit.users):
            out.setdefault(self.estate.network.classes[index], []).append(self.times.repairs[index])
        return {name: sum(sorted(lengths, reverse=True)[: self.recalled]) for name, lengths in out.items()}

    def _rework(self, wave: int, device_class: str) -> int:
        recalls = self._recalls.get(device_class, 0) if self._in_wave(wave, BatchRecall) else 0
        return self._reseats.get((wave, device_class), 0) + recalls


def crew_count(demand: Demand, device_class: str) -> int:
    """Return how many crews of a class every block can do with, one more where a crew is withdrawn.

    >>> crews_for(1_150, 135, 3_000)
    5
    """
    config, longest = demand.config, demand.longest(device_class)
    loads = [demand.load(wave, block, device_class) for wave in range(1, config.sweep + 1) for block in BLOCKS]
    spare = any(isinstance(update, CrewChange) for update in demand.updates)
    return max(1, *(crews_for(load, longest, config.slack) for load in loads)) + spare


def crews_for(load: int, longest: int, slack: int) -> int:
    """Return with how many crews first fit cannot fail: all of them together would hold more than `load`."""
    return -(-(10_000 + slack) * load // (10_000 * (SHIFT - longest)))


def crews(rng: Rng, demand: Demand) -> tuple[Crew, ...]:
    """Draw bases and other classes of all crews."""
    classes = [device_class for device_class in CLASSES for _ in range(crew_count(demand, device_class))]
    rows = [
        Crew(name, rng.choice(REGIONS), own, rng.choice([other for other in CLASSES if other != own]))
        for name, own in zip(names(rng, "C", len(classes)), classes, strict=True)
    ]
    return tuple(sorted(rows, key=lambda crew: crew.crew))


def crew_blocks(config: FieldConfig, crews: Iterable[Crew]) -> tuple[CrewBlock, ...]:
    """Return the crews' blocks in all waves, all free."""
    return tuple(
        CrewBlock(crew.crew, wave, block, SHIFT, "open")
        for crew in crews
        for wave in range(1, config.sweep + 1)
        for block in BLOCKS
    )
