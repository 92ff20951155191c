"""Replaying a journal: the state after any of its calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Protocol

from skillhorizon.errors import DigestMismatch
from skillhorizon.model.canonical import loads
from skillhorizon.model.journal import Record
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.session import Recorder, Session

LONGEST = 120
"""Where a differing value is cut in a fault's text, in characters."""
Seen = Callable[[Session, Record], None]


class Opener(Protocol):
    """What a session is opened on: a built task."""

    def session(self, recorder: Recorder, *, budget: int | None = None) -> Session:
        """Return a session on a world of its own."""


class _Following:
    """A recorder that holds each record against the journal's, and shows it to whoever watches."""

    def __init__(self, expected: Sequence[Record], seen: Seen | None, *, compare: bool) -> None:
        self.session: Session | None = None
        self._expected = {record.index: record for record in expected}
        self._seen, self._compare = seen, compare

    def append(self, record: Record) -> None:
        """Compare one record.

        Raises:
            DigestMismatch: when it differs from the journal's.
        """
        if self._compare:
            _check_same(self._expected[record.index], record)
        if self._seen is not None and self.session is not None:
            self._seen(self.session, record)


def replay(
    built: Opener,
    records: Sequence[Record],
    *,
    upto: int | None = None,
    budget: int | None = None,
    compare: bool = True,
    seen: Seen | None = None,
) -> Session:
    """Repeat the calls of a journal, turn by turn, and return the session in the state they lead to.

    Args:
        built: the journal's task, rebuilt.
        records: the journal's records.
        upto: the last call to repeat; None is all.
        budget: the execution's, as the journal's header tells.
        compare: hold every record against the journal's, byte for byte.
        seen: told of each repeated call, (session, record).

    Raises:
        DigestMismatch: when a call gives something else than it gave then; it names the call.
    """
    chosen = [record for record in records if upto is None or record.index <= upto]
    following = _Following(chosen, seen, compare=compare)
    session = following.session = built.session(following, budget=budget)
    try:
        for number, turn in groupby(chosen, key=lambda record: record.turn):
            _repeat(session, number, list(turn))
    except BaseException:
        session.world.close()
        raise
    return session


def _repeat(session: Session, number: int, turn: list[Record]) -> None:
    session.turns = number - 1
    calls = [(loads(f'"{record.tool}"'), loads(record.arguments_text)) for record in turn]
    if len(calls) == 1 and turn[0].outcome is not Outcome.NOT_ATTEMPTED:
        session.call(*calls[0])
    else:
        session.turn(calls)


def _check_same(then: Record, now: Record) -> None:
    if now == then:
        return
    parts = ("observation", "outcome", "charged", "made", "ended", "fired", "clock", "tool", "arguments_text", "turn")
    part = next(name for name in parts if getattr(now, name) != getattr(then, name))
    raise DigestMismatch(
        f"call {then.index} ({then.tool}) gives another {part} than the journal holds: "
        f"{_short(getattr(now, part))} instead of {_short(getattr(then, part))}; "
        "install the version that wrote the journal, or run the execution again"
    )


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
