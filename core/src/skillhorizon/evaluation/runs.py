"""Running an agent over a suite: what is left to do, on all cores, one result at a time into the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import attrs

from skillhorizon.construction.components import pinned
from skillhorizon.construction.lock import locked
from skillhorizon.construction.suites import load_entry, load_suite
from skillhorizon.construction.workers import Done, WorkerLost, run_all
from skillhorizon.evaluation.agents import Agent, as_agent, load_agent, name_of
from skillhorizon.evaluation.executing import Job, closed_already, execute, lost
from skillhorizon.evaluation.folder import Run, default_folder, info_of, open_run, unused, versions_of
from skillhorizon.evaluation.metrics import Metrics, cells
from skillhorizon.evaluation.opening import Label
from skillhorizon.evaluation.options import RunOptions, chosen
from skillhorizon.evaluation.result import Result, RunStore
from skillhorizon.model.task import Entry, Suite
from skillhorizon.model.workload import BANDS

Progress = Callable[[int, int], None]
"""Told (executions done, executions in all) at the start and after each."""


@attrs.frozen(kw_only=True)
class Evaluation:
    """A run that has gone as far as it could: its folder, results by task and trial, cells, and warnings."""

    run: Run
    results: tuple[Result, ...]
    warnings: tuple[str, ...]

    @property
    def cells(self) -> list[Metrics]:
        """The metrics per environment, band and agent."""
        return cells(self.results)

    @property
    def infrastructure_errors(self) -> list[Result]:
        """The executions that were not scored; the same command runs them again."""
        return [result for result in self.results if not result.scored]


@attrs.frozen(kw_only=True)
class Prepared:
    """A run whose suite, agent, options and folder agree."""

    run: Run
    suite: Path
    agent: Agent | str
    entries: tuple[Entry, ...]
    warnings: tuple[str, ...]

    def jobs(self) -> list[Job]:
        """Return the run's executions: trial by trial, the largest tasks first, so that no core ends late."""
        info = self.run.info
        size = {band.name: band.high for band in BANDS}
        ordered = sorted(self.entries, key=lambda entry: -size.get(entry.cell.band, 0))
        labels = [
            Label(agent=info.agent, trial=trial, allowance=info.options.allowance)
            for trial in range(1, info.options.trials + 1)
        ]
        return [self._job(entry, label) for label in labels for entry in ordered]

    def _job(self, entry: Entry, label: Label) -> Job:
        journal = self.run.journal(entry.id, label.trial)
        return Job(suite=self.suite, entry=entry, agent=self.agent, label=label, journal=journal)


def prepare(
    suite: str | Path,
    agent: Agent | Callable[..., object] | str,
    options: RunOptions,
    *,
    out: str | Path | None = None,
    new: bool = False,
    database: str = "",
) -> Prepared:
    """Read a suite, choose its tasks, load the agent, and start or take up the run's folder.

    Raises:
        UsageError: when there is no such suite, agent or task, or the folder holds another run.
        CorruptFile, VersionMismatch: when the suite cannot be used.
        StorageError: when the folder cannot be written.
    """
    where = Path(suite)
    loaded, asked = load_suite(where), options.checked()
    entries = chosen(loaded, asked)
    components, warnings = pinned(load_entry(where, entries[0]))
    name, usable = _agent(agent)
    folder = Path(out) if out is not None else default_folder(_name(where, loaded), name)
    folder = unused(folder) if new else folder
    versions = versions_of(components)
    info = info_of(folder, where, loaded, entries, agent=name, options=asked, versions=versions, database=database)
    run = open_run(folder, info)
    return Prepared(run=run, suite=where, agent=usable, entries=tuple(entries), warnings=tuple(warnings))


def _name(folder: Path, suite: Suite) -> str:
    return folder.resolve().name or suite.name


def _agent(agent: Agent | Callable[..., object] | str) -> tuple[str, Agent | str]:
    """Return the agent's name and what a worker can take: a name is loaded there again."""
    if isinstance(agent, str):
        return load_agent(agent).name, agent
    name = name_of(agent)
    return name, as_agent(agent, name)


def run_all_left(
    prepared: Prepared, store: RunStore, *, workers: int = 0, progress: Progress | None = None
) -> Evaluation:
    """Execute what the store lacks, and return all results.

    Closed journals whose result the store lacks are taken over; others are executed from the start. A worker that dies
    takes nothing with it; a job that kills its worker twice is an infrastructure error.

    Args:
        prepared: the run.
        store: where results are kept; only this process writes it.
        workers: processes at once; 0 is one per core, 1 is this process itself.
        progress: told how far it is.

    Raises:
        UsageError: when another process works on the run.
        SkillHorizonError: what stopped it; what was done is kept, and the same command goes on.
    """
    with locked(prepared.run.folder):
        run = prepared.run.info.id
        store.begin(prepared.run.info)
        jobs = prepared.jobs()
        left = list(_left(jobs, run, store))
        say = progress or (lambda _done, _all: None)
        say(len(jobs) - len(left), len(jobs))
        with closing(run_all(execute, left, workers=workers)) as ending:
            for number, done in enumerate(ending, len(jobs) - len(left) + 1):
                store.save(run, _result(done, prepared.run.info.environment))
                say(number, len(jobs))
    return Evaluation(run=prepared.run, results=_wanted(store.results(run), jobs), warnings=prepared.warnings)


def _left(jobs: Sequence[Job], run: str, store: RunStore) -> Iterator[Job]:
    known = {result.key for result in store.results(run) if result.scored}
    for job in jobs:
        if job.key in known:
            continue
        closed = closed_already(job)
        if closed is None:
            yield job
        else:
            store.save(run, closed)


def _result(done: Done[Job, Result], environment: str) -> Result:
    if done.result is not None:
        return done.result
    if isinstance(done.error, WorkerLost):
        return lost(done.job, environment, str(done.error))
    if done.error is None:
        raise AssertionError("a job gives a result or an error")
    raise done.error


def _wanted(results: Sequence[Result], jobs: Sequence[Job]) -> tuple[Result, ...]:
    keys = {job.key for job in jobs}
    return tuple(result for result in results if result.key in keys)
