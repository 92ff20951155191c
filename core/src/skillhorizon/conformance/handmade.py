"""Calls on a world that a test made by hand, before any plan or policy: accepted ones, and refused ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs

from skillhorizon.model.update import Notice, PlannedUpdate
from skillhorizon.session.session import Memory, Observation, Session, Toolbox
from skillhorizon.world.world import World

if TYPE_CHECKING:
    from skillhorizon.environment import Environment
    from skillhorizon.gateway.tools import Tool
    from skillhorizon.model.plan import Plan

_LEAST_TOLD = 30
"""Characters of a message that says what would be accepted."""


@attrs.frozen
class _Business:
    """What a session needs of an environment."""

    apply: Callable[[Any, World, str], Notice | None]


@attrs.frozen
class _Brief:
    """What a session needs of a plan."""

    updates: Sequence[PlannedUpdate]
    requirements: tuple[()] = ()


class Handmade:
    """A session over a world made by hand; tests of a gateway derive from it and add the right calls.

    Args:
        world: with the environment's rules of how artifacts end, if it has any.
        tools: the environment's own.
        apply: changes the world as an update says.
        updates: those that may fire.
        seed: what run-time draws derive from.
    """

    def __init__(
        self,
        world: World,
        tools: Sequence[Tool],
        apply: Callable[[Any, World, str], Notice | None],
        updates: Sequence[PlannedUpdate] = (),
        *,
        seed: str = "",
    ) -> None:
        self.world = world
        self.session = Session(
            cast("Environment[Any, Any]", _Business(apply)),
            cast("Plan", _Brief(updates)),
            world,
            toolbox=Toolbox({tool.name: tool for tool in tools}),
            recorder=Memory(),
            seed=seed,
        )

    def observe(self, tool: str, /, **arguments: Any) -> Observation:
        """Make a call, whatever comes of it."""
        return self.session.call(tool, arguments)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Make a call that is accepted, and return its data.

        Raises:
            AssertionError: when it is not, or leaves the ledger inconsistent.
        """
        seen = self.observe(tool, **arguments)
        _insist(seen.outcome == "accepted", seen.text)
        _insist(not self.world.ledger.inconsistent(), f"{tool} left a live cite whose token is not the present one")
        return seen.data

    def refused(self, code: str, culprit: str, tool: str, /, **arguments: Any) -> Any:
        """Make a call that is rejected with this code, names the object at fault, and changes nothing.

        Raises:
            AssertionError: when it does otherwise.
        """
        before = self.world.digest()
        seen = self.observe(tool, **arguments)
        error = seen.data.get("error")
        if not isinstance(error, dict) or seen.outcome != "rejected":
            raise AssertionError(f"{tool} is not rejected: {seen.text}")
        _insist(error["code"] == code, seen.text)
        _insist(error["details"]["object"] == culprit, seen.text)
        _insist(len(error["message"]) > _LEAST_TOLD, f"says too little: {seen.text}")
        _insist(self.world.digest() == before, f"{tool} changed the world though it was rejected")
        return error

    def malformed(self, tool: str, /, **arguments: Any) -> str:
        """Make a call whose arguments have not the declared form, and return what is told of them.

        Raises:
            AssertionError: when it is taken for anything else.
        """
        before = self.world.digest()
        seen = self.observe(tool, **arguments)
        _insist(seen.outcome == "malformed", seen.text)
        _insist(self.world.digest() == before, f"{tool} changed the world though it was malformed")
        told: dict[str, Any] = {**seen.data}
        return str(told["error"]["message"])

    def rows(self, tool: str, /, **arguments: Any) -> list[list[Any]]:
        """Return all rows of a list, page after page."""
        found: list[list[Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            page = self.call(tool, **arguments, **({"cursor": cursor} if cursor else {}))
            found += page["rows"]
            cursor = page["next"]
        return found

    def ref(self, artifact_id: str) -> str:
        """Return the reference of the current version.

        Raises:
            AssertionError: when there is none.
        """
        found = self.world.ledger.current(artifact_id)
        if found is None:
            raise AssertionError(f"{artifact_id} has no current version")
        return found.ref

    def content(self, ref: str) -> Any:
        """Return the content of a version, or of the current one of an id.

        Raises:
            AssertionError: when there is none.
        """
        found = self.world.ledger.named(ref if "@" in ref else self.ref(ref))
        if found is None:
            raise AssertionError(f"there is no {ref}")
        return found.content

    def ended(self, ref: str) -> str | None:
        """Return how a version ended, None while it is current.

        Raises:
            AssertionError: when there is none.
        """
        found = self.world.ledger.named(ref)
        if found is None:
            raise AssertionError(f"there is no {ref}")
        return found.ended_as


def _insist(holds: bool, told: str) -> None:  # noqa: FBT001  # an assertion that optimised bytecode keeps
    if not holds:
        raise AssertionError(told)
