"""Evaluating from Python: the run and its database, joined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon.evaluation.options import RunOptions
from skillhorizon.evaluation.runs import Evaluation, Progress, prepare, run_all_left
from skillhorizon.results.database import Database, url_of, without_password

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from skillhorizon.evaluation.agents import Agent
    from skillhorizon.evaluation.limits import Limits


def evaluate(  # noqa: PLR0913  # each is a decision of the caller's, by name
    suite: str | Path,
    agent: Agent | Callable[..., object] | str,
    options: RunOptions | None = None,
    *,
    out: str | Path | None = None,
    new: bool = False,
    database: str = "",
    workers: int = 1,
    progress: Progress | None = None,
    limits: Limits | None = None,
) -> Evaluation:
    """Run an agent over a suite, or go on with a run that was interrupted; a run that is complete is only read.

    Args:
        suite: the suite's folder.
        agent: a name, NAME:OPTIONS or MODULE:ATTRIBUTE; or an object with `run(execution)`, or a function of the
            execution, which several workers must be able to import.
        options: which tasks, how many trials, which allowance.
        out: the run's folder; by default `shz-runs/<suite>/<agent>`.
        new: start another run where one exists.
        database: URL of a database; by default `results.db` in the run's folder.
        workers: processes at once; 1 is this process itself, 0 one per core. For an agent that waits for a model:
            executions at once in this process, 0 is eight.
        progress: told (executions done, executions in all).
        limits: of the whole run, earlier commands included; their price gives results their cost.

    Raises:
        SkillHorizonError: what is wrong and the way out; what was done is kept, and nothing is left of a new run that
            is refused before it starts.
    """
    told = without_password(database)
    prepared = prepare(suite, agent, options or RunOptions(), out=out, new=new, database=told)
    prepared.admit(limits)
    prepared = prepared.start(lambda: _try(database))
    with Database(url_of(prepared.run.folder, database)) as store:
        return run_all_left(prepared, store, workers=workers, progress=progress, limits=limits)


def _try(database: str) -> None:
    """Open a database that was named, so that one that cannot be used refuses the run."""
    if database:
        Database(database).close()
