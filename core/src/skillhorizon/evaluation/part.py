"""The reference policy's part in a task, played against whoever answers its calls with texts: a conversation, say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

import attrs

from skillhorizon.construction.proof import no_preference
from skillhorizon.environment import Environment
from skillhorizon.evaluation.conditions import instructions
from skillhorizon.evaluation.opening import built_of
from skillhorizon.gateway.shapes import Faults
from skillhorizon.gateway.tools import Tool
from skillhorizon.model.canonical import Json, loads
from skillhorizon.model.journal import Record
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.session import Observation
from skillhorizon.skills.library import SkillLibrary, load_library
from skillhorizon.skills.scripts import ScriptRunner

if TYPE_CHECKING:
    from skillhorizon.model.task import Task
    from skillhorizon.session.session import Session

RUN = "run_skill_script"
Ask = Callable[[str, dict[str, Json]], str]
"""Makes a call, (tool, arguments), and returns the text of its observation."""


@attrs.frozen(eq=False)
class Part:
    """What a task's reference policy needs to play; it holds no world, so that any thread may play it.

    Attributes:
        instruction: the task's text for agents.
        tools: the task's tools by name.
    """

    instruction: str
    tools: Mapping[str, Tool]
    _environment: Environment[Any, Any] = attrs.field(repr=False)
    _brief: Mapping[str, Json] = attrs.field(repr=False)
    _library: SkillLibrary = attrs.field(repr=False)
    _scripts: ScriptRunner = attrs.field(factory=ScriptRunner, init=False, repr=False)

    @property
    def instructions(self) -> tuple[str, ...]:
        """The instruction as agents get it under any skills condition."""
        return instructions(self.instruction)

    def play(self, ask: Ask, offered: Collection[str] | None = None) -> None:
        """Play the policy from the start; nothing of the world reaches it but the texts.

        Args:
            ask: makes the policy's calls.
            offered: the tools there are, all by default; where no script can be run, its result is computed here.

        Raises:
            ProofFailed: when a call is refused.
        """
        client = TextClient(self, ask, self.tools if offered is None else offered)
        drive(self._environment.steps(client, self._brief, no_preference))

    def computed(self, skill: str, script: str, data: Any) -> Any:
        """Return what a script of the environment's own skills makes of an input."""
        return self._scripts.run(self._library.skills[skill], script, data)


class TextClient(SessionClient):
    """A policy's client that knows of its calls what their observations' texts say."""

    def __init__(self, part: Part, ask: Ask, offered: Collection[str]) -> None:
        super().__init__(cast("Session", None))
        self._part, self._ask, self._offered = part, ask, offered

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Call a tool and return the parsed observation; see `skillhorizon.Client`."""
        text = self._ask(tool, arguments)
        data = loads(text)
        record = Record(
            index=0,
            turn=0,
            tool=tool,
            arguments_text="",
            observation=text,
            outcome=_outcome(data),
            charged=0,
            made=_made(self._part.tools[tool], arguments, data),
            clock=0,
        )
        return self.heard(tool, Observation(text, data, record.outcome, record))

    def script(self, skill: str, script: str, data: Json) -> Any:
        """Run a script, here if the task's tools do not."""
        if RUN in self._offered:
            return super().script(skill, script, data)
        return self._part.computed(skill, script, data)


def part_of(task: Task) -> Part:
    """Return the reference policy's part in a task.

    Raises:
        DigestMismatch, VersionMismatch: when the task cannot be rebuilt as it was.
    """
    built = built_of(task)
    built.close()
    components = built.components
    environment = components.environment
    library = load_library(environment.skills)
    return Part(task.instruction, components.toolbox.tools, environment, built.plan.brief, library)


def _outcome(data: Mapping[str, Json]) -> Outcome:
    """Return how a call went: a refusal says its error and nothing else.

    >>> _outcome({"error": {"code": "X"}}).value, _outcome({"error": {"code": "X"}, "artifact": "A:b@1"}).value
    ('rejected', 'failed')
    """
    if "error" not in data:
        return Outcome.ACCEPTED
    return Outcome.REJECTED if len(data) == 1 else Outcome.FAILED


def _made(tool: Tool, arguments: dict[str, Json], data: Json) -> tuple[str, ...]:
    """Return the versions made: those that the observation names of the artifacts that the call attempted."""
    if not tool.makes:
        return ()
    try:
        attempted = set(tool.attempts(tool.parse(arguments)))
    except Faults:
        return ()
    return tuple(sorted(text for text in _texts(data) if text.rpartition("@")[0] in attempted))


def _texts(value: Json) -> set[str]:
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {text for part in parts for text in _texts(part)}
