"""What a conversation showed, held against the journal: the session's own record of what it was asked and answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import dumps
from skillhorizon_agents.testing.formats.reading import echoed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from skillhorizon import Record
    from skillhorizon_agents.testing.talk import Ask
    from skillhorizon_agents.testing.transcript import Turn

FINISH = "finish"


def disagreement(
    turns: Sequence[Turn],
    records: Sequence[Record],
    names: Mapping[str, str],
    shown: Callable[[str], str] | None = None,
) -> str:
    """Return where a conversation and a record part, '' when they agree.

    Every call of the model must be recorded, in order, and everything that was shown of it must be what the session
    answered. Replies at the end may be unheard of: the execution has ended, or was stopped, before their calls.

    Args:
        turns: the conversation's.
        records: the journal's.
        names: wire names by the tools' own names.
        shown: what a client makes of an observation; None for a loop that shows it as it is, and that takes a reply
            without a call as a call of `finish`.
    """
    at = 0
    for number, turn in enumerate(turns, 1):
        if turn.results is None and number < len(turns):
            return f"the results of turn {number} were never shown"
        for ask, text in _heard(turn, silent=shown is None):
            if at < len(records):
                fault = _differing(ask, text, records[at], names, shown or str)
            else:
                fault = "" if text is None else "the session recorded no such call"
            if fault:
                return f"turn {number}: {fault}"
            at += 1
    return f"the session recorded {len(records) - at} calls more than were asked for" if at < len(records) else ""


def _heard(turn: Turn, *, silent: bool) -> Iterator[tuple[Ask | None, str | None]]:
    """Yield a turn's calls, each with what was shown of it, None when nothing was; a reply without one asks to end."""
    if not turn.reply.asks and silent:
        yield None, None if turn.results is None else turn.said
    for at, ask in enumerate(turn.reply.asks):
        yield ask, None if turn.results is None else turn.results[at]


def _differing(
    ask: Ask | None, text: str | None, record: Record, names: Mapping[str, str], shown: Callable[[str], str]
) -> str:
    """Return how a call differs from the session's record of it, '' when it does not."""
    where = f"call {record.index} ({record.tool})"
    if names.get(record.tool, record.tool) != (ask.name if ask else names.get(FINISH, FINISH)):
        return f"{where} is recorded where {ask.name if ask else FINISH} was asked for"
    if ask is not None and record.arguments_text not in _canonical(ask):
        return f"{where} was made with other arguments than were asked for"
    said = shown(record.observation)
    if text is not None and text != said:
        return f"{where} was answered {said[:80]!r}, and {text[:80]!r} was shown"
    return ""


def _canonical(ask: Ask) -> tuple[str, ...]:
    """Return how arguments may be recorded; those that are no object have none, or are kept as text."""
    value = echoed(ask.arguments)
    return (dumps(value), "null") if set(value) == {"malformed"} else (dumps(value),)
