"""What the ledger holds: artifacts, their cites, watched tokens, events, notices and the clock."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property

import attrs

from skillhorizon.model.canonical import Json, loads
from skillhorizon.world.rows import table


class Ended(StrEnum):
    """How an artifact's life ended."""

    STALE = "stale"
    SUPERSEDED = "superseded"
    VOID = "void"
    HISTORIC = "historic"


@table("artifact", key=("id", "version"), indexes=(("kind", "period", "ended"),))
@attrs.frozen(slots=False)
class Artifact:
    """One version of an artifact; its life is [made, ended) in call numbers.

    `args_text` and `content_text` are canonical JSON; `cause` is the update, else the call, at the root of its end.
    """

    id: str
    version: int
    kind: str
    subject: str
    period: int
    args_text: str
    content_text: str
    made: int
    clock: int
    ended: int | None
    ended_as: str | None
    cause: str | None

    @property
    def ref(self) -> str:
        """The version reference, `id@n`."""
        return f"{self.id}@{self.version}"

    @property
    def live(self) -> bool:
        """Whether it has not ended."""
        return self.ended is None

    @property
    def parts(self) -> tuple[str, ...]:
        """The subject's parts, joined by dots in the id."""
        return tuple(self.subject.split("."))

    @cached_property
    def content(self) -> Json:
        """The content, parsed; do not change it."""
        return loads(self.content_text)

    @cached_property
    def args(self) -> Json:
        """The arguments of the operation that made it, parsed; None when `build` made it."""
        return loads(self.args_text)


@table("cite", key=("id", "version", "role", "ref"), indexes=(("ref", "token"),))
@attrs.frozen(slots=False)
class Cite:
    """What an artifact stands on; a token of None is provenance only."""

    id: str
    version: int
    role: str
    ref: str
    token: str | None

    @property
    def version_ref(self) -> str:
        """`id@n` of a cited artifact version."""
        return f"{self.ref}@{self.token}"


@table("watch", key=("ref",))
@attrs.frozen
class Watch:
    """The current token of an artifact, an aspect or a key; '' is none."""

    ref: str
    token: str


@table("event", key=("name", "subject"), indexes=(("name", "seq"),))
@attrs.frozen
class Event:
    """The first occurrence of an event for a subject; `seq` counts the event's distinct subjects from 1."""

    name: str
    subject: str
    seq: int
    clock: int


@table("notice", key=("id",), indexes=(("seq",),))
@attrs.frozen
class NoticeRow:
    """A fired update's notice; `answer` is hidden from lists."""

    id: str
    kind: str
    seq: int
    clock: int
    body: Json
    answer: Json
    resolved: int


@table("clock", key=("id",))
@attrs.frozen
class ClockRow:
    """The one clock of a world."""

    id: int
    minute: int


LEDGER_TABLES: tuple[type, ...] = (Artifact, Cite, Watch, Event, NoticeRow, ClockRow)
