"""Executing one job of a run, in whatever process or event loop it comes to."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.construction.suites import load_entry
from skillhorizon.evaluation.agents import Agent, load_agent, trait
from skillhorizon.evaluation.conditions import instruction_of
from skillhorizon.evaluation.execution import EnvironmentFault, Execution, ExecutionEnded
from skillhorizon.evaluation.limits import Meter, RunStopped
from skillhorizon.evaluation.opening import Label, built_of, footer_of, header_of
from skillhorizon.evaluation.result import Result, result_of
from skillhorizon.evaluation.stopwatch import TIMES, Stopwatch, kept_milliseconds
from skillhorizon.evaluation.terminal import Terminal
from skillhorizon.model.task import Entry
from skillhorizon.session.files import Footer, Header, Journal, JournalFile, closed_path, open_path, read_journal, seal
from skillhorizon.session.replay import replay

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from skillhorizon.evaluation.creating import Creations


@attrs.frozen(kw_only=True)
class Job:
    """One execution to make: the task's suite and entry, the agent (or its name and options), label and journal."""

    suite: Path
    entry: Entry
    agent: Agent | str
    label: Label
    journal: Path
    settings: Mapping[str, str] = attrs.Factory(dict)

    @property
    def key(self) -> tuple[str, int]:
        """Task digest and trial."""
        return self.entry.digest, self.label.trial

    @property
    def run(self) -> Path:
        """The run's folder."""
        return self.journal.parents[2]

    @property
    def files(self) -> Path:
        """How the names of the agent's own files begin: beside the journal, with the trial's number."""
        return self.journal.with_name(str(self.label.trial))

    @property
    def time(self) -> Path:
        """Where the wall time of an execution is kept that can be gone on with."""
        return self.run / TIMES / self.entry.id / f"{self.label.trial}.ms"

    def loaded(self) -> Agent:
        """Return the agent."""
        return load_agent(self.agent, self.settings) if isinstance(self.agent, str) else self.agent

    def __str__(self) -> str:
        return f"task {self.entry.id}, trial {self.label.trial}"


def closed_already(job: Job) -> Result | None:
    """Return the result of a job whose journal is closed and scored, or None when it is to be executed.

    Raises:
        CorruptFile: when the journal is damaged.
    """
    journal = _closed(job.journal)
    if journal is None or not _same(journal.header, job):
        return None
    found = result_of(journal, milliseconds=kept_milliseconds(job.time))
    return found if found is not None and found.scored else None


def _same(header: Header, job: Job) -> bool:
    label = job.label
    theirs = (header.digest, header.trial, header.agent, header.allowance, header.terms)
    return theirs == (*job.key, label.agent, label.allowance, label.terms)


def _closed(path: Path) -> Journal | None:
    """Return a closed journal; one that was killed between its last line and its compression is compressed now."""
    if closed_path(path).exists():
        return read_journal(closed_path(path))
    where = open_path(path)
    if not where.is_file() or b'\n{"footer":' not in where.read_bytes():
        return None
    journal = read_journal(where)
    if journal.footer is not None:
        seal(path)
    return journal


def execute(job: Job) -> Result:
    """Execute a job and return its result; an execution that was finished before is not repeated.

    Raises:
        CorruptFile, DigestMismatch, VersionMismatch: when the task cannot be rebuilt as it was.
        StorageError: when the journal cannot be written.
        RunStopped: when the agent stops the whole run.
    """
    before = closed_already(job)
    if before is not None:
        return before
    with _watched() as watch:
        agent = job.loaded()
    if watch.fault:
        return lost(job, load_entry(job.suite, job.entry).environment, watch.fault)
    with opened(job, agent, Meter()) as work:
        with work.watched() as watch:
            agent.run(work.execution)
        return work.ended(watch.fault)


async def attend(job: Job, agent: Any, meter: Meter, creations: Creations) -> Result:
    """Execute a job on an event loop: `execute` for agents that wait for a model.

    Raises:
        CorruptFile, DigestMismatch, VersionMismatch, StorageError, RunStopped: as `execute` does.
    """
    before = closed_already(job)
    if before is not None:
        return before
    meter.check()
    with _watched() as watch:
        await creations.ensure(job, agent, meter)
    if watch.fault:
        return lost(job, load_entry(job.suite, job.entry).environment, watch.fault)
    with opened(job, agent, meter) as work:
        with work.watched() as watch:
            await agent.attend(work.execution)
        return work.ended(watch.fault)


class _Watch:
    """Lets an agent work until the end; keeps what broke on the way, lets pass what stops the whole run."""

    def __init__(self, execution: Execution | None) -> None:
        self.fault = ""
        self._execution = execution

    def __enter__(self) -> _Watch:
        """Return the watch itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        """Keep a fault; whatever an agent raises is infrastructure, never scored."""
        if isinstance(error, RunStopped) or not isinstance(error, (Exception, SystemExit)):
            return False
        ended = self._execution is not None and bool(self._execution.ended or self._execution.fault)
        if not isinstance(error, (ExecutionEnded, EnvironmentFault)) and not ended:
            self.fault = f"the agent failed: {type(error).__name__}: {error}"
        return True


def _watched(execution: Execution | None = None) -> _Watch:
    return _Watch(execution)


@attrs.define
class Work:
    """An execution under way, with its journal."""

    header: Header
    execution: Execution
    file: JournalFile
    continues: bool

    def watched(self) -> _Watch:
        """Return what catches the agent's faults."""
        return _watched(self.execution)

    def ended(self, fault: str) -> Result:
        """Close the journal and return the result.

        An agent that can go on with its execution leaves the journal open when something failed outside of it.

        Raises:
            StorageError: when the journal cannot be written.
        """
        if self.file.fault is not None:
            raise self.file.fault
        own = self.execution.fault
        if not (fault or own):
            self.execution.submit()
        footer = self._footer(fault or own or self.execution.fault)
        spent = self.execution.watch.keep()
        if not (fault and self.continues):
            self.file.close(footer)
        return _result(self.header, footer, spent)

    def _footer(self, fault: str) -> Footer:
        if not fault:
            try:
                return footer_of(self.execution)
            except Exception as error:  # the checker is the environment's; its fault is infrastructure
                fault = f"the checker failed: {type(error).__name__}: {error}"
        session, usage = self.execution.session, self.execution.usage
        kind = Terminal.INFRASTRUCTURE_ERROR
        return Footer(kind=kind, calls=session.index, charged=session.charged, fault=fault, usage=usage)


@contextmanager
def opened(job: Job, agent: Agent, meter: Meter) -> Iterator[Work]:
    """Open a job's execution: anew, or, when the agent can go on, where its journal was left."""
    continues = bool(trait(agent, "continues", default=False))
    watch = Stopwatch(job.time if continues else None)
    task = load_entry(job.suite, job.entry)
    header = header_of(task, job.entry.digest, job.label)
    if not open_path(job.journal).exists():  # what was kept is of an execution that has ended
        watch.forget()
    left = _left(job, agent) if continues else None
    records = left.records if left else ()
    with closing(built_of(task, job.label.terms, job.run, records)) as built:
        session = replay(built, records, budget=header.budget)
        with closing(session.world), _journal(job, header, left) as file:
            session.recorder = file
            execution = Execution(task, session, instruction=instruction_of(task.instruction, built.components.toolbox))
            execution.files, execution.meter, execution.watch = job.files, meter, watch
            meter.settle(job.key, calls=session.charged)
            execution.private = (job.suite, job.run)
            execution.recalled = tuple(record.observation for record in records)
            try:
                yield Work(header, execution, file, continues)
            finally:
                watch.keep()


@contextmanager
def _journal(job: Job, header: Header, left: Journal | None) -> Iterator[JournalFile]:
    file = JournalFile.start(job.journal, header) if left is None else JournalFile.cut(job.journal, left)
    try:
        yield file
    finally:
        file.leave()


def _left(job: Job, agent: Any) -> Journal | None:
    """Return the journal that an earlier process left open, as far as its agent goes on with it; None is anew."""
    journal = open_journal(job)
    kept = trait(agent, "kept", default=None)(job.files, len(journal.records) if journal else 0)
    return attrs.evolve(journal, records=journal.records[:kept]) if journal is not None and kept else None


def open_journal(job: Job) -> Journal | None:
    """Return the journal that an earlier process left open, None when there is none of this execution.

    Raises:
        CorruptFile: when it is damaged.
    """
    where = open_path(job.journal)
    journal = read_journal(where) if where.is_file() and b"\n" in where.read_bytes() else None
    return journal if journal is not None and _same(journal.header, job) else None


def _result(header: Header, footer: Footer, milliseconds: int) -> Result:
    made = result_of(Journal(header, (), footer, 0), milliseconds=milliseconds)
    if made is None:
        raise AssertionError("a journal with a footer has a result")
    return made


def cancelled(job: Job, journal: Journal) -> Result:
    """Return the result of a job that Ctrl-C cut off: what its open journal holds, not scored."""
    return attrs.evolve(
        lost(job, journal.header.environment, "stopped by Ctrl-C"),
        kind=Terminal.CANCELLED,
        calls=len(journal.records),
        charged=sum(record.charged for record in journal.records),
        budget=journal.header.budget,
        milliseconds=kept_milliseconds(job.time),
    )


def lost(job: Job, environment: str, fault: str) -> Result:
    """Return the result of a job that could not be executed."""
    return Result(
        task=job.entry.id,
        digest=job.entry.digest,
        environment=environment,
        cell=job.entry.cell,
        agent=job.label.agent,
        trial=job.label.trial,
        kind=Terminal.INFRASTRUCTURE_ERROR,
        fault=fault,
    )
