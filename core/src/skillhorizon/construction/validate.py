"""Validating a suite: every task is rebuilt and proven again, each in a fresh process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.garbage import uncollected
from skillhorizon.construction.proof import prove
from skillhorizon.construction.suites import load_entry, load_suite
from skillhorizon.construction.tasks import rebuild
from skillhorizon.construction.workers import run_all
from skillhorizon.errors import DigestMismatch, ProofFailed, SkillHorizonError
from skillhorizon.model.task import Entry, Task
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.construction.workshop import Built


@attrs.frozen(kw_only=True)
class Verdict:
    """One validated task: what was wrong ('' is nothing), what is worth knowing, and its L_ref in tokens."""

    id: str
    fault: str
    warnings: tuple[str, ...] = ()
    l_ref: int = 0
    goals: int = 0


@attrs.frozen
class Job:
    """One task to validate."""

    folder: Path
    entry: Entry
    quick: bool


def validate_suite(folder: str | Path, *, quick: bool = False, workers: int = 0) -> Iterator[Verdict]:
    """Validate every task of a suite and yield the verdicts in the order in which they end.

    Args:
        folder: the suite's folder.
        quick: stop after schema, pins and digests.
        workers: processes at once; 0 is one per core.

    Raises:
        UsageError, CorruptFile, StorageError: when the suite itself cannot be read.
    """
    suite = load_suite(folder)
    jobs = [Job(Path(folder), entry, quick) for entry in suite.tasks]
    for done in run_all(validate_task, jobs, workers=workers, fresh=True):
        fault = "" if done.error is None else str(done.error)
        yield done.result or Verdict(id=done.job.entry.id, fault=fault)


@uncollected()
def validate_task(job: Job) -> Verdict:
    """Validate one task; a fault is the verdict, never an error."""
    try:
        return _validated(load_entry(job.folder, job.entry), quick=job.quick)
    except SkillHorizonError as error:
        return Verdict(id=job.entry.id, fault=str(error))


def _validated(task: Task, *, quick: bool) -> Verdict:
    built, warnings = rebuild(task)
    try:
        if not quick:
            _prove_again(task, built)
            check_null(task, built)
    finally:
        built.close()
    return Verdict(
        id=task.id,
        fault="",
        warnings=tuple(warnings),
        l_ref=task.measurement.l_ref,
        goals=len(task.blueprint.goals),
    )


def _prove_again(task: Task, built: Built) -> None:
    proof = prove(built)
    if proof.journal != task.digests.journal or proof.measurement != task.measurement:
        raise DigestMismatch(
            f"task {task.id}: the reference run differs from the recorded one; generate the task again"
        )


def check_null(task: Task, built: Built) -> None:
    """Require that doing nothing meets no goal.

    Raises:
        ProofFailed: when a goal, or the whole task, holds at the start.
    """
    session = built.session(Nowhere())
    try:
        reached = session.score()
    finally:
        session.world.close()
    if reached.goals_met or reached.success:
        raise ProofFailed(f"task {task.id}: doing nothing meets {reached.goals_met} goals; none may hold at the start")
