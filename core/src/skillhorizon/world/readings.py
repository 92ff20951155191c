"""Reading the ledger: versions, heads, citations, events."""

from __future__ import annotations

from collections import deque
from functools import cache
from typing import TYPE_CHECKING

import sqlalchemy as sa

from skillhorizon.model.outcome import Rejection
from skillhorizon.world.artifacts import Artifact, Cite, Ended, Event, NoticeRow, Watch
from skillhorizon.world.rows import compiled, layout

if TYPE_CHECKING:
    from skillhorizon.world.store import Store

_A = layout(Artifact).table.c
_C = layout(Cite).table.c
_W = layout(Watch).table.c
_P = sa.bindparam
_AFTER_PREFIX = "\U0010ffff"


@cache
def _sql() -> dict[str, str]:
    newest = sa.select(*_A).order_by(_A.version.desc()).suffix_with("LIMIT 1")
    later = layout(Artifact).table.alias("later")
    head = ~sa.exists().where(later.c.id == _A.id, later.c.version > _A.version)
    span = [_A.id >= _P("low"), _A.id < _P("high")]
    users = sa.select(*_A).join_from(
        layout(Cite).table, layout(Artifact).table, (_C.id == _A.id) & (_C.version == _A.version)
    )
    by_token = [_C.ref == _P("ref"), _C.token == _P("token")]
    return {
        name: compiled(statement)
        for name, statement in {
            "last": newest.where(_A.id == _P("id")),
            "at": newest.where(_A.id == _P("id"), _A.made <= _P("index")),
            "current": sa.select(*_A).where(_A.id == _P("id"), _A.ended.is_(sa.null())),
            "made_by": sa.select(_A.version).where(
                _A.id == _P("id"), _A.ended.is_(sa.null()), _A.args_text == _P("args")
            ),
            "versions": sa.select(*_A).where(_A.id == _P("id")).order_by(_A.version),
            "heads": sa.select(*_A).where(*span, head).order_by(_A.id),
            "live": sa.select(*_A).where(_A.kind == _P("kind"), _A.ended.is_(sa.null())).order_by(_A.id),
            "live_in": sa.select(*_A)
            .where(_A.kind == _P("kind"), _A.period == _P("period"), _A.ended.is_(sa.null()))
            .order_by(_A.id),
            "token": sa.select(_W.token).where(_W.ref == _P("ref")),
            "users": users.where(*by_token).order_by(_A.id, _A.version),
            "mentions": users.where(_C.ref == _P("ref"), _C.token.is_(sa.null())).order_by(_A.id, _A.version),
        }.items()
    }


class Readings:
    """Reads of the ledger; every "as of" is a range query over [made, ended)."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._read = _sql()
        self._decode = layout(Artifact).decode

    def _one(self, name: str, *values: str | int) -> Artifact | None:
        found = self.store.db.execute(self._read[name], values).fetchone()
        return None if found is None else self._decode(found)

    def _all(self, name: str, *values: str | int) -> list[Artifact]:
        return [self._decode(found) for found in self.store.db.execute(self._read[name], values).fetchall()]

    def current(self, id: str) -> Artifact | None:  # the ledger's own word
        """Return the version that has not ended, or None."""
        return self._one("current", id)

    def last(self, id: str) -> Artifact | None:
        """Return the latest version, ended or not, or None."""
        return self._one("last", id)

    def require(self, id: str, code: str) -> Artifact:
        """Return the current version.

        Raises:
            Rejection: with the environment's `code`, when there is none.
        """
        found = self.current(id)
        if found is None:
            raise Rejection(code, f"{id} has no current version; make it (again) first", object=id)
        return found

    def cited(self, ref: str, kind: str, *, unknown: str = "UNKNOWN_ID", superseded: str, stale: str) -> Artifact:
        """Return the current artifact version that an `id@n` argument names.

        Raises:
            Rejection: with the environment's codes, when it is unknown, superseded or stale.
        """
        found = self.named(ref)
        if found is None or found.kind != kind:
            raise Rejection(unknown, f"there is no {kind} version {ref!r}; name one as `{kind}:subject@n`", object=ref)
        if not found.live:
            code = superseded if found.ended_as == Ended.SUPERSEDED else stale
            raise Rejection(code, f"{ref} is {found.ended_as}; cite the current version of {found.id}", object=ref)
        return found

    def version(self, id: str, n: int) -> Artifact | None:
        """Return version n, or None."""
        return self.store.get(Artifact, id, n)

    def named(self, ref: str) -> Artifact | None:
        """Return the version that `id@n` names, or None, also when `ref` has another form."""
        artifact_id, at, n = ref.rpartition("@")
        return self.version(artifact_id, int(n)) if at and n.isascii() and n.isdigit() and len(n) < 9 else None  # noqa: PLR2004

    def versions(self, id: str) -> list[Artifact]:
        """Return all versions in order."""
        return self._all("versions", id)

    def at(self, id: str, index: int) -> Artifact | None:
        """Return the version that was current after call `index`, or None."""
        found = self._one("at", id, index)
        return found if found is not None and (found.ended is None or found.ended > index) else None

    def find(self, kind: str, prefix: str = "") -> list[Artifact]:
        """Return the latest version of each artifact of a kind whose subject starts with `prefix`."""
        return self._all("heads", f"{kind}:{prefix}", f"{kind}:{prefix}{_AFTER_PREFIX}")

    def heads(self, kind: str, ended_as: Ended | None = None) -> list[Artifact]:
        """Return the latest version per artifact of a kind, or only those that ended so."""
        return [a for a in self.find(kind) if ended_as is None or a.ended_as == ended_as]

    def live(self, kind: str, period: int | None = None) -> list[Artifact]:
        """Return the artifacts of a kind (and period) that have not ended, by id."""
        return self._all("live", kind) if period is None else self._all("live_in", kind, period)

    def cites(self, artifact: Artifact) -> list[Cite]:
        """Return what an artifact version cites and mentions, by role and reference."""
        return self.store.select(Cite, id=artifact.id, version=artifact.version)

    def users(self, *refs: str | tuple[str, str], ended: bool = False, mentions: bool = False) -> list[Artifact]:
        """Return the artifacts that cite `id@n` references or (ref, token) pairs.

        Args:
            refs: what is used.
            ended: whether ended users count too.
            mentions: whether those count that only mention an `id@n` as provenance.
        """
        found: dict[tuple[str, int], Artifact] = {}
        for ref in refs:
            pair = ref if isinstance(ref, tuple) else (ref.rpartition("@")[0], ref.rpartition("@")[2])
            named = self._all("users", *pair)
            if mentions:
                named += self._all("mentions", ref if isinstance(ref, str) else ref[0])
            found.update({(a.id, a.version): a for a in named if ended or a.live})
        return [found[key] for key in sorted(found)]

    def built_on(self, version: str) -> list[Artifact]:
        """Return every artifact version, ended ones included, that stands on `id@n`, directly or through others."""
        found: dict[str, Artifact] = {}
        queue = deque([version])
        while queue:
            for user in self.users(queue.popleft(), ended=True):
                if user.ref not in found:
                    found[user.ref] = user
                    queue.append(user.ref)
        return [found[ref] for ref in sorted(found)]

    def consumes(self, user: Artifact | None, used: Artifact | None) -> bool:
        """Return whether `user` cites that very version of `used`."""
        if user is None or used is None:
            return False
        return any(c.ref == used.id and c.token == str(used.version) for c in self.cites(user))

    def watched(self, prefix: str) -> list[tuple[str, str]]:
        """Return the watched references that start with `prefix`, with their tokens."""
        return self.store.db.execute(_watched_sql(), (prefix, prefix + _AFTER_PREFIX)).fetchall()

    def token(self, ref: str) -> str:
        """Return the present token of a watched reference, '' when there is none."""
        found = self.store.db.execute(self._read["token"], (ref,)).fetchone()
        return "" if found is None else str(found[0])

    def event(self, name: str, subject: str) -> Event | None:
        """Return the first occurrence of an event for a subject, or None."""
        return self.store.get(Event, name, subject)

    def occurrence(self, name: str, seq: int) -> Event | None:
        """Return the event whose subject was the seq-th distinct one, or None."""
        found = self.store.select(Event, name=name, seq=seq)
        return found[0] if found else None

    def notice(self, id: str) -> NoticeRow | None:
        """Return a fired notice, or None."""
        return self.store.get(NoticeRow, id)

    def fired(self) -> list[NoticeRow]:
        """Return all notices in the order in which they fired."""
        return self.store.select(NoticeRow, order=("seq",))


@cache
def _watched_sql() -> str:
    span = (_W.ref >= _P("low"), _W.ref < _P("high"))
    return compiled(sa.select(_W.ref, _W.token).where(*span).order_by(_W.ref))
