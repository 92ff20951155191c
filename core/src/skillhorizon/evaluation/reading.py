"""Reading what a run recorded: a journal's task, its state at any call, its last rejections, its rewards."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.suites import load_entry, load_suite
from skillhorizon.errors import DigestMismatch, UsageError
from skillhorizon.evaluation.folder import RUN, read_run
from skillhorizon.evaluation.opening import built_of
from skillhorizon.model.canonical import Json, loads
from skillhorizon.model.journal import Record
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.replay import replay
from skillhorizon.session.session import Nowhere, Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from skillhorizon.construction.workshop import Built
    from skillhorizon.model.score import Score
    from skillhorizon.model.task import Task
    from skillhorizon.session.files import Header, Journal

REFUSED = (Outcome.REJECTED, Outcome.FAILED, Outcome.MALFORMED)
LAST = 5


@attrs.frozen(kw_only=True)
class Reward:
    """One call, the difference it made to the dense reward, and that of the state it led to (protocol, section 3)."""

    record: Record
    reward: float
    cumulative: float


def suite_of(journal: Path) -> Path:
    """Return the suite that a journal's run names.

    Raises:
        UsageError: when the journal lies in no run.
        CorruptFile, StorageError: when its `run.json` cannot be read.
    """
    for folder in journal.resolve().parents:
        if (folder / RUN).is_file():
            return read_run(folder).suite
    raise UsageError(f"{journal} lies in no run, so its task is unknown; name the suite by --suite DIR")


def _run_of(journal: Path) -> Path | None:
    return next((folder for folder in journal.resolve().parents if (folder / RUN).is_file()), None)


def task_of_journal(header: Header, suite: Path) -> Task:
    """Return the task of a journal out of a suite.

    Raises:
        UsageError: when the suite does not hold it.
        DigestMismatch: when it holds another task under that id.
    """
    entry = next((entry for entry in load_suite(suite).tasks if entry.id == header.task), None)
    if entry is None:
        raise UsageError(f"the suite in {suite} has no task {header.task}; name the journal's suite by --suite DIR")
    if entry.digest != header.digest:
        raise DigestMismatch(
            f"the suite in {suite} holds another task {header.task} than the journal was made with; "
            "name the journal's suite by --suite DIR, or run the execution again"
        )
    return load_entry(suite, entry)


@contextmanager
def rebuilt(task: Task, journal: Journal, path: Path) -> Iterator[Built]:
    """Rebuild a journal's task for the block, under the terms that its agent had; `path` is the journal's."""
    built = built_of(task, journal.header.terms, _run_of(path), journal.records)
    try:
        yield built
    finally:
        built.close()


def score_at(built: Built, journal: Journal, at: int | None = None) -> Score:
    """Replay a journal, whole or up to a call, compare every record, and score the state.

    Raises:
        UsageError: when it has no such call.
        DigestMismatch: when a call gives something else than it gave then, or the whole another score.
    """
    if at is not None and not 0 <= at <= len(journal.records):
        raise UsageError(f"--at is {at}; the journal holds the calls 1 to {len(journal.records)}, 0 is the start")
    session = replay(built, journal.records, upto=at, budget=journal.header.budget)
    try:
        reached = session.score()
    finally:
        session.world.close()
    if at is None and journal.footer is not None and journal.footer.score not in (None, reached):
        raise DigestMismatch(
            f"the state of {journal.header.task} scores {reached.goals_met} of {reached.goals} goals, the journal says "
            "otherwise; install the version that wrote it, or run the execution again"
        )
    return reached


def rejections(journal: Journal, last: int = LAST) -> list[dict[str, Json]]:
    """Return the last calls that were refused: call number, tool, code and message."""
    found = [record for record in journal.records if record.outcome in REFUSED]
    return [_rejection(record) for record in found[-last:]]


def _rejection(record: Record) -> dict[str, Json]:
    error = loads(record.observation)["error"]
    return {"call": record.index, "tool": record.tool, "code": error["code"], "message": error.get("message", "")}


def rewards(built: Built, journal: Journal) -> list[Reward]:
    """Replay a journal and return each call's dense reward; the state is checked after every call that wrote to it.

    The last `cumulative` is the execution's reward; that of the untouched world counts as already there.

    Raises:
        DigestMismatch: when a call gives something else than it gave then.
    """
    found: list[Reward] = []
    start = built.session(Nowhere())
    reached = start.score().reward
    start.world.close()
    written = -1

    def seen(session: Session, record: Record) -> None:
        nonlocal reached, written
        before, writes = reached, session.world.store.db.total_changes
        if written != writes and record.outcome in (Outcome.ACCEPTED, Outcome.FAILED):
            reached = session.score().reward
        written = writes
        found.append(Reward(record=record, reward=reached - before, cumulative=reached))

    replay(built, journal.records, budget=journal.header.budget, seen=seen).world.close()
    return found


def trace(header: Header, made: Reward) -> dict[str, Json]:
    """Return one line of exported traces."""
    record = made.record
    return {
        "task": header.task,
        "agent": header.agent,
        "trial": header.trial,
        "index": record.index,
        "turn": record.turn,
        "call": {"tool": record.tool, "arguments": loads(record.arguments_text)},
        "observation": record.observation,
        "outcome": record.outcome,
        "charged": record.charged,
        "reward": made.reward,
        "cumulative_reward": made.cumulative,
    }
