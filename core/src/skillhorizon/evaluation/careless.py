"""Agents that follow the reference but submit wrong or outdated references (protocol, section 3)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.construction.proof import no_preference
from skillhorizon.environment import Refused, Step
from skillhorizon.errors import UsageError
from skillhorizon.evaluation.execution import Execution, ExecutionClient
from skillhorizon.evaluation.partial import fraction
from skillhorizon.gateway.tools import Kind, Tool
from skillhorizon.model.rng import Rng
from skillhorizon.session.drive import drive
from skillhorizon.session.references import Known, attempts, references, replaced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.model.canonical import Json
    from skillhorizon.session.session import Observation

BASIS_POINTS = 10_000


class RewritingClient(ExecutionClient):
    """Rewrites what operations are given; with `careful` set it gives them what the policy said."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution)
        self.careful = False

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Call a tool, an operation perhaps with other references than the policy said; see `skillhorizon.Client`."""
        found = self.session.tools.get(tool)
        if found is None or found.kind is not Kind.OPERATION:
            return super().call(tool, **arguments)
        said = arguments if self.careful else self.rewritten(found, dict(arguments))
        self.noted(found, arguments)
        return super().call(tool, **said)

    def rewritten(self, tool: Tool, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return the arguments to give instead."""
        raise NotImplementedError

    def noted(self, tool: Tool, arguments: dict[str, Json]) -> None:
        """Take note of what the policy said."""


class CarelessClient(RewritingClient):
    """Puts another value of the same kind, one that earlier calls named, in place of a share of the references.

    What names the artifact attempted is left alone: the fault is in the work, not in the choice of work.
    """

    def __init__(self, execution: Execution, rate: Fraction, rng: Rng) -> None:
        super().__init__(execution)
        self._rate, self._rng, self._seen = int(rate * BASIS_POINTS), rng, Known()

    def rewritten(self, tool: Tool, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return the arguments with some references replaced."""
        attempted = attempts(tool, arguments)
        for found in references(tool, arguments):
            others = self._seen.others(found)
            if others and self._rng.chance(self._rate):
                other = replaced(arguments, found.path, self._rng.choice(others))
                if attempts(tool, other) == attempted:
                    arguments = other
        return arguments

    def noted(self, tool: Tool, arguments: dict[str, Json]) -> None:
        """Remember what the policy referred to."""
        self._seen.learn(tool, arguments)


class ForgetfulClient(RewritingClient):
    """Gives the version of an artifact that it held some calls ago where that has changed since."""

    def __init__(self, execution: Execution, calls: int) -> None:
        super().__init__(execution)
        self._calls = calls
        self._made: dict[str, list[tuple[int, str]]] = {}

    def heard(self, tool: str, observation: Observation) -> Any:
        """Note when versions were made."""
        for ref in observation.record.made:
            self._made.setdefault(ref.rpartition("@")[0], []).append((observation.record.index, ref))
        return super().heard(tool, observation)

    def rewritten(self, tool: Tool, arguments: dict[str, Json]) -> dict[str, Json]:
        """Return the arguments with outdated versions in place of those made too recently to be remembered."""
        for found in references(tool, arguments):
            made = self._made.get(found.value.rpartition("@")[0], [])
            held = [ref for index, ref in made if index <= self.session.index + 1 - self._calls]
            if held and made[-1][1] == found.value != held[-1]:
                arguments = replaced(arguments, found.path, held[-1])
        return arguments


@attrs.frozen
class Careless:
    """Replaces a share of the references it submits by other existing values of the same kind.

    With `rechecks`, after a rejection it retries the step once from a fresh read: recovery above 0. Without: recovery
    0. LGC is below 1 where a replaced value is judged at the end.
    """

    rate: Fraction
    seed: int
    rechecks: bool = attrs.field(kw_only=True)

    @property
    def name(self) -> str:
        """The agent's name."""
        return "careless" if self.rechecks else "no-recheck"

    def run(self, execution: Execution) -> None:
        """Work carelessly to the end."""
        client = CarelessClient(execution, self.rate, Rng("careless", execution.task.id, self.seed))
        _work(execution, client, rechecks=self.rechecks)


@attrs.frozen
class Forgetful:
    """Uses the version it held `calls` calls ago for references that changed since, and after a rejection the present.

    Its calls are rejected for outdated references only.
    """

    calls: int
    name: str = "forgetful"

    def run(self, execution: Execution) -> None:
        """Work with an old memory to the end."""
        _work(execution, ForgetfulClient(execution, self.calls), rechecks=True)


def _work(execution: Execution, client: RewritingClient, *, rechecks: bool) -> None:
    session = execution.session
    steps = session.environment.steps(client, session.plan.brief, no_preference)
    drive(_retried(steps, client) if rechecks else steps, tolerate=True)


def _retried(steps: Iterator[Step], client: RewritingClient) -> Iterator[Step]:
    for step in steps:
        yield attrs.evolve(step, run=partial(_persist, step, client))


def _persist(step: Step, client: RewritingClient) -> None:
    """Run a step; after a rejection once more, carefully: it goes on from what is done."""
    try:
        step.run()
    except Refused:
        client.careful = True
        try:
            step.run()
        finally:
            client.careful = False


def careless(options: str) -> Careless:
    """Return the careless agent of `RATE:SEED`.

    Raises:
        UsageError: when the options are others.
    """
    rate, seed = _rate_and_seed("careless", options)
    return Careless(rate, seed, rechecks=True)


def no_recheck(options: str) -> Careless:
    """Return the agent of `RATE:SEED` that is careless and never retries.

    Raises:
        UsageError: when the options are others.
    """
    rate, seed = _rate_and_seed("no-recheck", options)
    return Careless(rate, seed, rechecks=False)


def forgetful(options: str) -> Forgetful:
    """Return the agent whose memory is N calls old.

    Raises:
        UsageError: when N is no positive whole number.
    """
    calls = _whole("forgetful", options)
    if calls < 1:
        raise UsageError("forgetful:0 forgets nothing; give at least 1 call, such as forgetful:50")
    return Forgetful(calls)


def _rate_and_seed(agent: str, options: str) -> tuple[Fraction, int]:
    rate, colon, seed = options.partition(":")
    if not colon:
        raise UsageError(f"the agent {agent} is {agent}:RATE:SEED, such as {agent}:0.2:1, but {options!r} was given")
    return fraction(agent, rate), _whole(agent, seed)


def _whole(agent: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):  # noqa: PLR2004  # far above any use
        raise UsageError(f"the agent {agent} needs a whole number, but {text!r} was given")
    return int(text)
