"""Which opened sources cite what, by day: the index in which updates look for keys that fit."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon_financeops.plan import SourceTruth
    from skillhorizon_financeops.rows import Source

Key = tuple[str, ...]
"""("alias", ID, K), ("register", ID), ("account", AC), ("format", F) or ("any",)."""
Hit = tuple[int, str]
"""day, source id."""


def keys_of(source: Source, truth: SourceTruth) -> list[Key]:
    """Return the keys under which a source is found."""
    register = source.identity_source_id
    return [
        ("any",),
        ("register", register),
        ("format", source.format),
        *[("alias", register, citation[0]) for citation in truth.citations],
        *[("account", account) for account in {citation[2]: None for citation in truth.citations}],
    ]


class Citing:
    """The days of sources, by key; days are unique to a source."""

    def __init__(self) -> None:
        self._days: defaultdict[Key, list[int]] = defaultdict(list)
        self._names: dict[int, str] = {}
        self._keys: dict[str, list[Key]] = {}

    def put(self, source: Source, truth: SourceTruth) -> None:
        """File a source under its present keys."""
        day, name, days = source.day, source.source_id, self._days
        for key in self._keys.get(name, ()):
            days[key].remove(day)
        self._names[day] = name
        keys = self._keys[name] = keys_of(source, truth)
        for key in keys:
            days[key].append(day)

    def hits(self, keys: Iterable[Key], first: int, last: int) -> list[Hit]:
        """Return the hits of any of the keys on days from `first` to `last`, each source once, in order of day."""
        found = {day for key in keys for day in self._days.get(key, ()) if first <= day <= last}
        return [(day, self._names[day]) for day in sorted(found)]

    def elsewhere(self, aliases: Iterable[str], first: int, last: int) -> list[Hit]:
        """Return the hits of any of the aliases, whatever the register."""
        registers = [key[1] for key in self._days if key[0] == "register"]
        return self.hits([("alias", register, alias) for register in registers for alias in aliases], first, last)

    def keys(self, source_ids: Iterable[str], kind: str) -> list[Key]:
        """Return the distinct keys of a kind under which the sources are found, sorted."""
        return sorted({key for source_id in source_ids for key in self._keys[source_id] if key[0] == kind})


@attrs.frozen(kw_only=True)
class Span:
    """A range of days that ends exactly `sources`: from `earliest`..`first`, to `last`..`latest`."""

    earliest: int
    first: int
    last: int
    latest: int
    sources: tuple[str, ...]


def spans(hits: Sequence[Hit], count: int, limits: tuple[int, int], allowed: frozenset[str]) -> list[Span]:
    """Return the ranges within `limits` that hold exactly `count` of the hits, all allowed; none held when it is 0."""
    low, high = limits
    days = [low - 1, *(day for day, _ in hits), high + 1]
    out = []
    for start in range(len(hits) - count + 1):
        run = hits[start : start + count]
        earliest, latest = days[start] + 1, days[start + count + 1] - 1
        if count and allowed.issuperset(source for _, source in run):
            first, last = run[0][0], run[-1][0]
            out.append(Span(earliest=earliest, first=first, last=last, latest=latest, sources=tuple(s for _, s in run)))
        elif not count and earliest <= latest:
            out.append(Span(earliest=earliest, first=latest, last=earliest, latest=latest, sources=()))
    return out
