"""Scripted agents: baselines whose scores are known beforehand (protocol, section 3)."""

from __future__ import annotations

import attrs

from skillhorizon.construction.proof import no_preference
from skillhorizon.errors import UsageError
from skillhorizon.evaluation.execution import Execution, ExecutionClient
from skillhorizon.session.drive import drive


@attrs.frozen
class Reference:
    """The policy that the task pins: LGC = TS = 1."""

    name: str = "reference"

    def run(self, execution: Execution) -> None:
        """Run the policy to its end."""
        session = execution.session
        drive(session.environment.steps(ExecutionClient(execution), session.plan.brief, no_preference))


@attrs.frozen
class Null:
    """Ends at once: LGC 0, TS 0."""

    name: str = "null"

    def run(self, execution: Execution) -> None:
        """Submit."""
        execution.submit()


def reference(options: str) -> Reference:
    """Return the reference agent; it has no options."""
    check_plain("reference", options)
    return Reference()


def null(options: str) -> Null:
    """Return the null agent; it has no options."""
    check_plain("null", options)
    return Null()


def check_plain(name: str, options: str) -> None:
    """Refuse options where an agent has none.

    Raises:
        UsageError: when there are some.
    """
    if options:
        raise UsageError(f"the agent {name} takes no options, but {options!r} was given; say --agent {name}")
