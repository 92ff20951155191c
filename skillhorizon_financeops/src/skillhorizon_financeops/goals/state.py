"""What the checker reads of a world: a few queries, whatever the number of goals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import attrs

from skillhorizon import World, loads

_VALID = "SELECT id, version, content_text FROM artifact WHERE ended IS NULL"
_VIEWS = """
    SELECT id, version, content_text FROM artifact AS a WHERE kind = 'VW' AND NOT EXISTS
        (SELECT 1 FROM artifact AS later WHERE later.id = a.id AND later.version > a.version)"""
_CITED = """
    SELECT a.id, c.ref || '@' || c.token FROM artifact AS a JOIN cite AS c ON c.id = a.id AND c.version = a.version
    WHERE a.kind = 'CLS' AND a.ended IS NULL AND c.token IS NOT NULL"""
_CITATIONS = "SELECT source_id, version, entries FROM citation"
_resolved = itemgetter(0, 1, 2, 3)


class Versions(NamedTuple):
    """Versions of artifacts by artifact id: their numbers, and their contents."""

    numbers: Mapping[str, int]
    contents: Mapping[str, Any]

    @classmethod
    def of(cls, rows: Sequence[tuple[str, int, str]]) -> Versions:
        """Take versions from their rows."""
        names, numbers, texts = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(dict(zip(names, numbers, strict=True)), dict(zip(names, _parsed(texts), strict=True)))

    def ref(self, artifact: str) -> str | None:
        """Return the reference of an artifact's version, or None."""
        number = self.numbers.get(artifact)
        return None if number is None else f"{artifact}@{number}"


@attrs.frozen(kw_only=True)
class State:
    """The valid versions of a world.

    Attributes:
        valid: the valid version of each artifact.
        views: the latest version of each view, valid or not.
        cited: (closure id, version reference) of each that the closure's valid version cites.
        citations: source id, version -> (alias, map, account, rank) of that normalization, sorted by alias.
        fired: ids of the notices that fired, in order.
    """

    valid: Versions
    views: Versions
    cited: frozenset[tuple[str, str]]
    citations: Mapping[tuple[str, int | None], tuple[tuple[Any, ...], ...]]
    fired: tuple[str, ...]

    @classmethod
    def of(cls, world: World) -> State:
        """Read a world."""
        citations = world.sql(_CITATIONS)
        entries = _parsed([text for _, _, text in citations])
        return cls(
            valid=Versions.of(world.sql(_VALID)),
            views=Versions.of(world.sql(_VIEWS)),
            cited=frozenset(world.sql(_CITED)),
            citations={
                (source_id, version): tuple(sorted(map(_resolved, found)))
                for (source_id, version, _), found in zip(citations, entries, strict=True)
            },
            fired=tuple(notice.id for notice in world.ledger.fired()),
        )

    def content(self, artifact: str) -> Any:
        """Return the content of an artifact's valid version, or None."""
        return self.valid.contents.get(artifact)


def _parsed(texts: Sequence[str]) -> list[Any]:
    """Parse the JSON texts of several rows at once."""
    found: list[Any] = loads(f"[{','.join(texts)}]")
    return found


def same_rows(found: Iterable[Any], true: Iterable[tuple[tuple[Any, ...], ...] | None]) -> list[bool]:
    """Whether each list of rows equals the true one as a multiset; the true ones are sorted, None is no list."""
    return [_same(rows, kept) for rows, kept in zip(found, true, strict=True)]


def _same(rows: Any, kept: tuple[tuple[Any, ...], ...] | None) -> bool:
    if type(rows) is not list or kept is None or len(rows) != len(kept):
        return False
    try:
        return tuple(sorted(map(tuple, rows))) == kept
    except TypeError:  # rows of another form
        return False
