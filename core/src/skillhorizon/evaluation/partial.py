"""Agents that follow the reference but leave steps out (protocol, section 3)."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.proof import no_preference
from skillhorizon.construction.reach import Course, course_of
from skillhorizon.errors import UsageError
from skillhorizon.evaluation.execution import Execution, ExecutionClient
from skillhorizon.evaluation.scripted import check_plain
from skillhorizon.session.drive import drive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.environment import Step


@attrs.frozen
class EarlyStop:
    """Submits before the first step at which done modules are at least `share` of all, or before the last step.

    LGC = share of goals all of whose modules are done and that no fired update has undone; TS 0.
    """

    share: Fraction
    name: str = "early-stop"

    def run(self, execution: Execution) -> None:
        """Work until enough is done, and submit."""
        count = steps_until(course_of(execution.session), self.share)
        drive(islice(_steps(execution), count))
        execution.submit()


def steps_until(course: Course, share: Fraction) -> int:
    """Return after how many steps done modules are at least a share of all: before the last step at the latest."""
    wanted, last = share * len(course.plan.graph.modules), max(len(course.steps) - 1, 0)
    return next((count for count in range(last) if len(course.done(count)) >= wanted), last)


@attrs.frozen
class UpdateBlind:
    """Skips every step that an update asked for.

    No goal outside the updates' reach, and what is downstream of it in the graph, is lost; TS 0 if there is an update.
    """

    name: str = "update-blind"

    def run(self, execution: Execution) -> None:
        """Work as if no update had come."""
        drive(_steps(execution), skip=lambda step: bool(step.update), tolerate=True)


def _steps(execution: Execution) -> Iterator[Step]:
    session = execution.session
    return session.environment.steps(ExecutionClient(execution), session.plan.brief, no_preference)


def early_stop(options: str) -> EarlyStop:
    """Return the agent that stops at a share of the modules, written as a decimal or fraction in [0, 1).

    Raises:
        UsageError: when the share is none.
    """
    share = fraction("early-stop", options)
    if share == 1:
        raise UsageError("early-stop:1 would stop nowhere; give a share below 1, such as early-stop:0.4")
    return EarlyStop(share)


def update_blind(options: str) -> UpdateBlind:
    """Return the agent that ignores updates; it has no options."""
    check_plain("update-blind", options)
    return UpdateBlind()


def fraction(agent: str, text: str) -> Fraction:
    """Return a share in 0..1.

    Raises:
        UsageError: when the text is none.
    """
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise UsageError(f"the agent {agent} needs a share from 0 to 1 such as 0.4, but {text!r} was given")
    return share
