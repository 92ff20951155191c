"""What the body of a tool works with during one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from skillhorizon.model.outcome import Rejection
from skillhorizon.model.rng import Rng, draws

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon.model.canonical import Json
    from skillhorizon.world.artifacts import NoticeRow
    from skillhorizon.world.ledger import Ledger
    from skillhorizon.world.world import World


class Call:
    """One call of a tool: the world, the ledger, the call's number, and how the body ends other than by returning."""

    __slots__ = ("_fire", "_seed", "failure", "index", "ledger", "world")

    def __init__(self, world: World, index: int, seed: str, fire: Callable[[], list[NoticeRow]]) -> None:
        self.world, self.index = world, index
        self.ledger: Ledger = world.ledger
        self.failure: Rejection | None = None
        self._seed, self._fire = seed, fire

    def reject(self, code: str, message: str, **details: Json) -> NoReturn:
        """Refuse the call; everything it wrote is rolled back.

        Raises:
            Rejection: always.
        """
        raise Rejection(code, message, **details)

    def failed(self, code: str, message: str, **details: Json) -> None:
        """Mark the call as failed: what it wrote stays, but a goal it attempted was refused."""
        self.failure = Rejection(code, message, **details)

    def fire(self) -> list[NoticeRow]:
        """Fire the updates that are due by now, for a tool that passes many minutes; return their notices."""
        return self._fire()

    def draws(self, subject: str, attempt: int) -> Rng:
        """Return the draws of an object's n-th attempt: from the task's seed, never from the call's number."""
        return draws(self._seed, subject, attempt)
