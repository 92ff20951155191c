"""What the checker reads of a world: a few queries, whatever the number of goals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import attrs

from skillhorizon import World, loads

_VALID = """
    SELECT id, version, content_text FROM artifact
    WHERE kind IN ('NRM', 'MAT', 'AGG', 'CLS', 'RVW', 'PUB', 'REL') AND ended IS NULL"""
_VIEWS = """
    SELECT id, version, content_text FROM artifact AS a WHERE kind = 'VW' AND NOT EXISTS
        (SELECT 1 FROM artifact AS later WHERE later.id = a.id AND later.version > a.version)"""
_CITED = """
    SELECT a.id, c.ref, c.token FROM artifact AS a JOIN cite AS c ON c.id = a.id AND c.version = a.version
    WHERE a.kind = 'CLS' AND a.ended IS NULL AND c.token IS NOT NULL"""
_CITATIONS = """
    SELECT a.id, c.entries FROM artifact AS a JOIN citation AS c ON c.source_id = a.subject AND c.version = a.version
    WHERE a.kind = 'NRM' AND a.ended IS NULL"""


class Version(NamedTuple):
    """A version of an artifact and its content."""

    ref: str
    content: Any


@attrs.frozen(kw_only=True)
class State:
    """The valid versions of a world.

    Attributes:
        valid: artifact id -> its valid version.
        views: view id -> its latest version, valid or not.
        closed: closure id -> the version references that its valid version cites.
        citations: normalization id -> (alias, map, account, rank) of its valid version, sorted by alias.
        fired: ids of the notices that fired, in order.
    """

    valid: Mapping[str, Version]
    views: Mapping[str, Version]
    closed: Mapping[str, frozenset[str]]
    citations: Mapping[str, tuple[tuple[Any, ...], ...]]
    fired: tuple[str, ...]

    @classmethod
    def of(cls, world: World) -> State:
        """Read a world."""
        closed: dict[str, set[str]] = {}
        for closure, ref, token in world.sql(_CITED):
            closed.setdefault(closure, set()).add(f"{ref}@{token}")
        citations = world.sql(_CITATIONS)
        entries = _parsed([text for _, text in citations])
        return cls(
            valid=_versions(world.sql(_VALID)),
            views=_versions(world.sql(_VIEWS)),
            closed={closure: frozenset(refs) for closure, refs in closed.items()},
            citations={
                name: tuple(sorted([(alias, map_id, account, rank) for alias, map_id, account, rank, _ in found]))
                for (name, _), found in zip(citations, entries, strict=True)
            },
            fired=tuple(notice.id for notice in world.ledger.fired()),
        )

    def content(self, artifact: str) -> Any:
        """Return the content of an artifact's valid version, or None."""
        found = self.valid.get(artifact)
        return None if found is None else found.content

    def cites(self, closure: str, version: Version | None) -> bool:
        """Whether a closure is valid and cites that very version."""
        return version is not None and version.ref in self.closed.get(closure, ())


def _parsed(texts: list[str]) -> list[Any]:
    """Parse the JSON texts of several rows at once."""
    found: list[Any] = loads(f"[{','.join(texts)}]")
    return found


def _versions(rows: list[tuple[Any, ...]]) -> dict[str, Version]:
    contents = _parsed([text for _, _, text in rows])
    return {
        name: Version(f"{name}@{number}", content) for (name, number, _), content in zip(rows, contents, strict=True)
    }


def same_rows(found: Any, true: tuple[tuple[Any, ...], ...]) -> bool:
    """Whether two lists of rows are equal as multisets; `true` is sorted."""
    return isinstance(found, list) and len(found) == len(true) and sorted(map(tuple, found)) == [*true]
