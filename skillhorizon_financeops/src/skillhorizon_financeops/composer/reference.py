"""The reference data of a task: identity sources and maps, accounts, entities, staff, opening items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_financeops.rows import (
    AccountValue,
    Entity,
    IdentityMap,
    IdentitySource,
    OpeningItem,
    Staff,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon import Rng
    from skillhorizon_financeops.config import FinanceConfig

LAST_DAY = 9999
"""The end of every open range."""
ENTITIES = tuple(f"E{n:02}" for n in range(1, 13))
ALIASES = tuple(f"K{n:02}" for n in range(1, 15))
ACCOUNTS = tuple(f"AC-{n:02}" for n in range(1, 37))
_FIRST_SOURCES, _MAP_SIZE, _OVERLAY_SIZE, _RANGED_ACCOUNTS = 3, 10, 3, 9


def entities(rng: Rng) -> tuple[Entity, ...]:
    """Draw the opening balances, minor units."""
    return tuple(Entity(entity, rng.integer(0, 2_000_000)) for entity in ENTITIES)


def staff(config: FinanceConfig) -> tuple[Staff, ...]:
    """Return the five reviewers with their capacity."""
    return tuple(Staff(f"ST-{n}", config.reviews, config.reviews) for n in range(1, 6))


def identity_sources(config: FinanceConfig) -> tuple[IdentitySource, ...]:
    """Return three sources released at stage 1 and one at every second stage."""
    first = [IdentitySource(f"ID-{n}", 1) for n in range(1, _FIRST_SOURCES + 1)]
    later = [IdentitySource(f"ID-{_FIRST_SOURCES + s // 2}", s) for s in range(2, config.stages + 1, 2)]
    return (*first, *later)


def identity_maps(rng: Rng, config: FinanceConfig) -> tuple[IdentityMap, ...]:
    """Draw each identity source's base map, and for every second one an overlay of three aliases."""
    out: list[IdentityMap] = []
    for index, source in enumerate(identity_sources(config)):
        draws = rng.stream(source.identity_source_id)
        entries = _entries(draws, draws.sample(ALIASES, _MAP_SIZE))
        name = source.identity_source_id.replace("ID-", "MP-")
        out.append(IdentityMap(f"{name}.0", source.identity_source_id, 0, LAST_DAY, 0, entries))
        if index % 2:
            first = draws.integer(100 * source.released_stage, 100 * config.stages)
            overlay = _changed(draws, entries, draws.sample(sorted(entries), _OVERLAY_SIZE))
            last = first + draws.integer(99, 139)
            out.append(IdentityMap(f"{name}.1", source.identity_source_id, first, last, 1, overlay))
    return tuple(out)


def _entries(rng: Rng, aliases: Sequence[str]) -> dict[str, str]:
    return dict(sorted(zip(aliases, rng.sample(ACCOUNTS, len(aliases)), strict=True)))


def _changed(rng: Rng, entries: Mapping[str, str], aliases: Sequence[str]) -> dict[str, str]:
    free = [account for account in ACCOUNTS if account not in entries.values()]
    return dict(sorted(zip(aliases, rng.sample(free, len(aliases)), strict=True)))


def account_values(rng: Rng, config: FinanceConfig) -> tuple[AccountValue, ...]:
    """Draw each account's entity, and for a quarter of them another entity on a range of days."""
    owners = rng.shuffled(ENTITIES * (len(ACCOUNTS) // len(ENTITIES)))
    base = [AccountValue(a, 0, 0, LAST_DAY, e) for a, e in zip(ACCOUNTS, owners, strict=True)]
    ranged = []
    for value in rng.sample(base, _RANGED_ACCOUNTS):
        first = rng.integer(100, 100 * config.stages)
        entity = rng.choice([e for e in ENTITIES if e != value.entity])
        ranged.append(AccountValue(value.account, 1, first, first + rng.integer(99, 199), entity))
    return tuple(sorted([*base, *ranged], key=lambda v: (v.account, v.rank)))


def opening_items(rng: Rng, config: FinanceConfig) -> tuple[OpeningItem, ...]:
    """Draw four opening items for each lockbox; none outside receivables."""
    boxes = range(1, config.width // 2 + 1) if config.receivables else ()
    out = []
    for box in boxes:
        for number in range(1, 5):
            entity, amount, day = rng.choice(ENTITIES), rng.integer(2_000, 60_000), rng.integer(0, 90)
            out.append(OpeningItem(f"O00{box:02}{number:02}", f"LB-{box:02}", entity, amount, day, day + 150))
    return tuple(out)
