"""A conversation that stays within a model's context: what is sent, how large that is, and what leaves when."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import count, dumps
from skillhorizon_agents import prompts
from skillhorizon_agents.conversation import Answer, Item, Result, Results, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon_agents.conversation import ToolSpec
    from skillhorizon_agents.settings import Settings

_PER_ITEM = 8
"""Tokens that a message costs beyond its text."""
_LEAST, _MOST = Fraction(1, 2), Fraction(4)


@attrs.frozen(eq=False)
class Turn:
    """One turn: what the model said, what it was told, and the journal's calls that this is, from first to last."""

    answer: Answer
    reply: Results | Said
    calls: tuple[int, int] | None
    size: int


@attrs.frozen(kw_only=True)
class Compaction:
    """What left the context: `kept` whole turns stay as they are, `left` are the call numbers that went, as ranges."""

    policy: str
    kept: int
    left: tuple[tuple[int, int], ...]
    summary: str = ""


def compaction_of(said: Mapping[str, Any]) -> Compaction:
    """Return the compaction that a checkpoint tells of."""
    left = tuple((first, last) for first, last in said["left"])
    return Compaction(policy=said["policy"], kept=said["kept"], left=left, summary=said["summary"])


class Window:
    """The conversation of one execution under one context policy.

    Args:
        system: the system prompt.
        task: the task's text.
        tools: the tools.
        policy: summary, clear-results, sliding:N or none.
        settings: limits.
    """

    def __init__(self, system: str, task: str, tools: tuple[ToolSpec, ...], policy: str, settings: Settings) -> None:
        self.policy, self.settings = policy, settings
        self._task, self._opening = task, Said(task)
        self._turns: list[Turn] = []
        self._whole = 0
        self._fixed = count(system) + count(dumps([[tool.name, tool.doc, tool.schema] for tool in tools]))
        self._scale = Fraction(1)

    def items(self, prompt: str = "") -> tuple[Item, ...]:
        """Return what is sent; a prompt, if any, comes last."""
        made: list[Item] = [self._opening]
        for turn in self._turns:
            made += [turn.answer, turn.reply]
        if prompt:
            made[-1] = _followed(made[-1], prompt)
        return tuple(made)

    def add(self, answer: Answer, reply: Results | Said, calls: tuple[int, int] | None) -> None:
        """Take up a turn."""
        own = answer.usage.output or count(answer.text) + sum(count(call.text) for call in answer.calls)
        self._turns.append(Turn(answer, reply, calls, own + _size(reply) + 2 * _PER_ITEM))

    def measured(self, reported: int) -> None:
        """Hold the estimate against what the provider reports for what was sent last; 0 is no report."""
        if reported:
            self._scale = min(max(Fraction(reported, max(self._own(), 1)), _LEAST), _MOST)

    @property
    def size(self) -> int:
        """The estimated tokens of what is sent next."""
        return int(self._own() * self._scale)

    @property
    def room(self) -> int:
        """The tokens that may be sent so that an answer still fits."""
        return self.settings.context_limit - self.settings.output

    @property
    def mark(self) -> int:
        """The tokens at which the policy sets in."""
        return min(self.settings.context_limit * self.settings.trigger // 100, self.room)

    @property
    def full(self) -> bool:
        """Whether the policy has something to do before the next request."""
        return self.policy != "none" and self.size > self.mark and self._can_leave > 0

    @property
    def overflows(self) -> bool:
        """Whether the next request cannot fit at all."""
        return self.size > self.settings.context_limit

    def compaction(self, summary: str = "") -> Compaction:
        """Return what is to leave now."""
        stays = self._stays()
        leaving = self._turns[self._whole if self.policy == "clear-results" else 0 : len(self._turns) - stays]
        return Compaction(policy=self.policy, kept=stays, left=tuple(_ranges(leaving)), summary=summary)

    def compact(self, done: Compaction) -> None:
        """Let turns leave; the same compaction of the same conversation leaves the same."""
        gone = len(self._turns) - done.kept
        if self.policy == "clear-results":
            self._turns[self._whole : gone] = [_cleared(turn) for turn in self._turns[self._whole : gone]]
            self._whole = gone
            return
        told = prompts.adopted(done.summary) if self.policy == "summary" else prompts.text("slid")
        self._opening = Said(f"{self._task}\n\n{told}")
        self._turns = self._turns[gone:]

    def _stays(self) -> int:
        """Return how many of the last turns stay: at most what is set, and at most half of what sets the policy off."""
        _, colon, turns = self.policy.partition(":")
        most = min(int(turns) if colon else self.settings.keep, len(self._turns))
        size, stays = 0, 0
        for turn in reversed(self._turns[len(self._turns) - most :]):
            size += int(turn.size * self._scale)
            if size > self.mark // 2:
                break
            stays += 1
        return stays

    @property
    def _can_leave(self) -> int:
        whole = self._whole if self.policy == "clear-results" else 0
        return len(self._turns) - whole - self._stays()

    def _own(self) -> int:
        return self._fixed + _size(self._opening) + sum(turn.size for turn in self._turns)


def _followed(item: Item, prompt: str) -> Item:
    match item:
        case Said(text=text):
            return Said(f"{text}\n\n{prompt}")
        case Results(results=results):
            return Results(results, prompt)
        case Answer():
            raise AssertionError("a conversation that is sent ends with the user's word")


def _size(item: Results | Said) -> int:
    if isinstance(item, Said):
        return count(item.text)
    return sum(count(result.text) + _PER_ITEM for result in item.results)


def _cleared(turn: Turn) -> Turn:
    if isinstance(turn.reply, Said):
        return turn
    told = prompts.text("cleared")
    reply = Results(tuple(Result(result.id, result.name, told) for result in turn.reply.results))
    return attrs.evolve(turn, reply=reply, size=turn.size - _size(turn.reply) + _size(reply))


def _ranges(turns: list[Turn]) -> Iterator[tuple[int, int]]:
    """Yield the call numbers of some turns, neighbours joined."""
    first = last = 0
    for turn in turns:
        if turn.calls is None:
            continue
        if last and turn.calls[0] != last + 1:
            yield first, last
            first = 0
        first, last = first or turn.calls[0], turn.calls[1]
    if last:
        yield first, last
