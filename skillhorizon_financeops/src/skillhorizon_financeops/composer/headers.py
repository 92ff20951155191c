"""Headers of sources: kind, format, day, identity source, policy, lockbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer.shape import SALES_FORMATS, Shape, shape
from skillhorizon_financeops.rows import IdentitySource, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Rng
    from skillhorizon_financeops.config import FinanceConfig

_LATE_BPS, _LATE_STAGES, _OLD_STAGES = 1_000, 3, 3
_POLICIES = ("first", "latest_revision")
Registers = tuple[list[str], list[str]]
"""Ids of old identity sources and of recent ones."""


def headers(rng: Rng, config: FinanceConfig, registers: Sequence[IdentitySource]) -> tuple[Source, ...]:
    """Draw the headers of all sources, in order of id."""
    used: set[int] = set()
    out = []
    particulars = shape(config)
    for stage in range(1, config.stages + 1):
        released = _registers(registers, stage)
        for number in range(1, config.width + 1):
            source = _header(rng.stream(stage, number), config, (stage, number), (released, particulars))
            if stage > 1 and source.kind == "sales":
                draws = rng.stream("late", stage, number)
                source = _late(draws, source, used) if draws.chance(_LATE_BPS) else source
            out.append(source)
    return tuple(out)


def _registers(registers: Sequence[IdentitySource], stage: int) -> Registers:
    """Return what a stage's sources may use: registers released three stages earlier or more, and the recent ones."""
    released = [r for r in registers if r.released_stage <= stage]
    old = [r.identity_source_id for r in released if r.released_stage <= stage - _OLD_STAGES]
    return old, [r.identity_source_id for r in released if r.released_stage > stage - _OLD_STAGES]


def _header(rng: Rng, config: FinanceConfig, place: tuple[int, int], drawn: tuple[Registers, Shape]) -> Source:
    (stage, number), (released, particulars) = place, drawn
    cash = config.receivables and number % 2 == 0
    return Source(
        source_id=f"S{stage:02}-{number:02}",
        stage=stage,
        kind="remittance" if cash else "sales",
        format="FR" if cash else rng.choice(SALES_FORMATS[: particulars.formats]),
        day=100 * stage + 2 * (number - 1),
        identity_source_id=_register(rng, particulars.old, released),
        conflict_policy=rng.choice(_POLICIES),
        lockbox=f"LB-{(number + 1) // 2:02}" if config.receivables else None,
        version=1,
    )


def _register(rng: Rng, old_share: int, released: Registers) -> str:
    """Return an identity source: an old one with the given share, where there is one."""
    old, recent = released
    return rng.choice(old if old and rng.chance(100 * old_share) else recent)


def _late(rng: Rng, source: Source, used: set[int]) -> Source:
    """Give a source an unused odd day of an earlier stage, if there is one."""
    first = max(1, source.stage - _LATE_STAGES)
    free = [day for day in range(100 * first + 1, 100 * source.stage, 2) if day not in used]
    if not free:
        return source
    day = rng.choice(free)
    used.add(day)
    return attrs.evolve(source, day=day)
