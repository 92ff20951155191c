"""The reference policy as a player that waits: it says its next call, and goes on once it is told what came of it."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

import attrs

from skillhorizon import Json
from skillhorizon_agents.testing.talk import Breach

if TYPE_CHECKING:
    from collections.abc import Collection

    from skillhorizon import Part


@attrs.frozen
class Wanted:
    """A call that the policy wants: the tool's own name and its arguments."""

    tool: str
    arguments: dict[str, Json]


class _Left(BaseException):
    """Ends a policy's thread whose player nobody needs any more."""


class Player:
    """Plays a part in a thread of its own, which stands still while no result is told.

    Args:
        part: the reference policy's part in a task.
        offered: the tools there are, by their own names.
    """

    def __init__(self, part: Part, offered: Collection[str]) -> None:
        self._part, self._offered = part, offered
        self._said: SimpleQueue[Wanted | Exception | None] = SimpleQueue()
        self._told: SimpleQueue[str | None] = SimpleQueue()
        self._thread: Thread | None = None

    def begin(self) -> Wanted | None:
        """Return the policy's first call."""
        self._thread = Thread(target=self._play, name="scripted-policy", daemon=True)
        self._thread.start()
        return self._next()

    def tell(self, observation: str) -> Wanted | None:
        """Tell what came of the last call, and return the next one; None when the policy is done.

        Raises:
            Breach: when the policy cannot go on with what it was told.
        """
        self._told.put(observation)
        return self._next()

    def leave(self) -> None:
        """End the thread."""
        if self._thread is not None and self._thread.is_alive():
            self._told.put(None)
            self._thread.join()

    def _next(self) -> Wanted | None:
        said = self._said.get()
        if isinstance(said, Exception):
            raise Breach(f"the reference policy cannot go on with what the conversation says: {said}") from said
        return said

    def _play(self) -> None:
        try:
            self._part.play(self._ask, self._offered)
            self._said.put(None)
        except _Left:
            return
        except Exception as error:  # whatever breaks the policy is told to who asked
            self._said.put(error)

    def _ask(self, tool: str, arguments: dict[str, Json]) -> str:
        self._said.put(Wanted(tool, arguments))
        told = self._told.get()
        if told is None:
            raise _Left
        return told
