"""Courses: the calls of a reference run, and traps that end where a call is refused by the code that they name."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.construction.workshop import Built
from skillhorizon.session.session import Nowhere
from skillhorizon.testing import Trap, calls_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon import World
    from skillhorizon.model.journal import Record

Call = tuple[str, dict[str, Any]]


@attrs.frozen
class Course:
    """A task and its reference's calls; a call's number counts from 0."""

    built: Built
    calls: tuple[Call, ...]

    @classmethod
    def of(cls, built: Built, records: Sequence[Record]) -> Course:
        return cls(built, tuple(calls_of(records)))

    @property
    def plan(self) -> Any:
        return self.built.plan

    def numbers(self, tool: str, **wanted: Any) -> list[int]:
        """The calls of a tool whose arguments hold the wanted values."""
        made = ((number, said) for number, (name, said) in enumerate(self.calls) if name == tool)
        return [number for number, said in made if all(said.get(key) == value for key, value in wanted.items())]

    def first(self, tool: str, **wanted: Any) -> int:
        return self.numbers(tool, **wanted)[0]

    def last(self, tool: str, **wanted: Any) -> int:
        return self.numbers(tool, **wanted)[-1]

    def said(self, number: int) -> dict[str, Any]:
        """The arguments of a call."""
        return self.calls[number][1]

    def refused(self, code: str, number: int, *calls: Call, culprit: str = "") -> Trap:
        """The reference up to a call, then others instead of it, of which the last is refused."""
        name = f"{code} of {calls[-1][0]} at call {number + 1}"
        return Trap(name, (*self.calls[:number], *calls), code, culprit)

    def changed(self, code: str, number: int, **changes: Any) -> Trap:
        """The reference up to a call, which is made with other arguments and is refused."""
        name, said = self.calls[number]
        return self.refused(code, number, (name, {**said, **changes}))

    @contextmanager
    def world(self, number: int) -> Iterator[World]:
        """The world just before a call."""
        session = self.built.session(Nowhere())
        try:
            for call in self.calls[:number]:
                session.call(*call)
            yield session.world
        finally:
            session.world.close()
