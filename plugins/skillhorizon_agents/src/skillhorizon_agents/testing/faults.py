"""Faults that the scripted server injects: of the transport, which a retry heals, and of the model's own answers."""

from __future__ import annotations

from enum import StrEnum

import attrs


class Kind(StrEnum):
    """What goes wrong. The first group strikes the transport, the second is an answer like any other."""

    RATE_LIMIT = "rate-limit"
    SERVER_ERROR = "server-error"
    OVERLOADED = "overloaded"
    TRUNCATED = "truncated"
    DROPPED = "dropped"
    SLOW = "slow"
    TOO_LONG = "too-long"

    MALFORMED_CALL = "malformed-call"
    UNKNOWN_TOOL = "unknown-tool"
    FAILING_BATCH = "failing-batch"
    BATCH = "batch"
    EMPTY = "empty"
    TALK = "talk"
    HUGE = "huge"


TRANSPORT = frozenset(
    {
        Kind.RATE_LIMIT,
        Kind.SERVER_ERROR,
        Kind.OVERLOADED,
        Kind.TRUNCATED,
        Kind.DROPPED,
        Kind.SLOW,
        Kind.TOO_LONG,
    }
)
STATUS = {Kind.RATE_LIMIT: 429, Kind.SERVER_ERROR: 500, Kind.OVERLOADED: 529, Kind.TOO_LONG: 400}
HUGE_CHARACTERS = 200_000


@attrs.frozen(kw_only=True)
class Fault:
    """One fault.

    Attributes:
        kind: rate-limit (429 with Retry-After), server-error (500), overloaded (529), truncated (half of the answer's
            JSON), dropped (the connection ends without an answer), slow (the answer takes `seconds` longer), too-long
            (the request does not fit into the context); or an answer: malformed-call (arguments that are no JSON),
            unknown-tool, failing-batch (a call that fails, then the policy's), batch (the policy's call, then two
            reads), empty (neither text nor call), talk (text without a call), huge (very long text before the call).
            Of empty and talk a conversation bears one: a second reply without a call ends the work.
        turn: the model's reply that it strikes, counted from 1; 0 is any reply outside of the turns, a summary.
        times: how often a fault of the transport strikes before it is over.
        seconds: of Retry-After, or how much longer a slow answer takes.
    """

    kind: Kind
    turn: int
    times: int = 1
    seconds: float = 0


class Schedule:
    """The faults that are still to come."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self._left = [[fault, fault.times] for fault in faults if fault.kind in TRANSPORT]
        self._answers = {fault.turn: fault.kind for fault in faults if fault.kind not in TRANSPORT}

    def strike(self, turn: int) -> Fault | None:
        """Return the fault of the transport that strikes now, and count it."""
        for entry in self._left:
            fault, left = entry
            if isinstance(fault, Fault) and isinstance(left, int) and fault.turn == turn and left > 0:
                entry[1] = left - 1
                return fault
        return None

    def answer(self, turn: int) -> Kind | None:
        """Return how the model's reply of a turn is to be odd."""
        return self._answers.get(turn)
