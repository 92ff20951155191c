"""One execution of one task: a session under a budget, with a defined end (protocol, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon.evaluation.limits import Meter
from skillhorizon.evaluation.stopwatch import Stopwatch
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.client import SessionClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

    from skillhorizon.evaluation.terminal import Terminal
    from skillhorizon.gateway.tools import Tool
    from skillhorizon.model.canonical import Json
    from skillhorizon.model.score import Score
    from skillhorizon.model.task import Task
    from skillhorizon.model.usage import Usage
    from skillhorizon.session.session import Observation, Session


class ExecutionEnded(Exception):
    """The execution has ended; an agent lets this pass, or stops."""


class EnvironmentFault(Exception):
    """A call failed inside the environment: infrastructure, so that the execution is not scored."""


class Execution:
    """What an agent works with; `close` it, or use it in a `with` block.

    Attributes:
        task: the task; agents that play fair read its instruction only.
        session: the session below, for scripted agents.
        fault: why the environment failed, '' when it did not.
        files: how the names of an agent's own files begin, beside the journal; None where nothing is kept.
        recalled: the observations of the calls that an earlier process made, in order.
        private: folders that no client's process may read: the suite's and the run's.
        meter: what the whole run may use; an agent that accounts for a model adds to it and asks it.
        usage: what the agent's model used, if it says.
        watch: wall time; an agent that can go on with an execution keeps it whenever it keeps what it has done.
    """

    def __init__(
        self,
        task: Task,
        session: Session,
        *,
        on_close: Callable[[Execution], None] | None = None,
        instruction: str | None = None,
    ) -> None:
        self.task, self.session = task, session
        self._instruction = instruction
        self.fault = ""
        self.files: Path | None = None
        self.private: tuple[Path, ...] = ()
        self.recalled: tuple[str, ...] = ()
        self.meter = Meter()
        self.usage: Usage | None = None
        self.watch = Stopwatch()
        self._on_close = on_close

    @property
    def instruction(self) -> str:
        """The task's text for agents, under the execution's terms."""
        return self.task.instruction if self._instruction is None else self._instruction

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name, each with `doc` and `schema`."""
        return self.session.tools

    @property
    def skills(self) -> tuple[tuple[str, str], ...]:
        """The skills at hand, by name and description."""
        return self.session.toolbox.skills

    @property
    def budget(self) -> int | None:
        """Calls that may be charged, B = R + A; None is no limit."""
        return self.session.budget

    @property
    def calls_left(self) -> int | None:
        """Calls that may still be charged; None is no limit."""
        return None if self.budget is None else self.budget - self.session.charged

    @property
    def ended(self) -> str:
        """The terminal kind, '' while the execution goes on."""
        return self.session.ended

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> Observation:
        """Make one call, a turn of its own.

        Raises:
            ExecutionEnded: when the execution has ended.
            EnvironmentFault: when the call failed inside the environment.
        """
        self._check_open()
        return self._checked([self.session.call(name, {} if arguments is None else arguments)])[0]

    def turn(self, calls: Iterable[tuple[str, Any]]) -> list[Observation]:
        """Make the calls of one turn, in order until the first that is not accepted; the rest are not attempted.

        A turn without a call asks for the end, as `finish` does.

        Raises:
            ExecutionEnded, EnvironmentFault: as `call` does.
        """
        self._check_open()
        wanted = list(calls)
        return self._checked(self.session.turn(wanted)) if wanted else [self.finish()]

    def finish(self) -> Observation:
        """Ask for the end: the first time the delivery conditions are confirmed, the second time the work is submitted.

        Raises:
            ExecutionEnded: when the execution has ended.
        """
        return self.call("finish")

    def submit(self) -> None:
        """End the work voluntarily, unless it has ended already."""
        while not self.ended:
            self.finish()

    def stop(self, kind: Terminal) -> None:
        """End the execution for a reason outside of it, such as a time limit.

        Raises:
            ExecutionEnded: when it has ended already.
        """
        self._check_open()
        self.session.ended = kind

    def score(self) -> Score:
        """Score the present state."""
        return self.session.score()

    def close(self) -> None:
        """Free the world, and close the journal if there is one; what has not ended can be continued."""
        done, self._on_close = self._on_close, None
        if done is not None:
            done(self)

    def __enter__(self) -> Execution:
        """Return the execution itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Close it."""
        self.close()

    def _check_open(self) -> None:
        if self.fault:
            raise EnvironmentFault(self.fault)
        if self.ended:
            raise ExecutionEnded(f"the execution has ended ({self.ended})")

    def _checked(self, observations: list[Observation]) -> list[Observation]:
        for observation in observations:
            if observation.outcome is Outcome.INTERNAL_ERROR:
                record = observation.record
                self.fault = f"call {record.index} ({record.tool}): {observation.data['error']['message']}"
                raise EnvironmentFault(self.fault)
        return observations


class ExecutionClient(SessionClient):
    """A policy's client that keeps to an execution's budget and end."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution.session)
        self._execution = execution

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Call a tool and return the parsed observation; see `skillhorizon.Client`.

        Raises:
            ExecutionEnded, EnvironmentFault: as `Execution.call` does.
        """
        return self.heard(tool, self._execution.call(tool, arguments))
