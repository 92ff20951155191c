"""A seat: one task's execution at a server, opened from its journal, asked call by call, closed when it has ended."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.construction.components import pinned
from skillhorizon.construction.tasks import task_digest
from skillhorizon.errors import DigestMismatch, StorageError
from skillhorizon.evaluation.execution import EnvironmentFault, Execution
from skillhorizon.evaluation.opening import open_session
from skillhorizon.model.canonical import digest, dumps, dumps_bytes, loads
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.files import closed_path, open_path, read_journal, seal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from skillhorizon.gateway.tools import Tool
    from skillhorizon.model.journal import Record
    from skillhorizon.model.task import Task
    from skillhorizon.session.files import Journal

MOST_BYTES = 256 * 1024
"""The most arguments of one call, in bytes of canonical JSON; a script reads a quarter of it."""
LONGEST_NAME = 128
_FAILED = "the environment failed, so this execution cannot go on; tell its operator"
_ENDS_LINE = b'\n{"footer":'
_log = logging.getLogger(__name__)


class NoCall(Exception):
    """A request that the seat takes for no call: nothing is recorded, nothing charged; its text says why."""


class Unavailable(Exception):
    """The infrastructure is at fault; its text is for the client, the cause is in the log."""


@attrs.frozen
class Answer:
    """What a call is answered with: its number from 1, the exact text, the outcome, the artifact versions it made."""

    number: int
    text: str
    outcome: Outcome
    made: tuple[str, ...] = ()


class Seat:
    """One execution of one task.

    Attributes:
        name: what stands in its URL; it tells nothing of the task.
        task: the task; clients see its instruction only.
        tools: the tools by name.
        warnings: what differs from what the task was made with, without a change in its bytes.
        ended: the terminal kind, '' while the execution goes on.
        calls: how many calls are recorded.
    """

    def __init__(self, task: Task, journal: Path, allowance: str) -> None:
        components, self.warnings = pinned(task)
        self.task, self.journal, self.allowance = task, journal, allowance
        self.name = digest(["seat", task_digest(task)])[:16]
        self.tools: Mapping[str, Tool] = components.toolbox.tools
        self.ended, self.calls = "", 0
        self._execution: Execution | None = None

    def open(self) -> None:
        """Take up the journal, or start one.

        Raises:
            DigestMismatch, VersionMismatch: when journal or task do not fit what is installed.
            StorageError, CorruptFile: when the journal cannot be used.
        """
        ended = self._ended_before()
        if ended is not None and ended.footer is not None:
            self.ended, self.calls = ended.footer.kind, ended.footer.calls
            return
        self._execution = open_session(self.task, self.journal, allowance=self.allowance)
        self.calls = self._execution.session.index
        self._close_if_ended(self._execution)

    def _ended_before(self) -> Journal | None:
        """Return the journal if its execution has ended; one killed before its compression is compressed now."""
        where = open_path(self.journal)
        if closed_path(self.journal).exists():
            found = read_journal(closed_path(self.journal))
        elif where.exists() and _ENDS_LINE in where.read_bytes():
            found = read_journal(where)
            seal(self.journal)
        else:
            return None
        if found.header.digest != task_digest(self.task):
            raise DigestMismatch(
                f"the journal {closed_path(self.journal)} belongs to another task ({found.header.task}); "
                "serve that one, or name another --journal folder"
            )
        return found

    def call(self, name: str, arguments: Any, number: int | None = None) -> Answer:
        """Make one call.

        Args:
            name: the tool.
            arguments: parsed JSON, an object if it is a call at all.
            number: which call it is, counted from 1: a number that was answered before is answered again, without a
                second call. None is the next one.

        Raises:
            NoCall: when it can be no call.
            Unavailable: when the environment or the disk fails; a disk's call is not made, and can be repeated.
        """
        if not (name.isprintable() and len(name) <= LONGEST_NAME):
            raise NoCall(f"a tool's name is printable and has at most {LONGEST_NAME} characters; tools/list names them")
        clean, text = _readable(arguments)
        if number is not None and number != self.calls + 1:
            return self._again(number, name, text)
        return self._over() if self.ended else self._called(self._opened(), name, clean)

    def _called(self, execution: Execution, name: str, arguments: Any) -> Answer:
        try:
            observation = execution.call(name, arguments)
        except EnvironmentFault as error:
            self.calls = execution.session.index
            _log.error("task %s: the environment failed: %s", self.task.id, error)
            raise Unavailable(_FAILED) from error
        except StorageError as error:
            raise self._lost(error) from error
        self.calls = execution.session.index
        self._close_if_ended(execution)
        record = observation.record
        return Answer(record.index, observation.text, observation.outcome, record.made)

    def _opened(self) -> Execution:
        """Return the execution; after a fault of the disk it is taken up anew from the journal."""
        if self._execution is None:
            try:
                self.open()
            except StorageError as error:
                raise self._lost(error) from error
        if self._execution is None:
            raise AssertionError("a seat that is open and has not ended has an execution")
        return self._execution

    def _lost(self, error: StorageError) -> Unavailable:
        """Drop the state that the journal does not hold, and return what the client is told."""
        _log.error("task %s: %s", self.task.id, error)
        self.leave()
        return Unavailable(
            "the server cannot write its journal, so the call was not made; repeat it once its operator has made room"
        )

    def _over(self) -> Answer:
        message = f"the execution has ended ({self.ended}); no further call is taken"
        text = dumps({"error": {"code": "ENDED", "message": message, "details": {}}})
        return Answer(self.calls, text, Outcome.NOT_ATTEMPTED)

    def _again(self, number: int, name: str, arguments: str) -> Answer:
        """Answer a call that was answered before, as its record tells."""
        if not 1 <= number <= self.calls:
            raise NoCall(f"call {number} is not the next one; the next one is call {self.calls + 1}")
        record = self._record(number)
        tool = name if name in self.tools else dumps(name)[1:-1]
        if (record.tool, record.arguments_text) != (tool, arguments):
            raise NoCall(f"call {number} was another call; the next one is call {self.calls + 1}")
        if record.outcome is Outcome.INTERNAL_ERROR:
            raise Unavailable(_FAILED)
        return Answer(number, record.observation, record.outcome, record.made)

    def _record(self, number: int) -> Record:
        closed = closed_path(self.journal)
        return read_journal(closed if closed.exists() else open_path(self.journal)).records[number - 1]

    def _close_if_ended(self, execution: Execution) -> None:
        """Close the journal of an execution that has ended; a fault is told to the operator and put right later."""
        if not execution.ended:
            return
        self.ended, self.calls = execution.ended, execution.session.index
        try:
            self.leave()
        except Exception:  # the checker is the environment's; the client's answer is on record and must not be lost
            _log.exception("task %s has ended, but its journal is not closed; start the server again", self.task.id)

    def leave(self) -> None:
        """Let go of the execution; its journal is closed if it has ended, and left open if not."""
        execution, self._execution = self._execution, None
        if execution is not None:
            execution.close()


def _readable(arguments: Any) -> tuple[Any, str]:
    """Return arguments as a journal gives them back, so that a replay does what the call did, and their recorded text.

    Raises:
        NoCall: when there is too much of them.
    """
    try:
        text = dumps_bytes(arguments)
    except (TypeError, ValueError, RecursionError):
        return arguments, "null"
    if len(text) > MOST_BYTES:
        raise NoCall(f"the arguments have {len(text)} bytes, at most {MOST_BYTES} are read; send less at once")
    clean = loads(text)
    return clean, text.decode() if isinstance(clean, dict) else "null"
