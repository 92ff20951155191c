"""Asking again: as often as is set, after the pause the provider asks for, all requests of a provider together."""

from __future__ import annotations

import asyncio
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from skillhorizon_agents.backend import Transient

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
"""Seconds: without a word from the provider the pause doubles from the first to the longest."""


class Limiter:
    """The pause that all requests of one provider keep.

    Args:
        retries: how often a request is sent again.
        sleep: waits a number of seconds.
        clock: seconds that only go forward.
    """

    def __init__(
        self,
        retries: int,
        sleep: Callable[[float], Awaitable[None]] | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._retries, self._sleep = retries, sleep or asyncio.sleep
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._open_at = 0.0

    async def ask(self, request: Callable[[], Awaitable[T]]) -> tuple[T, int]:
        """Make a request until it is answered; return the answer and how often it was sent again.

        Raises:
            Transient: the last one, when asking again did not help.
        """
        for attempt in range(self._retries + 1):
            await self._wait()
            try:
                return await request(), attempt
            except Transient as fault:
                if attempt == self._retries:
                    raise
                self._pause(fault, attempt)
        raise AssertionError("the last attempt returns or raises")

    async def _wait(self) -> None:
        """Wait until the provider may be asked; another request may move that on meanwhile."""
        while (left := self._open_at - self._clock()) > 0:
            await self._sleep(left)

    def _pause(self, fault: Transient, attempt: int) -> None:
        after = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE) if fault.after is None else fault.after
        self._open_at = max(self._open_at, self._clock() + after)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that a provider asks to wait, None when it does not say; `now` is the time of the answer.

    >>> retry_after({"retry-after-ms": "250"}, 0), retry_after({"retry-after": "3"}, 0), retry_after({}, 0)
    (0.25, 3.0, None)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0)
    60.0
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    if said is None or seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None
