"""Opening an execution of a task, with a journal or without."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.components import Components, pinned
from skillhorizon.construction.tasks import read_task, rebuild, task_digest
from skillhorizon.construction.workshop import Built, Workshop
from skillhorizon.errors import DigestMismatch, UsageError
from skillhorizon.evaluation.conditions import toolbox_of
from skillhorizon.evaluation.execution import Execution
from skillhorizon.evaluation.options import DEFAULT_ALLOWANCE, budget
from skillhorizon.model.task import Task
from skillhorizon.model.terms import DEFAULT, Terms
from skillhorizon.registry import core_version
from skillhorizon.session.files import (
    Footer,
    Header,
    Journal,
    JournalFile,
    closed_path,
    open_path,
    read_journal,
)
from skillhorizon.session.replay import replay
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon.model.journal import Record


@attrs.frozen(kw_only=True)
class Label:
    """Whose execution it is: agent, trial, allowance, and the terms it is made under."""

    agent: str = "client"
    trial: int = 1
    allowance: str = DEFAULT_ALLOWANCE
    terms: Terms = DEFAULT


@cache
def _workshop(components: Components) -> Workshop:
    """Return the one workshop per components, which keeps the base world that tasks share."""
    return Workshop(components)


def built_of(task: Task, terms: Terms = DEFAULT, run: Path | None = None, recorded: Iterable[Record] = ()) -> Built:
    """Rebuild a task on the base world that this process keeps; see `rebuild`.

    Args:
        task: the task.
        terms: under which its tools are used.
        run: the run's folder, where skill packs lie.
        recorded: records to be replayed on it.
    """
    components = pinned(task)[0]
    toolbox = toolbox_of(components, terms, run, recorded)
    built, _warnings = rebuild(task, _workshop(components))
    return attrs.evolve(built, components=attrs.evolve(components, toolbox=toolbox))


def header_of(task: Task, digest: str, label: Label) -> Header:
    """Return the first line of an execution's journal."""
    return Header(
        task=task.id,
        digest=digest,
        environment=task.environment,
        cell=task.cell,
        agent=label.agent,
        trial=label.trial,
        allowance=label.allowance,
        budget=budget(task, label.allowance),
        terms=label.terms,
        versions={"core": core_version(), "engine": task.engine, "environment": task.version},
    )


def open_session(
    task: Task | str | Path, journal: str | Path | None = None, *, allowance: str = DEFAULT_ALLOWANCE
) -> Execution:
    """Open a task for calls, and go on with a journal that was left open.

    Args:
        task: a task, or the path of its file.
        journal: where calls are recorded, `*.jsonl`; it becomes `*.jsonl.gz` when the execution ends and is closed.
        allowance: A as a share of R, written as a decimal.

    Raises:
        UsageError: when the journal is closed already.
        DigestMismatch: when it belongs to another task, or its calls give something else today.
        StorageError: when the journal cannot be written.
    """
    opened = task if isinstance(task, Task) else read_task(Path(task))
    header = header_of(opened, task_digest(opened), Label(allowance=allowance))
    if journal is None:
        built = built_of(opened)
        session = built.session(Nowhere(), budget=header.budget)
        return Execution(opened, session, on_close=lambda execution: _free(execution, built))
    return _recorded(opened, header, Path(journal))


def _recorded(task: Task, header: Header, path: Path) -> Execution:
    left = _left_open(path, header)
    built = built_of(task)
    session = replay(built, left.records if left else (), budget=header.budget)
    file = JournalFile.resume(path, left) if left else JournalFile.start(path, header)
    session.recorder = file

    def close(execution: Execution) -> None:
        try:
            if execution.ended:
                file.close(footer_of(execution))
            else:
                file.leave()
        finally:
            _free(execution, built)

    return Execution(task, session, on_close=close)


def _left_open(path: Path, header: Header) -> Journal | None:
    """Return the journal to go on with, or None when there is none with a whole first line."""
    if closed_path(path).exists():
        raise UsageError(f"the journal {closed_path(path)} is closed, its execution has ended; name another one")
    where = open_path(path)
    if not where.is_file() or b"\n" not in where.read_bytes():
        return None
    journal = read_journal(where)
    if journal.header.digest != header.digest or journal.header.budget != header.budget:
        raise DigestMismatch(
            f"the journal {where} belongs to another task, version of it or allowance ({journal.header.task}, "
            f"allowance {journal.header.allowance}); open that one, or name another journal"
        )
    return journal


def footer_of(execution: Execution) -> Footer:
    """Score an ended execution and return its journal's last line."""
    session = execution.session
    return Footer(
        kind=execution.ended,
        calls=session.index,
        charged=session.charged,
        score=execution.score(),
        usage=execution.usage,
    )


def _free(execution: Execution, built: Built) -> None:
    execution.session.world.close()
    built.close()
