"""Which opened sources cite what, by day: where updates look for keys that fit."""

from __future__ import annotations

from bisect import bisect_left, insort
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


Filed = tuple["Source", "SourceTruth"]
"""An opened source and what is true of it."""


class Citing:
    """Opened sources in order of day; days are unique to a source."""

    def __init__(self) -> None:
        self._days: list[Hit] = []
        self._filed: dict[str, Filed] = {}

    def put(self, source: Source, truth: SourceTruth) -> None:
        """File a source with its present truth."""
        if source.source_id not in self._filed:
            insort(self._days, (source.day, source.source_id))
        self._filed[source.source_id] = source, truth

    def _within(self, first: int, last: int) -> list[Filed]:
        low, high = bisect_left(self._days, (first, "")), bisect_left(self._days, (last + 1, ""))
        return [self._filed[name] for _, name in self._days[low:high]]

    def hits(self, keys: Iterable[Key], first: int, last: int) -> list[Hit]:
        """Return the hits of any of the keys on days from `first` to `last`, each source once, in order of day."""
        within = self._within(first, last)
        return sorted({(source.day, source.source_id) for key in keys for source, _ in _under(key, within)})

    def elsewhere(self, aliases: Sequence[str], first: int, last: int) -> list[Hit]:
        """Return the hits of any of the aliases, whatever the register."""
        cited = [(source, {c[0] for c in truth.citations}) for source, truth in self._within(first, last)]
        return [(source.day, source.source_id) for source, held in cited if not held.isdisjoint(aliases)]

    def keys(self, source_ids: Iterable[str], kind: str) -> list[Key]:
        """Return the distinct keys of a kind (alias, account or format) that find the sources, sorted.

        Raises:
            ValueError: for any other kind.
        """
        filed = [self._filed[source_id] for source_id in source_ids]
        match kind:
            case "alias":
                found = [("alias", s.identity_source_id, c[0]) for s, truth in filed for c in truth.citations]
                return sorted(set(found))
            case "account":
                return sorted({("account", c[2]) for _, truth in filed for c in truth.citations})
            case "format":
                return sorted({("format", source.format) for source, _ in filed})
            case _:
                raise ValueError(f"there are no keys of kind {kind!r}; ask for alias, account or format")


def _under(key: Key, filed: Sequence[Filed]) -> Sequence[Filed]:
    """Return the sources that are found under a key.

    Raises:
        ValueError: for a key of no known form.
    """
    match key:
        case ("alias", register, alias):
            own = [each for each in filed if each[0].identity_source_id == register]
            return [each for each in own if alias in [c[0] for c in each[1].citations]]
        case ("register", register):
            return [each for each in filed if each[0].identity_source_id == register]
        case ("account", account):
            return [each for each in filed if account in [c[2] for c in each[1].citations]]
        case ("format", name):
            return [each for each in filed if each[0].format == name]
        case ("any",):
            return filed
        case _:
            raise ValueError(f"{key} is no key under which sources are found")


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
