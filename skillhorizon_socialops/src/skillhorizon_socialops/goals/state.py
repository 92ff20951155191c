"""What the checker reads of a world: a few queries, whatever the number of goals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import attrs

from skillhorizon import World, loads
from skillhorizon_socialops.rows import Acknowledgement, Firing, Impact, Move, Post, Publication, Release, Wave

_ARTIFACTS = """
    SELECT id, version, kind, subject, made, ended, content_text FROM artifact
    WHERE kind IN ('pk', 'ap', 'ex', 'pb', 'cr', 'rp', 'dp') ORDER BY id, version"""
_RESOLVED = "SELECT id FROM notice WHERE resolved = 1"


class Version(NamedTuple):
    """A version of an artifact: its reference `id@n`, its life in calls, and its content."""

    ref: str
    id: str
    kind: str
    subject: str
    made: int
    ended: int | None
    content: Any

    def current_at(self, call: int) -> bool:
        """Whether the body of a call found it current."""
        return self.made <= call and (self.ended is None or call <= self.ended)


@attrs.frozen(kw_only=True)
class State:
    """A world as it stands.

    Attributes:
        versions: reference -> version.
        current: id -> the version that has not ended.
        of_kind: kind -> its versions in the order of their calls.
        posts: by id.
        publications: of briefs and house posts, in the order of their calls.
        moves: in the order of their calls.
        waves: by number.
        fired: update -> the call that it fired in.
        impacts, acknowledged: notice -> the briefs that it affected, and those that it was acknowledged with.
        resolved: notices that are resolved.
        releases: post -> its release.
    """

    versions: Mapping[str, Version]
    current: Mapping[str, Version]
    of_kind: Mapping[str, Sequence[Version]]
    posts: Mapping[str, Post]
    publications: Sequence[Publication]
    moves: Sequence[Move]
    waves: Mapping[int, Wave]
    fired: Mapping[str, int]
    impacts: Mapping[str, Any]
    acknowledged: Mapping[str, Any]
    resolved: frozenset[str]
    releases: Mapping[str, Release]

    @classmethod
    def of(cls, world: World) -> State:
        """Read a world."""
        versions = _versions(world)
        of_kind: dict[str, list[Version]] = defaultdict(list)
        for version in sorted(versions, key=attrgetter("made")):
            of_kind[version.kind].append(version)
        return cls(
            versions={version.ref: version for version in versions},
            current={version.id: version for version in versions if version.ended is None},
            of_kind=of_kind,
            posts={post.post_id: post for post in world.select(Post)},
            publications=sorted(world.select(Publication), key=attrgetter("call")),
            moves=world.select(Move),
            waves={wave.wave: wave for wave in world.select(Wave)},
            fired={row.update_id: row.call for row in world.select(Firing)},
            impacts={row.notice_id: row.affected for row in world.select(Impact)},
            acknowledged={row.notice_id: row.briefs for row in world.select(Acknowledgement)},
            resolved=frozenset(name for (name,) in world.sql(_RESOLVED)),
            releases={row.post_id: row for row in world.select(Release)},
        )


def _versions(world: World) -> list[Version]:
    """Read all versions, by id and number."""
    return [
        Version(f"{name}@{number}", name, kind, subject, made, ended, loads(text))
        for name, number, kind, subject, made, ended, text in world.sql(_ARTIFACTS)
    ]
