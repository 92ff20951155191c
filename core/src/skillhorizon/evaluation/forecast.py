"""What a run would take, from what its tasks' references took: nothing is executed and nothing asked."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.suites import load_entry, load_suite
from skillhorizon.evaluation.agents import load_agent, trait
from skillhorizon.evaluation.options import RunOptions, budget, chosen
from skillhorizon.model.usage import Price, Usage

if TYPE_CHECKING:
    from pathlib import Path


@attrs.frozen(kw_only=True)
class Forecast:
    """A run's size.

    Attributes:
        skills: its skills condition.
        executions: how many it has.
        reference_calls: R of all of them: what the reference policy makes.
        calls: B of all of them: what agents may be charged at most.
        usage: estimate of requests and tokens for R calls; None when the agent accounts for no model.
        cost: of that estimate at the price given; None without one.
    """

    skills: str
    executions: int
    reference_calls: int
    calls: int
    usage: Usage | None
    cost: Decimal | None


def forecast(suite: Path, agent: str, options: RunOptions, price: Price | None) -> Forecast:
    """Estimate a run.

    Raises:
        UsageError: when suite, agent, tasks or options are wrong.
    """
    asked = options.checked()
    tasks = [load_entry(suite, entry) for entry in chosen(load_suite(suite), asked)]
    estimate = trait(load_agent(agent, asked.settings), "estimate", default=None)
    used = None
    if estimate is not None:
        used = sum((estimate(task.measurement) for task in tasks for _ in range(asked.trials)), start=Usage())
    return Forecast(
        skills=asked.skills,
        executions=len(tasks) * asked.trials,
        reference_calls=sum(task.measurement.calls for task in tasks) * asked.trials,
        calls=sum(budget(task, asked.allowance) for task in tasks) * asked.trials,
        usage=used,
        cost=price.of(used) if price is not None and used is not None else None,
    )
