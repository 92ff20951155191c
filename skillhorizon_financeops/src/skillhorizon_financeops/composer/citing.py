"""Which opened sources cite what, by day: the index in which updates look for keys that fit."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon_financeops.plan import SourceTruth
    from skillhorizon_financeops.rows import Source

Key = tuple[str, ...]
"""("alias", ID, K), ("elsewhere", K), ("register", ID), ("account", AC), ("format", F) or ("any",)."""
Hit = tuple[int, str]
"""day, source id."""


def keys_of(source: Source, truth: SourceTruth) -> tuple[Key, ...]:
    """Return the keys under which a source is found."""
    register = source.identity_source_id
    aliases = [citation[0] for citation in truth.citations]
    return (
        ("any",),
        ("register", register),
        ("format", source.format),
        *(("alias", register, alias) for alias in aliases),
        *(("elsewhere", alias) for alias in aliases),
        *(("account", account) for account in sorted({citation[2] for citation in truth.citations})),
    )


class Citing:
    """Hits in order of day; days are unique to a source."""

    def __init__(self) -> None:
        self._hits: defaultdict[Key, list[Hit]] = defaultdict(list)
        self._keys: dict[str, tuple[Key, ...]] = {}

    def put(self, source: Source, truth: SourceTruth) -> None:
        """File a source under its present keys."""
        hit = (source.day, source.source_id)
        for key in self._keys.get(source.source_id, ()):
            self._hits[key].remove(hit)
        self._keys[source.source_id] = keys_of(source, truth)
        for key in self._keys[source.source_id]:
            insort(self._hits[key], hit)

    def hits(self, keys: Iterable[Key], first: int, last: int | None = None) -> list[Hit]:
        """Return the hits of any of the keys on days from `first` (to `last`), each source once."""
        found: set[Hit] = set()
        for key in keys:
            hits = self._hits.get(key, [])
            high = len(hits) if last is None else bisect_left(hits, (last + 1, ""))
            found.update(hits[bisect_left(hits, (first, "")) : high])
        return sorted(found)

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
