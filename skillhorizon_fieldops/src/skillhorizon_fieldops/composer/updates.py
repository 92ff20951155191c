"""Which updates a task has: kinds in turn, wave by wave, with triggers that every finishing order completes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import After
from skillhorizon_fieldops.composer.catalogue import PROCEDURES
from skillhorizon_fieldops.composer.estate import Estate
from skillhorizon_fieldops.composer.kit import Kit
from skillhorizon_fieldops.composer.portfolio import Portfolio
from skillhorizon_fieldops.config import CLASSES, MODERNISATION, RESTORATION, FieldConfig
from skillhorizon_fieldops.plan import (
    AnyUpdate,
    BatchRecall,
    CrewChange,
    ProcedureRevision,
    ServiceBaseline,
    WindowChange,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon import Rng
    from skillhorizon_fieldops.rows import Procedure

CYCLES: Mapping[str, tuple[type[AnyUpdate], ...]] = {
    RESTORATION: (BatchRecall, ServiceBaseline, WindowChange, ProcedureRevision, CrewChange),
    MODERNISATION: (WindowChange, BatchRecall, ServiceBaseline, CrewChange, ProcedureRevision),
}
_CHANGE_BP = (300, 1_000)
_SHIFT = 4
_TESTED_USERS = 2


@attrs.frozen(kw_only=True)
class Planned:
    """A task before its updates: what their triggers count."""

    config: FieldConfig
    estate: Estate
    kit: Kit
    portfolio: Portfolio

    def zones(self, wave: int) -> int:
        """Return how many zones a wave has."""
        return sum(zone.wave == wave for zone in self.estate.zones)

    def classes(self, wave: int) -> list[str]:
        """Return the classes of a wave's devices."""
        return [self.estate.network.classes[index] for index in self.estate.of_wave(wave)]

    def before(self, wave: int, device_class: str) -> int:
        """Return how many devices of a class earlier waves have."""
        pairs = zip(self.estate.waves, self.estate.network.classes, strict=True)
        return sum(due < wave and own == device_class for due, own in pairs)


def updates(rng: Rng, planned: Planned) -> tuple[AnyUpdate, ...]:
    """Draw all updates in the order of their waves."""
    cycle, editions = CYCLES[planned.config.scenario], {row.device_class: [row] for row in PROCEDURES}
    out: list[AnyUpdate] = []
    for wave in range(1, planned.config.waves + 1):
        for _ in range(planned.config.updates_per_wave):
            name, kind = f"N-{len(out) + 1:02}", cycle[len(out) % len(cycle)]
            out.append(_update(rng.stream(name), planned, (name, kind, wave), editions))
    return tuple(out)


def _update(
    rng: Rng, planned: Planned, head: tuple[str, type[AnyUpdate], int], editions: dict[str, list[Procedure]]
) -> AnyUpdate:
    name, kind, wave = head
    if kind is ServiceBaseline:
        change = rng.choice((-1, 1)) * rng.integer(*_CHANGE_BP)
        return ServiceBaseline(id=name, trigger=_commissioned(planned, wave), wave=wave, change_bp=change)
    if kind is ProcedureRevision:
        return _revision(rng, planned, (name, wave), editions)
    if kind is BatchRecall:
        return BatchRecall(id=name, trigger=_arrester_tested(planned, wave), wave=wave)
    if kind is WindowChange:
        return WindowChange(id=name, trigger=_isolated(planned, wave, 2), wave=wave)
    return CrewChange(id=name, trigger=_isolated(planned, wave, 1), wave=wave)


def _isolated(planned: Planned, wave: int, thirds: int) -> After:
    zones = planned.zones(wave)
    return After(f"isolated:{wave}", min(-(-thirds * zones // 3), zones - 1))


def _commissioned(planned: Planned, wave: int) -> After:
    services = planned.portfolio.waves.count(wave)
    return After(f"commissioned:{wave}", -(-services // 2))


def _arrester_tested(planned: Planned, wave: int) -> After:
    users = sum(planned.estate.waves[index] == wave for index in planned.kit.users)
    return After(f"arrester_tested:{wave}", min(_TESTED_USERS, users))


def _revision(rng: Rng, planned: Planned, head: tuple[str, int], editions: dict[str, list[Procedure]]) -> AnyUpdate:
    """Revise the class most frequent in a wave: both numbers near edition 1's, and not the last pair."""
    name, wave = head
    classes = planned.classes(wave)
    device_class = max(CLASSES, key=classes.count)
    row = _next_edition(rng, editions[device_class])
    editions[device_class].append(row)
    count = planned.before(wave, device_class) + -(-2 * classes.count(device_class) // 3)
    return ProcedureRevision(id=name, trigger=After(f"passed:{device_class}", count), wave=wave, procedure=row)


def _next_edition(rng: Rng, known: Sequence[Procedure]) -> Procedure:
    first, last = known[0], known[-1]
    while True:
        coef, bound = first.coef_bp + rng.integer(-_SHIFT, _SHIFT), first.bound + rng.integer(-_SHIFT, _SHIFT)
        if (coef, bound) != (last.coef_bp, last.bound):
            return attrs.evolve(last, edition=last.edition + 1, coef_bp=coef, bound=bound)
