"""The ledger: artifacts with versions, what they stand on, and how they end (architecture, section 6)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs
import sqlalchemy as sa

from skillhorizon.model.canonical import Json, dumps
from skillhorizon.world.artifacts import Artifact, Cite, Ended, Event, NoticeRow, Watch
from skillhorizon.world.readings import Readings
from skillhorizon.world.rows import compiled, layout

if TYPE_CHECKING:
    from skillhorizon.model.update import Notice
    from skillhorizon.world.store import Store
    from skillhorizon.world.world import World

__all__ = ["Artifact", "Change", "Cite", "Ended", "Event", "Ledger", "OnChange", "OnEnd"]

OnChange = Callable[["World", Artifact, str], "Ended | None"]
"""(world, artifact, changed reference) -> how the artifact ends, or None: it stays."""
OnEnd = Callable[["World", Artifact], None]
"""Runs after an artifact's row is closed; may call `changed`, queued in the same ripple."""
Reference = str | tuple[str, str]
Cites = Mapping[str, Reference | Sequence[Reference]]
Mentions = Mapping[str, str | Sequence[str]]
Cited = tuple[str, int, str, str, "str | None"]
"""id, version, role, watched reference and token of a cite; a token of None is provenance only."""
Head = tuple[int, "int | None"]
"""An artifact's latest version, and the call in which it ended."""
_LIVE = (None, None, None)
"""What an artifact that has not ended holds of its end."""


class LedgerError(Exception):
    """The environment broke a rule of the ledger; an internal error, never an agent's."""


class Change(NamedTuple):
    """An artifact version made (`how` is "made") or ended in a call, and the root of the ripple."""

    ref: str
    how: str
    cause: str


@cache
def _sql() -> dict[str, str]:
    a, c, w = layout(Artifact).table, layout(Cite).table, layout(Watch).table
    p = sa.bindparam
    joined = sa.join(c, a, (c.c.id == a.c.id) & (c.c.version == a.c.version))
    close: dict[str, sa.ColumnElement[Any]] = {"ended": p("v_ended"), "ended_as": p("v_as"), "cause": p("v_cause")}
    own = (c.c.id == p("id"), c.c.version == p("version"))
    return {
        "newest": compiled(
            sa.select(a.c.version, a.c.ended)
            .where(a.c.id == p("id"))
            .order_by(a.c.version.desc())
            .suffix_with("LIMIT 1")
        ),
        "outdated": compiled(
            sa.select(*a.c)
            .select_from(joined)
            .where(c.c.ref == p("ref"), c.c.token != p("token"), a.c.ended.is_(sa.null()))
            .order_by(a.c.id, a.c.version)
        ),
        "close": compiled(sa.update(a).where(a.c.id == p("k_id"), a.c.version == p("k_version")).values(close)),
        "make": layout(Artifact).insert_sql,
        "cite": layout(Cite).insert_sql,
        "watch_new": "INSERT INTO watch (ref, token) VALUES (?, ?) ON CONFLICT (ref) DO NOTHING",
        "watch_set": "INSERT INTO watch (ref, token) VALUES (?, ?) "
        "ON CONFLICT (ref) DO UPDATE SET token = excluded.token",
        "differing": compiled(
            sa.select(c.c.ref)
            .select_from(sa.join(c, w, c.c.ref == w.c.ref))
            .where(*own, c.c.token != w.c.token)
            .suffix_with("LIMIT 1")
        ),
        "freeze": "UPDATE cite SET token = NULL, ref = CASE WHEN EXISTS (SELECT 1 FROM artifact AS a "
        "WHERE a.id = cite.ref AND CAST(a.version AS TEXT) = cite.token) THEN ref || '@' || token ELSE ref END "
        "WHERE id = ? AND version = ? AND token IS NOT NULL",
        "subjects": "SELECT count(*) FROM event WHERE name = ?",
        "notices": "SELECT count(*) FROM notice",
    }


class Ledger(Readings):
    """Writes of the ledger. `index` is the running call's number (0 in `build`), `root` the cause of what ends.

    `events` are those that the call recorded, with the number of their distinct subjects.
    """

    def __init__(self, store: Store, world: World) -> None:
        super().__init__(store)
        self.world = world
        self.index = 0
        self.args_text = "null"
        self.root = "build"
        self.changes: list[Change] = []
        self.events: dict[str, int] = {}
        self.on_change: Mapping[str, OnChange] = {}
        self.on_end: Mapping[str, OnEnd] = {}
        self._write = _sql()
        self._queue: deque[tuple[str, str]] = deque()
        self._rippling = False
        self._heads: dict[str, Head | None] = {}

    def begin(self, index: int, args_text: str) -> None:
        """Start a call: what follows is made in it and, until an update fires, caused by it."""
        self.index, self.args_text, self.root = index, args_text, f"call:{index}"
        self.changes, self.events, self._heads = [], {}, {}

    def forget(self) -> None:
        """Drop what the call noted, after its transaction was rolled back."""
        self.changes, self.events, self._heads = [], {}, {}
        self._queue.clear()
        self._rippling = False

    def made_by(self, id: str, args_text: str) -> bool:
        """Return whether the current version was made by these arguments, as canonical JSON."""
        head = self._heads[id] = self._newest(id)
        if head is None or head[1] is not None:
            return False
        return self.store.db.execute(self._read["made_by"], (id, args_text)).fetchone() is not None

    def _newest(self, id: str) -> Head | None:
        found: Head | None = self.store.db.execute(self._write["newest"], (id,)).fetchone()
        return found

    def produce(
        self,
        id: str,
        content: Json,
        *,
        cites: Cites | None = None,
        mentions: Mentions | None = None,
        aspects: Mapping[str, str] | None = None,
        period: int = 0,
    ) -> Artifact:
        """Make a new version; a current one is superseded, and what stood on it ends.

        Args:
            id: `kind:subject`, from the object and never from a counter.
            content: any JSON.
            cites: by role: `id@n` (must be current), a watched reference, or (reference, token).
            mentions: by role: references kept as provenance.
            aspects: tokens of the artifact's aspects, watched as `id/name`.
            period: the environment's reading of time.

        Raises:
            LedgerError: when a cite is not current or its token differs from the watch.
        """
        found = self._heads.pop(id) if id in self._heads else self._newest(id)
        version = 1 if found is None else found[0] + 1
        cited, fresh = self._resolved((id, version), cites or {})
        kind, _, subject = id.partition(":")
        clock = self.world.clock
        values = (id, version, kind, subject, period, self.args_text, dumps(content), self.index, clock, *_LIVE)
        if found is not None and found[1] is None:
            self._supersede(id, found[0])
        self.store.db.execute(self._write["make"], values)
        made = Artifact(*values)
        self.changes.append(Change(made.ref, "made", self.root))
        if mentions:
            cited += [(id, version, role, ref, None) for role, ref in _flat(mentions)]
        self._cite(made, cited, fresh)
        self._set(id, str(version), first=found is None)
        for name, token in (aspects or {}).items():
            self._queue.append((f"{id}/{name}", token))
        if self._queue:
            self._ripple()
        return made

    def _resolved(self, own: tuple[str, int], cites: Cites) -> tuple[list[Cited], list[tuple[str, str]]]:
        """Return the cites of an artifact version, and of what they name the keys whose watch may be new."""
        cited: list[Cited] = []
        fresh: list[tuple[str, str]] = []
        id, version = own
        for role, refs in cites.items():
            named = (refs,) if isinstance(refs, (str, tuple)) else refs
            found = [ref if isinstance(ref, tuple) else self._present(ref) for ref in named]
            cited += [(id, version, role, ref, token) for ref, token in found]
            fresh += [ref for ref in named if isinstance(ref, tuple)]
        return cited, fresh

    def _present(self, ref: str) -> tuple[str, str]:
        """Return (watched reference, token) of `id@n`, which must be current, or of a watched reference."""
        artifact_id, at, n = ref.rpartition("@")
        if not at:
            return ref, self.token(ref)
        if self.token(artifact_id) != n:
            raise LedgerError(f"{ref} is cited but not current; check before producing")
        return artifact_id, n

    def _cite(self, made: Artifact, cited: list[Cited], fresh: list[tuple[str, str]]) -> None:
        new = self.store.db.executemany(self._write["watch_new"], fresh).rowcount if fresh else 0
        if cited:
            self.store.db.executemany(self._write["cite"], cited)
        if fresh and new < len(cited):  # keys that nobody watched before hold the tokens they are cited with
            differing = self.store.db.execute(self._write["differing"], (made.id, made.version)).fetchone()
            if differing is not None:
                raise LedgerError(f"{made.ref} cites {differing[0]} with a token that is not its present one")

    def _set(self, ref: str, token: str, *, first: bool) -> None:
        """Move a watch; one that nothing can have cited yet needs no ripple."""
        if first:
            self.store.db.execute(self._write["watch_set"], (ref, token))
        else:
            self._queue.append((ref, token))

    def changed(self, ref: str, token: str) -> None:
        """Give a watched reference another token: what cites it with a differing one ends, and on until quiet."""
        self._queue.append((ref, token))
        self._ripple()

    def end(self, *ids: str, how: Ended = Ended.STALE) -> None:
        """End the current versions of a group at once; the ripple goes outside the group only.

        Raises:
            LedgerError: when one has no current version.
        """
        group = [self.current(artifact_id) for artifact_id in ids]
        for artifact_id, artifact in zip(ids, group, strict=True):
            if artifact is None:
                raise LedgerError(f"{artifact_id} has no current version to end")
        closed = [artifact for artifact in group if artifact is not None]
        for artifact in closed:
            self._close(artifact.id, artifact.version, how)
        for artifact in closed:
            self._ended(artifact, how)
        self._ripple()

    def _ripple(self) -> None:
        if self._rippling:
            return
        self._rippling = True
        while self._queue:
            ref, token = self._queue.popleft()
            self.store.db.execute(self._write["watch_set"], (ref, token))
            for found in self.store.db.execute(self._write["outdated"], (ref, token)).fetchall():
                self._reconsider(self._decode(found), ref)
        self._rippling = False

    def _reconsider(self, artifact: Artifact, ref: str) -> None:
        if self.on_change:
            artifact = self.version(artifact.id, artifact.version) or artifact
            if not artifact.live:
                return
        rule = self.on_change.get(artifact.kind)
        how = Ended.STALE if rule is None else rule(self.world, artifact, ref)
        if how is not None:
            self._close(artifact.id, artifact.version, how)
            self._ended(artifact, how)

    def _ended(self, artifact: Artifact, how: Ended) -> None:
        self._queue.append((artifact.id, ""))
        rule = self.on_end.get(artifact.kind)
        if rule is not None:
            rule(self.world, attrs.evolve(artifact, ended=self.index, ended_as=how, cause=self.root))

    def _supersede(self, id: str, version: int) -> None:
        """Close the version that a new one replaces; the new version's token ends what stood on it."""
        self._close(id, version, Ended.SUPERSEDED)
        kind = id.partition(":")[0]
        if kind in self.on_end:
            closed = self.version(id, version)
            if closed is not None:
                self.on_end[kind](self.world, closed)

    def _close(self, id: str, version: int, how: Ended) -> None:
        self._heads.pop(id, None)
        self.store.db.execute(self._write["close"], (self.index, how, self.root, id, version))
        self.changes.append(Change(f"{id}@{version}", how, self.root))

    def freeze(self, *artifacts: Artifact) -> None:
        """Turn live cites into provenance; an update may still end a frozen artifact."""
        for artifact in artifacts:
            self.store.db.execute(self._write["freeze"], (artifact.id, artifact.version))

    def happened(self, name: str, subject: str) -> bool:
        """Record an event; return whether it is the first for this subject."""
        if self.event(name, subject) is not None:
            return False
        (count,) = self.store.db.execute(self._write["subjects"], (name,)).fetchone()
        self.store.insert(Event(name, subject, count + 1, self.world.clock))
        self.events[name] = count + 1
        return True

    def announce(self, notice: Notice) -> NoticeRow:
        """Record a fired update's notice."""
        (count,) = self.store.db.execute(self._write["notices"]).fetchone()
        row = NoticeRow(notice.id, notice.kind, count + 1, self.world.clock, dict(notice.body), notice.answer, 0)
        self.store.insert(row)
        return row

    def resolve(self, id: str) -> None:
        """Mark a notice as dealt with."""
        self.store.update(NoticeRow, id, resolved=1)

    def inconsistent(self) -> list[Cite]:
        """Return the live cites whose token differs from their watch: none, by the ledger's invariant."""
        cites = self.store.select(Cite)
        live = {(a.id, a.version) for a in self.store.select(Artifact) if a.live}
        return [c for c in cites if c.token is not None and (c.id, c.version) in live and c.token != self.token(c.ref)]


def _flat(by_role: Mentions) -> Iterable[tuple[str, str]]:
    for role, refs in by_role.items():
        for ref in (refs,) if isinstance(refs, str) else refs:
            yield role, ref
