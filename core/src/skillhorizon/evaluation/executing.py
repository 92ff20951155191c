"""Executing one job of a run, in whatever process it comes to."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter_ns

import attrs

from skillhorizon.construction.suites import load_entry
from skillhorizon.evaluation.agents import Agent, load_agent
from skillhorizon.evaluation.execution import EnvironmentFault, Execution, ExecutionEnded
from skillhorizon.evaluation.opening import Label, built_of, footer_of, header_of
from skillhorizon.evaluation.result import Result, result_of
from skillhorizon.evaluation.terminal import Terminal
from skillhorizon.model.task import Entry
from skillhorizon.session.files import Footer, Header, Journal, JournalFile, closed_path, open_path, read_journal, seal


@attrs.frozen(kw_only=True)
class Job:
    """One execution to make: the task's suite and entry, the agent (or its name), trial, allowance and journal."""

    suite: Path
    entry: Entry
    agent: Agent | str
    label: Label
    journal: Path

    @property
    def key(self) -> tuple[str, int]:
        """Task digest and trial."""
        return self.entry.digest, self.label.trial

    def __str__(self) -> str:
        return f"task {self.entry.id}, trial {self.label.trial}"


def closed_already(job: Job) -> Result | None:
    """Return the result of a job whose journal is closed and scored, or None when it is to be executed.

    Raises:
        CorruptFile: when the journal is damaged.
    """
    journal = _closed(job.journal)
    if journal is None or (journal.header.digest, journal.header.trial) != job.key:
        return None
    found = result_of(journal)
    same = journal.header.agent == job.label.agent and journal.header.allowance == job.label.allowance
    return found if same and found is not None and found.scored else None


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
    """
    before = closed_already(job)
    if before is not None:
        return before
    task = load_entry(job.suite, job.entry)
    header = header_of(task, job.entry.digest, job.label)
    built = built_of(task)
    start = perf_counter_ns()
    file = JournalFile.start(job.journal, header)
    session = built.session(file, budget=header.budget)
    try:
        footer = _run(job.agent, Execution(task, session), file)
        file.close(footer)
    finally:
        file.leave()
        session.world.close()
        built.close()
    return _result(header, footer, (perf_counter_ns() - start) // 1_000_000)


def _run(agent: Agent | str, execution: Execution, file: JournalFile) -> Footer:
    fault = _fault(agent, execution)
    if file.fault is not None:
        raise file.fault
    if not fault:
        try:
            return footer_of(execution)
        except Exception as error:  # the checker is the environment's; its fault is infrastructure
            fault = f"the checker failed: {type(error).__name__}: {error}"
    session = execution.session
    kind = Terminal.INFRASTRUCTURE_ERROR
    return Footer(kind=kind, calls=session.index, charged=session.charged, fault=fault)


def _fault(agent: Agent | str, execution: Execution) -> str:
    """Let the agent work until the end; return what broke on the way, or ''."""
    try:
        made = load_agent(agent) if isinstance(agent, str) else agent
        made.run(execution)
    except (ExecutionEnded, EnvironmentFault):
        pass
    except (Exception, SystemExit) as error:  # whatever an agent raises is infrastructure, never scored
        if not execution.ended:
            return execution.fault or f"the agent failed: {type(error).__name__}: {error}"
    if not execution.fault:
        execution.submit()
    return execution.fault


def _result(header: Header, footer: Footer, milliseconds: int) -> Result:
    made = result_of(Journal(header, (), footer, 0), milliseconds=milliseconds)
    if made is None:
        raise AssertionError("a journal with a footer has a result")
    return made


def lost(job: Job, environment: str, fault: str) -> Result:
    """Return the result of a job that killed its worker twice."""
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
