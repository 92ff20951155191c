"""The environment under test, and tasks of it as specimens."""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.guard import Overdue, cause, deadline
from skillhorizon.conformance.runs import Run, perform
from skillhorizon.construction.reach import Course, course_of
from skillhorizon.construction.workshop import Built, Workshop
from skillhorizon.errors import ProofFailed
from skillhorizon.model.workload import BANDS
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from skillhorizon.conformance.profiles import Profile
    from skillhorizon.construction.components import Components
    from skillhorizon.environment import Environment
    from skillhorizon.model.canonical import Json
    from skillhorizon.session.session import Recorder, Session

SPLIT = "dev"
REFERENCE, READING = "reference", "reading"
_MOST_KEPT = 24
_MOST_HANGS = 2
"""After so many tasks that hang no further one is tried: each costs the profile's patience."""
_SMALL_BANDS = ("smoke", "64k")
_BANDS_ABOVE = 2


@attrs.frozen
class Spot:
    """Where a specimen stands: band, family, variant, knob and seed."""

    band: str
    family: str
    variant: str
    knob: int
    seed: int

    def __str__(self) -> str:
        return f"{self.band} {self.family}/{self.variant}, knob {self.knob}, seed {self.seed}"


@attrs.define(eq=False)
class Specimen:
    """A task that was built and whose reference run succeeded; `__dict__` keeps what is derived once."""

    spot: Spot
    built: Built
    run: Run
    _course: Course | None = None

    @property
    def course(self) -> Course:
        """The reference's course, with what its updates reach."""
        if self._course is None:
            session = self.session()
            try:
                self._course = course_of(session)
            finally:
                session.world.close()
        return self._course

    def session(self, recorder: Recorder | None = None) -> Session:
        """Return a session at the task's start; close its world when done."""
        return self.built.session(recorder or Nowhere())


class Unproven(Exception):
    """A task that cannot be composed, built or solved by its reference: the check that tells of it, and the cause."""


class Subject:
    """The environment under test: its specimens, chosen as a profile says and kept while they are used.

    Attributes:
        origin: where other processes load it from.
        unproven: spot -> (the check that tells of it, why no specimen could be made there).
        looked_at: how many specimens the present check has had.
    """

    def __init__(self, origin: str, components: Components, profile: Profile) -> None:
        self.origin, self.components, self.profile = origin, components, profile
        self.shop = Workshop(components)
        self.unproven: dict[Spot, tuple[str, str]] = {}
        self.looked_at = 0
        self._hung = 0
        self._kept: OrderedDict[Spot, Specimen] = OrderedDict()

    @property
    def environment(self) -> Environment[Any, Any]:
        """The bundle."""
        return self.components.environment

    @cached_property
    def bands(self) -> tuple[str, ...]:
        """The bands that the environment serves, from small to large."""
        return tuple(band.name for band in BANDS if band.name in self.environment.scale.bands)

    def knobs(self, band: str, cell: tuple[str, str], count: int) -> list[int]:
        """Return up to `count` knob values spread evenly over a band, its low bound first."""
        low, high = self.environment.scale.bounds(band, *cell)
        step = self.environment.scale.step(band, *cell)
        parts = max(count - 1, 1)
        return sorted({low + (high - low) * i // parts // step * step for i in range(count)})

    def spots(self, bands: Iterable[str], seeds: int) -> list[Spot]:
        """Return a spot for each band, cell and seed; the seeds spread over the knob's range."""
        found = []
        for band in bands:
            for cell in self.environment.scale.cells_of(band):
                knobs = self.knobs(band, cell, seeds)
                found += [Spot(band, *cell, knobs[i % len(knobs)], i + 1) for i in range(seeds)]
        return found

    def everywhere(self) -> list[Spot]:
        """Return the spots at which the reference itself is proven."""
        return self.spots(self.bands if self.profile.full else self._small_bands(), self.profile.seeds)

    def samples(self) -> list[Spot]:
        """Return spots of every cell: all seeds in the smallest bands, one above them in the full profile."""
        small = self._small_bands()
        if not self.profile.full:
            return self.spots(small[:1], 1)
        above = [band for band in self.bands if band not in small]
        return [*self.spots(small, self.profile.seeds), *self.spots(above, 1)]

    def above(self) -> list[Spot]:
        """Return spots of every cell in the bands that the samples leave out, up to the second of them."""
        sampled = {spot.band for spot in self.samples()}
        return self.spots([band for band in self.bands if band not in sampled][:_BANDS_ABOVE], 1)

    def few(self) -> list[Spot]:
        """Return spots of the first variant of each family in the smallest band; in the full profile more.

        It has every cell of the smallest band, and the first variants of the next.
        """
        bands = self._small_bands()
        if not self.profile.full:
            return self._first_variants(bands[0])
        return [*self.spots(bands[:1], 1), *(spot for band in bands[1:] for spot in self._first_variants(band))]

    def _first_variants(self, band: str) -> list[Spot]:
        return list({spot.family: spot for spot in reversed(self.spots([band], 1))}.values())[::-1]

    def _small_bands(self) -> tuple[str, ...]:
        return tuple(band for band in self.bands if band in _SMALL_BANDS) or self.bands[:1]

    def config(self, spot: Spot, options: Mapping[str, Json] | None = None) -> Any:
        """Return the configuration of a spot."""
        scale = self.environment.scale
        return scale.config(spot.band, spot.family, spot.variant, spot.knob, options or {})

    def build(self, spot: Spot, options: Mapping[str, Json] | None = None) -> Built:
        """Compose and build the task of a spot."""
        return self.shop.build(self.config(spot, options), split=SPLIT, seed=spot.seed)

    def specimen(self, spot: Spot) -> Specimen:
        """Return the specimen of a spot.

        Raises:
            Unproven: when it cannot be made.
        """
        if spot in self.unproven:
            raise Unproven(*self.unproven[spot])
        if spot not in self._kept:
            self._kept[spot] = self._proven(spot)
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)[1].built.close()
        self._kept.move_to_end(spot)
        self.looked_at += 1
        return self._kept[spot]

    def proven(self, spots: Iterable[Spot]) -> Iterator[Specimen]:
        """Yield the specimens that can be made; what keeps others from it is told by the check of the reference."""
        for spot in spots:
            try:
                yield self.specimen(spot)
            except Unproven:
                continue

    def _proven(self, spot: Spot) -> Specimen:
        if self._hung >= _MOST_HANGS:
            raise self._blocked(spot, REFERENCE, "not tried, since others hang")
        try:
            with deadline(self.profile.patience):
                built = self.build(spot)
                run = perform(built.session(Nowhere()))
        except Overdue as error:
            self._hung += 1
            found = f"it hangs: no end after {self.profile.patience:g} s\n{error}"
        except ProofFailed as error:
            found = str(error)
        except (Exception, SystemExit) as error:  # whatever an environment raises is a finding
            raise self._blocked(spot, writer_or(REFERENCE, error), cause(error)) from error
        else:
            unmet = [f"{finding.id}: {', '.join(finding.unmet)}" for finding in run.score.unmet]
            if not unmet:
                return Specimen(spot, built, run)
            found = "the reference run leaves unmet:\n" + "\n".join(unmet[:10])
        raise self._blocked(spot, REFERENCE, found)

    def _blocked(self, spot: Spot, check: str, text: str) -> Unproven:
        self.unproven[spot] = (check, text)
        return Unproven(check, text)


def writer_or(check: str, error: BaseException) -> str:
    """Return the check that tells of an error: a checker that tries to write is no other check's finding."""
    return READING if isinstance(error, sqlite3.OperationalError) and "readonly" in str(error) else check
