"""Running an agent over a suite: what is left to do, on all cores, one result at a time into the store."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, cast

import attrs

from skillhorizon.construction.components import Components, pinned
from skillhorizon.construction.files import made_folder
from skillhorizon.construction.lock import locked, locked_to_begin
from skillhorizon.construction.suites import load_entry, load_suite
from skillhorizon.construction.workers import Done, WorkerLost, run_all
from skillhorizon.errors import UsageError
from skillhorizon.evaluation.agents import AGENTS, Agent, Attending, Called, as_agent, load_agent, name_of, trait
from skillhorizon.evaluation.attending import attend_all
from skillhorizon.evaluation.conditions import PACKED, SELF_GENERATED, toolbox_of
from skillhorizon.evaluation.creating import created_pack
from skillhorizon.evaluation.executing import Job, cancelled, closed_already, execute, lost, open_journal
from skillhorizon.evaluation.folder import Run, begun_last, default_folder, held_run, info_of, unused, versions_of
from skillhorizon.evaluation.metrics import Metrics, cells
from skillhorizon.evaluation.opening import Label
from skillhorizon.evaluation.options import RunOptions, chosen
from skillhorizon.evaluation.packs import check_scripts, copied_pack, pack_of
from skillhorizon.evaluation.result import Result, RunStore
from skillhorizon.evaluation.spending import check_limits, count_open, count_results, meter_of
from skillhorizon.evaluation.terminal import Terminal
from skillhorizon.model.task import Entry, Suite
from skillhorizon.model.terms import CURATED
from skillhorizon.model.workload import BANDS

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from skillhorizon.evaluation.folder import RunInfo
    from skillhorizon.evaluation.limits import Limits, Meter
    from skillhorizon.model.usage import Price

PACK = "pack"
Ending = Generator[Done[Job, Result], None, None]
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
        """The executions that broke and were not scored; the same command runs them again."""
        return [result for result in self.results if result.kind == Terminal.INFRASTRUCTURE_ERROR]


@attrs.frozen(kw_only=True)
class Prepared:
    """A run whose suite, agent, options and folder agree; `new` is one of which nothing was written yet."""

    run: Run
    new: bool
    suite: Path
    agent: Agent | str
    loaded: Agent
    entries: tuple[Entry, ...]
    warnings: tuple[str, ...]

    def admit(self, limits: Limits | None) -> None:
        """Refuse what cannot work: limits that cannot be kept, and, for a new run, an agent that is not ready.

        Raises:
            UsageError: when it is refused.
        """
        check_limits(self.loaded, limits)
        if self.new:
            _look(self.loaded)

    def start(self, ready: Callable[[], object] = lambda: None) -> Prepared:
        """Write what a new run begins with, `run.json` last of all, and return the run that the folder holds then.

        The folder is looked at again, with nobody else at work on it: since `prepare` another command may have begun a
        run there. When anything fails, what was written goes again.

        Args:
            ready: called once all else is ready; what it raises refuses the run.

        Raises:
            UsageError: when another process works on the folder, or it holds another run by now.
            CorruptFile: when its `run.json` is none.
            StorageError: when the folder cannot be written.
        """
        run, folder = self.run, self.run.folder
        with made_folder(folder), locked_to_begin(folder):
            held = held_run(folder, run.info)
            with self._packed(), nullcontext() if held else begun_last(run):
                ready()
        return attrs.evolve(self, run=held or run)

    def _packed(self) -> AbstractContextManager[None]:
        info = self.run.info
        if info.options.terms.kind != PACK:
            return nullcontext()
        return copied_pack(_pack_folder(info.options), self.run.folder / info.pack)

    def jobs(self) -> list[Job]:
        """Return the run's executions: trial by trial, the largest tasks first, so that no core ends late."""
        info = self.run.info
        size = {band.name: band.high for band in BANDS}
        ordered = sorted(self.entries, key=lambda entry: -size.get(entry.cell.band, 0))
        asked = info.options
        terms = attrs.evolve(asked.terms, pack=info.pack)
        labels = [
            Label(agent=info.agent, trial=trial, allowance=asked.allowance, terms=terms)
            for trial in range(1, asked.trials + 1)
        ]
        return [self._job(entry, label) for label in labels for entry in ordered]

    def _job(self, entry: Entry, label: Label) -> Job:
        journal = self.run.journal(entry.id, label.trial)
        if label.terms.kind == SELF_GENERATED:
            pack = created_pack(label.terms, entry.id, label.trial)
            label = attrs.evolve(label, terms=attrs.evolve(label.terms, pack=pack))
        settings = self.run.info.options.settings if isinstance(self.agent, str) else {}
        return Job(suite=self.suite, entry=entry, agent=self.agent, label=label, journal=journal, settings=settings)


def prepare(
    suite: str | Path,
    agent: Agent | Callable[..., object] | str,
    options: RunOptions,
    *,
    out: str | Path | None = None,
    new: bool = False,
    database: str = "",
) -> Prepared:
    """Read a suite, choose its tasks, load the agent, and look at the run's folder; nothing is written.

    Raises:
        UsageError: when there is no such suite, agent or task, or the folder holds another run.
        CorruptFile, VersionMismatch: when the suite cannot be used.
        StorageError: when the folder cannot be read.
    """
    where = Path(suite)
    loaded, asked = load_suite(where), options.checked()
    entries = chosen(loaded, asked)
    first = load_entry(where, entries[0])
    components, warnings = pinned(first)
    made = _agent(agent, asked)
    if asked.terms.kind == SELF_GENERATED and trait(made, "create", default=None) is None:
        raise UsageError(f"the agent {made.name} writes no skills of its own; say another --skills than {asked.skills}")
    folder = Path(out) if out is not None else default_folder(_name(where, loaded), _called(made, asked))
    folder = unused(folder) if new else folder
    check_scripts(asked.scripts, folder)
    info = info_of(
        folder,
        where,
        loaded,
        entries,
        agent=made.name,
        options=asked,
        versions=versions_of(components, trait(made, "versions", default={}), first.encoding),
        database=database,
        isolation=trait(made, "isolation", default="none"),
        pack=_pack(components, asked),
    )
    held = held_run(folder, info)
    return Prepared(
        run=held or Run(folder, info),
        new=held is None,
        suite=where,
        agent=agent if isinstance(agent, str) else made,
        loaded=made,
        entries=tuple(entries),
        warnings=tuple(warnings),
    )


def _called(agent: Agent, options: RunOptions) -> str:
    """Return what the run's folder is called after: the agent, and the skills condition unless it is the plain one."""
    return agent.name if options.skills == CURATED else f"{agent.name}.{options.skills}"


def _pack(components: Components, options: RunOptions) -> str:
    """Check the skills condition, and return where its pack is to lie, '' when it has none.

    Raises:
        UsageError, PluginError: when skills or pack do not exist or are faulty.
        SandboxUnavailable: when scripts cannot be confined here.
    """
    if options.terms.kind == PACK:
        return pack_of(_pack_folder(options))
    if options.terms.kind not in PACKED:
        toolbox_of(components, options.terms, None)
    return ""


def _pack_folder(options: RunOptions) -> Path:
    return Path(options.skills.removeprefix(f"{PACK}:"))


def _name(folder: Path, suite: Suite) -> str:
    return folder.resolve().name or suite.name


def _agent(agent: Agent | Callable[..., object] | str, options: RunOptions) -> Agent:
    if not isinstance(agent, str):
        return as_agent(agent, name_of(agent))
    if agent.partition(":")[0] in AGENTS and options.skills != CURATED:
        raise UsageError(
            f"the scripted agent {agent} follows the reference, which works with the curated skills; "
            f"leave out --skills {options.skills}"
        )
    return load_agent(agent, options.settings)


def run_all_left(
    prepared: Prepared,
    store: RunStore,
    *,
    workers: int = 0,
    progress: Progress | None = None,
    limits: Limits | None = None,
) -> Evaluation:
    """Execute what the store lacks, and return all results.

    Closed journals whose result the store lacks are taken over; others are executed from the start. A worker that dies
    takes nothing with it; a job that kills its worker twice is an infrastructure error.

    Args:
        prepared: the run, admitted and started.
        store: where results are kept; only this process writes it.
        workers: processes at once; 0 is one per core, 1 is this process itself. For an agent that waits for a model:
            executions at once in this process; 0 is eight.
        progress: told how far it is.
        limits: of the whole run, earlier commands included; their price gives results their cost.

    Raises:
        UsageError: when another process works on the run, or the agent cannot work.
        RunStopped: when a limit is reached.
        KeyboardInterrupt: on Ctrl-C; executions under way are listed as cancelled until the same command ends them.
        SkillHorizonError: what stopped it; what was done is kept, and the same command goes on.
    """
    with locked(prepared.run.folder):
        run = prepared.run.info.id
        store.begin(prepared.run.info)
        jobs = prepared.jobs()
        left = list(_left(jobs, run, store))
        if limits is not None and limits.price is not None:
            _price(store, run, limits.price)
        meter = meter_of(prepared.run.folder, limits)
        count_results(meter, prepared.loaded, store.results(run))
        count_open(meter, prepared.loaded, jobs, left)
        say = progress or (lambda _done, _all: None)
        ended = {job.key for job in jobs} - {job.key for job in left}
        say(len(ended), len(jobs))
        try:
            with closing(_ending(prepared, left, meter, workers)) as ending:
                for done in ending:
                    store.save(run, _result(done, prepared.run.info.environment).priced(meter.limits.price))
                    ended.add(done.job.key)
                    say(len(ended), len(jobs))
        except KeyboardInterrupt:
            _cancel(left, prepared.run.info, store, meter.limits.price)
            say(len(ended | _scored(left, run, store)), len(jobs))
            raise
    return Evaluation(run=prepared.run, results=_wanted(store.results(run), jobs), warnings=prepared.warnings)


def _cancel(jobs: Sequence[Job], info: RunInfo, store: RunStore, price: Price | None) -> None:
    """List what had just ended as it ended, and what was under way, and of which nothing is told yet, as cancelled."""
    told = {result.key: result.scored for result in store.results(info.id)}
    for job in jobs:
        closed = None if told.get(job.key) else closed_already(job)
        journal = None if closed is not None or job.key in told else open_journal(job)
        if closed is not None:
            store.save(info.id, closed.priced(price))
        elif journal is not None:
            store.save(info.id, cancelled(job, journal))


def _scored(jobs: Sequence[Job], run: str, store: RunStore) -> set[tuple[str, int]]:
    return {result.key for result in store.results(run) if result.scored} & {job.key for job in jobs}


def _look(agent: Agent) -> None:
    """Let an agent look whether it can work.

    Raises:
        UsageError: when it cannot.
    """
    trait(agent, "preflight", default=lambda: None)()


def _ending(prepared: Prepared, jobs: list[Job], meter: Meter, workers: int) -> Ending:
    """Yield the jobs as they end; the agent of a run that was begun before looks first whether it can work."""
    if not jobs:
        return
    agent = prepared.loaded
    if not prepared.new:
        _look(agent)
    attending = agent.made if isinstance(agent, Called) else agent
    try:
        if hasattr(attending, "attend"):
            yield from attend_all(cast("Attending", attending), jobs, meter, at_once=workers)
        else:
            yield from _processed(agent, jobs, meter, workers)
    finally:
        meter.watch.keep()


def _processed(agent: Agent, jobs: list[Job], meter: Meter, workers: int) -> Ending:
    """Yield the jobs of an agent that works in processes as they end."""
    meter.check()
    with closing(run_all(execute, jobs, workers=workers)) as ending:
        for done in ending:
            yield done
            count_results(meter, agent, [] if done.result is None else [done.result])
            meter.check()


def _price(store: RunStore, run: str, price: Price) -> None:
    """Give results their cost that were made before there was a table of prices."""
    for result in store.results(run):
        priced = result.priced(price)
        if priced is not result:
            store.save(run, priced)


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
