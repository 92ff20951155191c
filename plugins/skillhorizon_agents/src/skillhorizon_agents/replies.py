"""What a model's turn is answered with: results of its calls, live or as they were recorded."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from skillhorizon_agents import notes
from skillhorizon_agents.conversation import Result, Results, Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon import Execution
    from skillhorizon_agents.conversation import Answer, Asked

MOST_IDLE = 20
"""Turns in a row that only write notes; the next one counts as one without a call."""


class Answering(Protocol):
    """Whatever answers calls with observations."""

    def turn(self, calls: Sequence[Asked]) -> list[str]:
        """Make the calls of one turn."""

    def finish(self) -> str:
        """Ask for the end."""


class Live:
    """Makes calls in an execution."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution

    def turn(self, calls: Sequence[Asked]) -> list[str]:
        """Make the calls of one turn."""
        return [made.text for made in self._execution.turn([(call.name, call.arguments) for call in calls])]

    def finish(self) -> str:
        """Ask for the end."""
        return self._execution.finish().text


class Recalled:
    """Answers from the observations of a journal, one after the other."""

    def __init__(self, observations: Iterable[str]) -> None:
        self._observations = deque(observations)

    def turn(self, calls: Sequence[Asked]) -> list[str]:
        """Return what the calls of one turn were answered."""
        return [self._observations.popleft() for _ in calls]

    def finish(self) -> str:
        """Return what the request for the end was answered."""
        return self._observations.popleft()


class Replies:
    """Answers turns; keeps the notebook, and counts turns that do nothing else."""

    def __init__(self, *, notebook: bool) -> None:
        self._notes = notes.Notebook() if notebook else None
        self._idle = 0

    def to(self, answer: Answer, answering: Answering) -> Results | Said:
        """Return the reply to a turn: results in the order of its calls; without one, what asking to end gives."""
        own = [call for call in answer.calls if self._is_note(call)]
        others = [call for call in answer.calls if not self._is_note(call)]
        self._idle = self._idle + 1 if own and not others else 0
        if not answer.calls:
            return Said(answering.finish())
        told = deque(answering.turn(others)) if others else deque[str]()
        results = tuple(
            Result(call.id, call.name, self._noted(call) if self._is_note(call) else told.popleft())
            for call in answer.calls
        )
        idle = self._idle > MOST_IDLE
        return Results(results, answering.finish() if idle else "")

    def _is_note(self, call: Asked) -> bool:
        return self._notes is not None and call.name in (notes.READ, notes.WRITE)

    def _noted(self, call: Asked) -> str:
        if self._notes is None:
            raise AssertionError("an agent without a notebook has no notes")
        return self._notes.call(call.name, call.arguments)
