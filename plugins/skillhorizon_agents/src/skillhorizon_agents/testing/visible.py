"""A request's conversation as turns: a reply, the results of its calls, and what the user said to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from skillhorizon_agents.testing.talk import Breach, Conversation, Heard, Spoke, Told

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"call_(\d{6})_\d+")


@attrs.frozen
class Seen:
    """One turn as a request shows it."""

    spoke: Spoke
    texts: tuple[str, ...] = ()
    said: str = ""

    @property
    def number(self) -> int | None:
        """The turn's number, as the ids of its calls tell; None when they do not."""
        found = _NUMBER.search(self.spoke.asks[0].id) if self.spoke.asks else None
        return int(found[1]) if found else None


def turns_of(conversation: Conversation, prompt: str, *, paired: bool = True) -> list[Seen]:
    """Return the turns that a conversation shows.

    Args:
        conversation: what the request says.
        prompt: what asks for a summary; at the conversation's end it is no part of it.
        paired: whether the ids of calls and results must agree.

    Raises:
        Breach: when a call has no result, or a result no call.
    """
    turns: list[Seen] = []
    items = list(conversation.items)
    while items and isinstance(items[0], Told):
        items.pop(0)
    for item in items:
        match item:
            case Spoke():
                _check_answered(turns)
                turns.append(Seen(item))
            case Heard():
                turns.append(_heard(turns.pop() if turns else None, item, paired=paired))
            case Told():
                turns.append(_told(turns.pop(), item, prompt))
    _check_answered(turns)
    return turns


def _heard(turn: Seen | None, item: Heard, *, paired: bool) -> Seen:
    if turn is None or turn.texts:
        raise Breach(f"the result of {item.results[0][0]} stands behind no call")
    ids = [result[0] for result in item.results]
    asked = [ask.id for ask in turn.spoke.asks]
    if (paired and ids != asked) or len(ids) != len(asked):
        raise Breach(f"the calls {', '.join(asked) or 'none'} are followed by the results of {', '.join(ids)}")
    return attrs.evolve(turn, texts=tuple(result[1] for result in item.results))


def _told(turn: Seen, item: Told, prompt: str) -> Seen:
    text = item.text.removesuffix(prompt).rstrip() if prompt else item.text
    return attrs.evolve(turn, said="\n".join(filter(None, [turn.said, text])))


def _check_answered(turns: Sequence[Seen]) -> None:
    if turns and turns[-1].spoke.asks and not turns[-1].texts:
        raise Breach(f"the call {turns[-1].spoke.asks[0].id} has no result")


def base_of(turns: Sequence[Seen], known: int) -> int:
    """Return how many turns lie before the first that is shown; `known` are there in all.

    Replies without calls carry no number: they stand before or behind those that do, or else at the end.
    """
    for at, turn in enumerate(turns):
        if turn.number is not None:
            return max(turn.number - 1 - at, 0)
    return max(known - len(turns), 0) if turns else 0


def asks_for(conversation: Conversation, prompt: str) -> bool:
    """Whether the conversation ends with a prompt."""
    return bool(prompt) and conversation.last.rstrip().endswith(prompt.rstrip())
