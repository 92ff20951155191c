"""What a run used before a command begins: by executions that have ended, and by those that are still open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon.errors import UsageError
from skillhorizon.evaluation.agents import trait
from skillhorizon.evaluation.conditions import SELF_GENERATED
from skillhorizon.evaluation.executing import open_journal
from skillhorizon.evaluation.limits import Limits, Meter
from skillhorizon.evaluation.stopwatch import TIMES, Stopwatch
from skillhorizon.model.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from skillhorizon.evaluation.agents import Agent
    from skillhorizon.evaluation.executing import Job
    from skillhorizon.evaluation.result import Result


def check_limits(agent: Agent, limits: Limits | None) -> None:
    """Refuse limits that cannot be kept, since the agent does not know what it uses.

    Raises:
        UsageError: when tokens or cost are limited for such an agent.
    """
    limited = limits is not None and not (limits.cost is None and limits.tokens is None)
    if limited and not trait(agent, "accounts", default=True):
        raise UsageError(
            f"--max-cost and --max-tokens cannot be kept for {agent.name}: what its model uses is not known here; "
            "limit that where it is paid for, or say --max-calls or --max-time"
        )


def meter_of(run: Path, limits: Limits | None) -> Meter:
    """Return the meter of a run in a folder; it knows the time of earlier commands.

    Raises:
        CorruptFile, StorageError: when that time cannot be read.
    """
    return Meter(limits, Stopwatch(run / TIMES / "run.ms"))


def count_results(meter: Meter, agent: Agent, results: Iterable[Result]) -> None:
    """Count what executions used that have ended, and those that broke or were cancelled and are made anew."""
    for result in results:
        used = result.usage or Usage()
        if result.scored or trait(agent, "continues", default=False):
            meter.settle(result.key, used, result.charged)
        else:
            meter.add(used, result.charged)


def count_open(meter: Meter, agent: Agent, jobs: Iterable[Job], left: Iterable[Job]) -> None:
    """Count what no result tells: of executions that are left, of turns that were lost, of packs that the agent wrote.

    Raises:
        CorruptFile: when an open journal is damaged.
    """
    spent = trait(agent, "spent", default=_nothing)
    continues = trait(agent, "continues", default=False)
    open_ones = {job.key for job in left}
    for job in jobs:
        if job.key not in open_ones:
            meter.add(spent(job.files, ended=True))
            continue
        journal = open_journal(job) if continues else None
        charged = sum(record.charged for record in journal.records) if journal else 0
        meter.settle(job.key, spent(job.files), charged)
    packs = {job.run / job.label.terms.pack for job in jobs if job.label.terms.kind == SELF_GENERATED}
    for pack in sorted(packs):
        meter.add(spent(pack))


def _nothing(_files: Path, *, ended: bool = False) -> Usage:  # noqa: ARG001  # the trait's own signature
    return Usage()
