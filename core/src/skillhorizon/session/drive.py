"""Driving a reference policy's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon.environment import Noticed, Refused, Skipped, Step
from skillhorizon.errors import ProofFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_TIMES = 3


def drive(
    steps: Iterator[Step],
    *,
    skip: Callable[[Step], bool] | None = None,
    tolerate: bool = False,
    done: Callable[[Step], None] | None = None,
) -> list[str]:
    """Run the steps of a policy in their order.

    Args:
        steps: the policy's agenda; its body between yields only lists.
        skip: steps to leave out.
        tolerate: go on after a refusal or an unmet need, instead of raising.
        done: told of each step that ran to its end.

    Returns:
        What was refused, one text per step, when tolerated.

    Raises:
        ProofFailed: when a step is refused and that is not tolerated, or comes a fourth time.
    """
    refused: list[str] = []
    times: dict[tuple[str, str], int] = {}
    for step in _agenda(steps, refused, tolerate=tolerate):
        entry = step.module, step.update
        times[entry] = count = times.get(entry, 0) + 1
        if count > MOST_TIMES:
            raise ProofFailed(f"the policy steps {step.module} under {step.update or 'no update'} a fourth time")
        if skip is not None and skip(step):
            continue
        try:
            step.run()
        except Noticed:
            pass
        except (Refused, Skipped) as error:
            refused.append(f"{step.module}: {error}")
            if not tolerate:
                raise ProofFailed(f"the reference policy was refused in {step.module}: {error}") from error
            continue
        if done is not None:
            done(step)
    return refused


def _agenda(steps: Iterator[Step], refused: list[str], *, tolerate: bool) -> Iterator[Step]:
    """Yield the steps; a refusal of a list between them ends the agenda."""
    try:
        yield from steps
    except (Refused, Skipped) as error:
        refused.append(f"between steps: {error}")
        if not tolerate:
            raise ProofFailed(f"the reference policy was refused between steps: {error}") from error
