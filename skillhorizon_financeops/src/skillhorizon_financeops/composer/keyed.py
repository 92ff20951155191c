"""Updates that bring a governing record: an overlay, an account's value, a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer.citing import Key, Span, spans
from skillhorizon_financeops.composer.contracts import superseding
from skillhorizon_financeops.composer.desk import Found, Search
from skillhorizon_financeops.composer.reference import ACCOUNTS, ENTITIES
from skillhorizon_financeops.plan import AccountReassigned, ContractSuperseded, MapSuperseded
from skillhorizon_financeops.rows import AccountValue, Contract, IdentityMap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KEYS_TRIED = 24


def _drawn(search: Search, keys: Sequence[Key], limits: tuple[int, int]) -> Span | None:
    """Draw a span of the keys' hits that ends exactly what the search asks for."""
    hits = search.citing.hits(keys, *limits)
    fitting = spans(hits, search.count, limits, search.allowed)
    return search.rng.choice(fitting) if fitting else None


def _key_sets(search: Search) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Draw (identity source, one to three of its aliases): first several at once, then singly."""
    keys = search.rng.shuffled(search.citing.keys(search.window, "alias"))
    for _, register, alias in keys[:_KEYS_TRIED]:
        others = [key[2] for key in keys if key[1] == register and key[2] != alias]
        more = min(search.rng.integer(0, 2), len(others))
        yield register, tuple(sorted((alias, *search.rng.sample(others, more))))
    for _, register, alias in keys[:_KEYS_TRIED]:
        yield register, (alias,)


def map_superseded(search: Search) -> Found | None:
    """Find an overlay that ends exactly as many normalizations as asked."""
    for register, aliases in _key_sets(search):
        keys: list[Key] = [("alias", register, alias) for alias in aliases]
        span = _drawn(search, keys, search.limits)
        if span is not None:
            found = _overlay(search, (register, aliases), span)
            if found is not None:
                return found
    return None


def _overlay(search: Search, key: tuple[str, tuple[str, ...]], span: Span) -> Found | None:
    register, aliases = key
    first, last = search.range_of(span)
    near = _near_aliases(search, key, (first, last), span.sources)
    entries = _new_accounts(search, register, aliases, (span.sources, first))
    if not near or entries is None:
        return None
    rank = max(m.rank for m in search.replay.book.maps[register]) + 1
    overlay = IdentityMap(f"{register.replace('ID-', 'MP-')}.{rank}", register, first, last, rank, entries)
    update = MapSuperseded(
        id=search.id, trigger=search.trigger, stage=search.stage, decoy=search.decoy, overlay=overlay
    )
    return Found(update, span.sources, near)


def _near_aliases(
    search: Search, key: tuple[str, tuple[str, ...]], days: tuple[int, int], affected: Sequence[str]
) -> tuple[str, ...]:
    """Return near misses: the aliases elsewhere, the aliases on other days, other aliases."""
    register, aliases = key
    low, high = search.limits
    same = search.citing.elsewhere(aliases, *days)
    other_day = search.citing.hits([("alias", register, alias) for alias in aliases], low, high)
    other_alias = search.citing.hits([("register", register)], *days)
    return search.near((same[:2], search.beside(other_day, *days)[:2], other_alias, same, other_day), affected)


def _new_accounts(
    search: Search, register: str, aliases: Sequence[str], place: tuple[Sequence[str], int]
) -> dict[str, str] | None:
    """Draw for each alias an account of another entity on the days that it must change; None when there is none."""
    book, (affected, first) = search.replay.book, place
    sources = [search.replay.sources[s] for s in affected]
    days = [source.day for source in sources] or [first]
    out: dict[str, str] = {}
    for alias in aliases:
        governing = [book.map_of(register, alias, day) for day in days]
        held = {(m.entries[alias], day) for m, day in zip(governing, days, strict=True) if m is not None}
        taken = {account for account, _ in held} | set(out.values())
        free = [
            account
            for account in ACCOUNTS
            if account not in taken
            and all(book.value(account, day).entity != book.value(old, day).entity for old, day in held)
        ]
        if not free:
            return None
        out[alias] = search.rng.choice(free)
    return out


def account_reassigned(search: Search) -> Found | None:
    """Find an account's new value that ends exactly as many normalizations as asked."""
    for key in search.rng.shuffled(search.citing.keys(search.window, "account")):
        span = _drawn(search, [key], search.limits)
        if span is not None:
            found = _value(search, key, span)
            if found is not None:
                return found
    return None


def _value(search: Search, key: Key, span: Span) -> Found | None:
    account, (first, last) = key[1], search.range_of(span)
    low, high = search.limits
    other_day = search.beside(search.citing.hits([key], low, high), first, last)
    near = search.near((other_day[:3], search.citing.hits([("any",)], first, last), other_day), span.sources)
    book = search.replay.book
    days = [search.replay.sources[s].day for s in span.sources] or [first]
    old = {book.value(account, day).entity for day in days}
    if not near:
        return None
    entity = search.rng.choice([e for e in ENTITIES if e not in old])
    value = AccountValue(account, book.values[account][0].rank + 1, first, last, entity)
    update = AccountReassigned(
        id=search.id, trigger=search.trigger, stage=search.stage, decoy=search.decoy, value=value
    )
    return Found(update, span.sources, near)


def contract_superseded(search: Search) -> Found | None:
    """Find a contract that ends exactly as many normalizations as asked; the remittance format keeps its own."""
    for key in search.rng.shuffled(search.citing.keys(search.window, "format")):
        tiles = [c for c in search.replay.book.contracts[key[1]] if key[1] != "FR" and _is_tile(search, c)]
        for tile in search.rng.shuffled(tiles):
            found = _contract(search, key, tile)
            if found is not None:
                return found
    return None


def _is_tile(search: Search, contract: Contract) -> bool:
    """Whether a contract is one of the spans that tile all days, and lies within the search's limits."""
    low, high = search.limits
    others = [c for c in search.replay.book.contracts[contract.format] if c.rank < contract.rank]
    apart = all(c.to_day < contract.from_day for c in others)
    return apart and contract.from_day <= high and contract.to_day >= low


def _contract(search: Search, key: Key, tile: Contract) -> Found | None:
    low, high = search.limits
    span = _drawn(search, [key], (max(low, tile.from_day), min(high, tile.to_day)))
    if span is None:
        return None
    book, (first, last) = search.replay.book, search.range_of(span)
    governing = {book.contract(tile.format, search.replay.sources[s].day).contract_id for s in span.sources}
    near = search.near((search.beside(search.citing.hits([key], low, high), first, last),), span.sources)
    if len(governing) > 1 or not near:
        return None
    day = search.replay.sources[span.sources[0]].day if span.sources else first
    rank = book.contracts[tile.format][0].rank + 1
    contract = superseding(search.rng, search.config, book.contract(tile.format, day), rank)
    contract = attrs.evolve(contract, from_day=first, to_day=last)
    update = ContractSuperseded(
        id=search.id, trigger=search.trigger, stage=search.stage, decoy=search.decoy, contract=contract
    )
    return Found(update, span.sources, near)
