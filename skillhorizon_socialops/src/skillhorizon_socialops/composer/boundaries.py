"""Which updates each boundary between waves has: kinds in rotation, each on a lane of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import After
from skillhorizon_socialops.catalogue import RETENTIONS, seed
from skillhorizon_socialops.composer.briefs import RERUN_HOUR, brief_id, post, running, weight
from skillhorizon_socialops.composer.corrections import Search, correction
from skillhorizon_socialops.plan import CalendarSubstitution, RerunOrder, RetentionChange, RightsWithdrawal
from skillhorizon_socialops.truth import shelf

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from skillhorizon import Rng
    from skillhorizon_socialops.composer.briefs import Portfolio
    from skillhorizon_socialops.composer.nominal import Nominal
    from skillhorizon_socialops.config import SocialConfig
    from skillhorizon_socialops.plan import AnyUpdate
    from skillhorizon_socialops.rows import Brief

CORRECTION, RERUN, SUBSTITUTION, RETENTION, WITHDRAWAL = KINDS = (
    "conversion_correction",
    "rerun_order",
    "calendar_substitution",
    "retention_change",
    "rights_withdrawal",
)
"""In the order of the specification's table, which is also the order of their minutes."""
_HOURS = {SUBSTITUTION: 9, RETENTION: 12, WITHDRAWAL: 20}
_SUBSTITUTED_LANES = 2
_CORRECTED_BACK = 3
_EITHER_BP = 5_000

Cell = tuple[str, str, str, str]


class Boundaries:
    """Chooses the updates of one boundary after the other."""

    def __init__(self, rng: Rng, config: SocialConfig, portfolio: Portfolio, nominal: Nominal) -> None:
        self._rng, self._config, self._nominal = rng, config, nominal
        self._briefs = {brief.brief_id: brief for brief in portfolio.briefs}
        self._turn = rng.stream("offset").integer(0, len(KINDS) - 1)
        self._retention = {audience.audience_id: audience.retention_bp for audience in seed().audiences}
        self._withdrawn: set[Cell] = set()
        self._reserved: dict[int, str] = {}
        self._changing = 0

    def choose(self, wave: int) -> list[AnyUpdate]:
        """Return the updates of the boundary after a wave by their minutes; a withdrawal still lacks its asset."""
        if self._config.updates == "none":
            return []
        boundary = _Boundary(self, self._rng.stream(wave), wave)
        if wave == 1:
            boundary.take(CORRECTION)
        while len(boundary.taken) < self._config.updates_per_boundary and self._next(boundary):
            pass
        return [boundary.taken[kind] for kind in KINDS if kind in boundary.taken]

    def _next(self, boundary: _Boundary) -> bool:
        """Take the next kind in rotation that has a free lane; False when none has."""
        for ahead in range(len(KINDS)):
            turn = (self._turn + ahead) % len(KINDS)
            if boundary.take(KINDS[turn]):
                self._turn = (turn + 1) % len(KINDS)
                return True
        return False

    def unused(self, pair: Sequence[str]) -> list[str]:
        """Return the assets of a package of whose role, locale, format and angle none was withdrawn."""
        return [asset for asset in pair if _cell(asset) not in self._withdrawn]

    def withdraw(self, update: RightsWithdrawal) -> RightsWithdrawal:
        """Choose an asset of the reserved brief's truly winning package, once the wave's conversions are known."""
        story, call = self._nominal.story, self._nominal.opening(update.wave + 1)
        brief = self._reserved.pop(update.wave)
        pair = story.ran(brief, story.winning_arm(brief, update.wave), call)
        asset = self._rng.stream(update.wave, "asset").choice(self.unused(pair))
        self._withdrawn.add(_cell(asset))
        return attrs.evolve(update, asset=asset)

    def changing(self, rng: Rng) -> bool:
        """Tell whether a correction is to change the winner: so many as leave it, drawn when they are even."""
        return self._changing < 0 or (not self._changing and rng.stream(self._config.briefs).chance(_EITHER_BP))

    def count(self, *, changed: bool) -> None:
        """Keep in mind whether a correction changed the winner; one that could not do as wanted is made up for."""
        self._changing += 1 if changed else -1

    def reserve(self, wave: int, brief: str) -> None:
        """Keep in mind the brief from whose package an asset will be withdrawn."""
        self._reserved[wave] = brief

    def brief(self, wave: int, lane: int) -> Brief | None:
        """Return a brief, if there is one."""
        return self._briefs.get(brief_id(wave, lane))

    @property
    def config(self) -> SocialConfig:
        """The task's configuration."""
        return self._config

    @property
    def nominal(self) -> Nominal:
        """What is true so far."""
        return self._nominal

    def change_retention(self, audience: str, rng: Rng) -> int:
        """Draw another of the five retentions for an audience."""
        present = self._retention[audience]
        self._retention[audience] = rng.choice([each for each in RETENTIONS if each != present])
        return self._retention[audience]


def _cell(asset: str) -> Cell:
    row = shelf().assets[asset]
    return row.role, row.locale, row.format, row.angle


class _Boundary:
    """The updates taken at one boundary, and the lanes that they leave free."""

    def __init__(self, owner: Boundaries, rng: Rng, wave: int) -> None:
        self._owner, self._rng, self._wave = owner, rng, wave
        self._lanes: set[int] = set()
        self.taken: dict[str, AnyUpdate] = {}
        self._takers: dict[str, Callable[[Rng], tuple[int, AnyUpdate] | None]] = {
            CORRECTION: self._correction,
            RERUN: self._rerun,
            SUBSTITUTION: self._substitution,
            RETENTION: self._retention,
            WITHDRAWAL: self._withdrawal,
        }

    def take(self, kind: str) -> bool:
        """Take a kind on a free lane; False when it has none, or is taken."""
        found = None if kind in self.taken else self._takers[kind](self._rng.stream(kind))
        if found is None:
            return False
        lane, self.taken[kind] = found
        self._lanes.add(lane)
        return True

    def _closed_lanes(self, rng: Rng) -> list[int]:
        """Return the free lanes of the closed wave in a drawn order, those without a brief in a final wave first."""
        config = self._owner.config
        free = rng.shuffled([lane for lane in range(config.lanes) if lane not in self._lanes])
        following = running(config, self._wave + 1)
        return sorted(free, key=lambda lane: lane < following)

    def _open_lanes(self, rng: Rng) -> list[int]:
        """Return the free lanes of the wave that opens, in a drawn order."""
        count = running(self._owner.config, self._wave + 1)
        return rng.shuffled([lane for lane in range(count) if lane not in self._lanes])

    def _opening_brief(self, lane: int) -> Brief:
        brief = self._owner.brief(self._wave + 1, lane)
        if brief is None:
            raise LookupError(f"wave {self._wave + 1} has no lane {lane}")
        return brief

    def _correction(self, rng: Rng) -> tuple[int, AnyUpdate] | None:
        waves = rng.shuffled([self._wave, self._wave - _CORRECTED_BACK])
        near = [self._owner.brief(wave, lane) for lane in self._closed_lanes(rng) for wave in waves]
        corrected = self._owner.nominal.corrections
        briefs = [brief for brief in near if brief is not None and brief.brief_id not in corrected]
        found = correction(
            Search(
                rng=rng.stream("orders"),
                story=self._owner.nominal.story,
                wave=self._wave,
                briefs=briefs,
                changing=self._owner.changing(rng.stream("changing")),
            )
        )
        if found is None:
            return None
        self._owner.count(changed=found.changes)
        return int(found.correction.brief[-2:]), found.correction

    def _rerun(self, rng: Rng) -> tuple[int, AnyUpdate] | None:
        for lane in self._closed_lanes(rng):
            trigger = After("wave_closed", self._wave)
            brief = brief_id(self._wave, lane)
            return lane, RerunOrder(id="", trigger=trigger, wave=self._wave, brief=brief, hour=RERUN_HOUR + lane)
        return None

    def _trigger(self, kind: str) -> After:
        return After(f"hour:{self._wave + 1}/{_HOURS[kind]}", 1)

    def _substitution(self, rng: Rng) -> tuple[int, AnyUpdate] | None:
        for lane in self._open_lanes(rng):
            if lane < _SUBSTITUTED_LANES:
                brief = self._opening_brief(lane)
                substitute = post(brief, "s", self._wave + 1, weight(rng, "s"))
                return lane, CalendarSubstitution(
                    id="",
                    trigger=self._trigger(SUBSTITUTION),
                    wave=self._wave,
                    brief=brief.brief_id,
                    post=substitute,
                )
        return None

    def _retention(self, rng: Rng) -> tuple[int, AnyUpdate] | None:
        for lane in self._open_lanes(rng):
            audience = rng.choice(sorted(self._opening_brief(lane).audiences))
            return lane, RetentionChange(
                id="",
                trigger=self._trigger(RETENTION),
                wave=self._wave,
                audience=audience,
                retention_bp=self._owner.change_retention(audience, rng),
            )
        return None

    def _withdrawal(self, rng: Rng) -> tuple[int, AnyUpdate] | None:
        """Reserve a lane whose package, whichever arm wins, holds an asset that may be withdrawn."""
        story, call = self._owner.nominal.story, self._owner.nominal.opening(self._wave + 1)
        for lane in self._open_lanes(rng):
            name = self._opening_brief(lane).brief_id
            if all(self._owner.unused(story.arm(name, arm, call)) for arm in "ab"):
                self._owner.reserve(self._wave, name)
                return lane, RightsWithdrawal(id="", trigger=self._trigger(WITHDRAWAL), wave=self._wave, asset="")
        return None
