"""A session: calls against one world, each in one transaction, recorded in a journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import attrs

from skillhorizon.gateway.call import Call
from skillhorizon.gateway.core_tools import Scripts, core_tools
from skillhorizon.gateway.shapes import Faults
from skillhorizon.gateway.tools import Kind, Tool
from skillhorizon.model.canonical import Json, dumps
from skillhorizon.model.journal import Record
from skillhorizon.model.outcome import Outcome, Rejection
from skillhorizon.model.score import Score, score
from skillhorizon.session.pending import Pending
from skillhorizon.skills.library import SkillLibrary, load_library

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from skillhorizon.environment import Environment
    from skillhorizon.model.goal import Report
    from skillhorizon.model.plan import Plan
    from skillhorizon.world.artifacts import NoticeRow
    from skillhorizon.world.ledger import Change
    from skillhorizon.world.world import World

MAX_OBSERVATION = 64_000
MOST_FAULTS = 8
UNREADABLE = "the arguments are no canonical JSON object: use text without lone surrogates and integers up to 64 bits"


class Recorder(Protocol):
    """Where a session's records go."""

    def append(self, record: Record) -> None:
        """Keep one record, durably if that is the recorder's trade."""


class Memory:
    """A recorder that keeps the records in a list."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def append(self, record: Record) -> None:
        """Keep one record."""
        self.records.append(record)


class Nowhere:
    """A recorder that keeps nothing."""

    def append(self, record: Record) -> None:
        """Drop the record."""


class Observation(NamedTuple):
    """What a caller receives: the exact text, the JSON it says, and the outcome; a tuple, as Reply is."""

    text: str
    data: Mapping[str, Json]
    outcome: Outcome
    record: Record


Reply = tuple[str, Mapping[str, Json], Outcome]
"""What a call is answered: the text, the JSON it says, and the outcome."""


@attrs.frozen
class Toolbox:
    """The tools of an environment, core's own included, by name.

    `terse`: a refusal tells its code alone; `skills` are those at hand, by name and description.
    """

    tools: Mapping[str, Tool]
    terse: bool = False
    skills: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        environment: Environment[Any, Any],
        library: SkillLibrary | None = None,
        scripts: Scripts | None = None,
    ) -> Toolbox:
        """Return an environment's tools over its own skills, or over another library's and another way to run them."""
        skills: Traversable = environment.skills
        found = library or load_library(skills)
        own = core_tools(environment.handbook, found, environment.silent_kinds, scripts)
        tools = {tool.name: tool for tool in sorted((*environment.tools, *own), key=lambda tool: tool.name)}
        return cls(tools, skills=tuple((skill.name, skill.description) for skill in found.skills.values()))

    def without(self, names: Iterable[str]) -> Toolbox:
        """Return the toolbox less some tools."""
        dropped = set(names)
        return attrs.evolve(self, tools={name: tool for name, tool in self.tools.items() if name not in dropped})


class Session:
    """One execution: `call` until `ended`.

    Args:
        environment: whose `apply` and `check` are used.
        plan: the task's plan; tools never receive it.
        world: a world of its own, changed in place.
        toolbox: the tools.
        recorder: where records go.
        seed: the text from which run-time draws derive.
        budget: calls that may be charged; None is no limit.
    """

    def __init__(
        self,
        environment: Environment[Any, Any],
        plan: Plan,
        world: World,
        *,
        toolbox: Toolbox,
        recorder: Recorder,
        seed: str = "",
        budget: int | None = None,
    ) -> None:
        self.environment, self.plan, self.world = environment, plan, world
        self.toolbox, self.recorder, self.budget = toolbox, recorder, budget
        self.index = self.turns = self.charged = self.finish_requests = 0
        self.ended = ""
        self._seed = seed
        self._hides = bool(world.store.guard.columns)
        self._pending = Pending(plan.updates)
        self._fired: list[str] = []
        self._notices: list[NoticeRow] = []

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name."""
        return self.toolbox.tools

    def call(self, name: str, arguments: Any) -> Observation:
        """Make one call, a turn of its own."""
        self.turns += 1
        return self._call(name, arguments)

    def turn(self, calls: Iterable[tuple[str, Any]]) -> list[Observation]:
        """Make the calls of one turn in order; after the first that is not accepted the rest are not attempted."""
        self.turns += 1
        made: list[Observation] = []
        for name, arguments in calls:
            stopped = bool(self.ended) or any(o.outcome is not Outcome.ACCEPTED for o in made[-1:])
            made.append(self._call(name, arguments, attempt=not stopped))
        return made

    def fork(self, recorder: Recorder) -> Session:
        """Return a session that goes on from this state on a world of its own, without a budget."""
        copy = Session(
            self.environment,
            self.plan,
            self.world.clone(),
            toolbox=self.toolbox,
            recorder=recorder,
            seed=self._seed,
        )
        copy.index, copy.turns = self.index, self.turns
        copy._pending.restore(self._pending.snapshot())
        return copy

    def report(self) -> Report:
        """Check the present state; the checker cannot write."""
        with self.world.store.read_only():
            return self.environment.check(self.world, self.plan)

    def score(self) -> Score:
        """Score the present state."""
        return score(self.report(), self.plan.requirements)

    def _call(self, name: str, arguments: Any, *, attempt: bool = True) -> Observation:
        self.index += 1
        tool, text = self.toolbox.tools.get(name) if type(name) is str else None, _canonical(arguments)
        if tool is None:
            name = _name(name)
            tool = self.toolbox.tools.get(name)
        self.world.ledger.begin(self.index, text)
        self._fired, self._notices = [], []
        if not attempt:
            reply = _refused("NOT_ATTEMPTED", "an earlier call of the turn was not accepted", Outcome.NOT_ATTEMPTED)
        elif tool is None:
            reply = self._unknown(name)
        else:
            reply = self._dispatch(tool, arguments if text != "null" else None)
        return self._record(tool, name, text, reply)

    def _unknown(self, name: str) -> Reply:
        known = ", ".join(self.tools)
        return _refused("UNKNOWN_TOOL", f"there is no tool {name[:60]!r}; the tools are {known}", Outcome.MALFORMED)

    def _dispatch(self, tool: Tool, arguments: Any) -> Reply:
        if arguments is None:
            return _refused("MALFORMED", UNREADABLE, Outcome.MALFORMED, faults=1)
        try:
            parsed = tool.parse(arguments)
        except Faults as error:
            told = "; ".join(error.faults[:MOST_FAULTS])
            return _refused("MALFORMED", told, Outcome.MALFORMED, faults=len(error.faults))
        try:
            return self._run_veiled(tool, parsed) if self._hides else self._run(tool, parsed)
        except Rejection as error:
            return _refused(error.code, error.message, Outcome.REJECTED, **error.details)
        except Exception as error:  # a fault of the environment is infrastructure, never the agent's
            cause = f"the environment failed; nothing was changed ({type(error).__name__}: {error})"
            return _refused("INTERNAL_ERROR", cause, Outcome.INTERNAL_ERROR)

    def _run_veiled(self, tool: Tool, parsed: dict[str, Any]) -> Reply:
        store = self.world.store
        before, store.veil = store.veil, tool.veil
        try:
            return self._run(tool, parsed)
        finally:
            store.veil = before

    def _run(self, tool: Tool, parsed: dict[str, Any]) -> Reply:
        call = Call(self.world, self.index, self._seed, self._fire)
        if tool.kind is Kind.OPERATION:
            return self._operate(tool, parsed, call)
        answer = self._finish() if tool.kind is Kind.CONTROL else tool.body(call, **parsed)
        return _replied(answer, call)

    def _operate(self, tool: Tool, parsed: dict[str, Any], call: Call) -> Reply:
        ledger = self.world.ledger
        ledger.args_text = tool.args_text(parsed, ledger.args_text)
        if tool.repeat:
            answer = self._repeated(tool, parsed, call)
            if answer is not None:
                return _replied(answer, call)
        waiting = self._pending.snapshot()
        try:
            with self.world.transaction():
                answer = dict(tool.body(call, **parsed))  # what is no object is not committed
                self._fire()
                if self._notices:
                    answer["notices"] = [_told(notice) for notice in self._notices]
                return _replied(answer, call)  # what cannot be said is not committed
        except BaseException:
            self._pending.restore(waiting)
            self._fired = []
            raise

    def _repeated(self, tool: Tool, parsed: dict[str, Any], call: Call) -> dict[str, Json] | None:
        """Return the answer to an attempt whose artifacts are current and were made by equal arguments, or None."""
        ledger, last = self.world.ledger, None
        for attempt in tool.attempts(parsed):
            if not ledger.made_by(attempt, ledger.args_text):
                return None
            last = attempt
        found = None if last is None else ledger.current(last)
        if found is None:
            return None
        return dict(tool.again(call, found)) if tool.again else {"artifact": found.ref}

    def _fire(self) -> list[NoticeRow]:
        """Fire the due updates to a fixpoint and return their notices."""
        ledger, before, cause = self.world.ledger, len(self._notices), self.world.ledger.root
        while (due := self._pending.take(self.world)) is not None:
            ledger.root = due.update.id
            with self.world.store.veiled(None):
                notice = self.environment.apply(due.update, self.world, due.subject)
            self._fired.append(due.update.id)
            if notice is not None:
                self._notices.append(ledger.announce(notice))
        ledger.root = cause
        return self._notices[before:]

    def _finish(self) -> dict[str, Json]:
        self.finish_requests += 1
        if self.finish_requests > 1:
            self.ended = "submitted"
            return {"finished": True}
        left = None if self.budget is None else self.budget - self.charged
        conditions = [requirement.text for requirement in self.plan.requirements]
        return {"finished": False, "confirm": "call finish again to submit", "delivery": conditions, "calls_left": left}

    def _record(self, tool: Tool | None, name: str, text: str, reply: Reply) -> Observation:
        if self.toolbox.terse:
            reply = _terse(reply)
        said, data, outcome = reply
        charged = 0 if outcome in _FREE or (tool is not None and tool.kind is Kind.CONTROL) else 1
        self.charged += charged
        changes = self.world.ledger.changes
        made, ended = _changes(changes) if changes else ((), ())
        if tool is None:
            name = dumps(name)[1:-1]
        clock, fired = self.world.clock, tuple(self._fired)
        record = Record(self.index, self.turns, name, text, said, outcome, charged, clock, made, ended, fired)
        self.recorder.append(record)
        if self.budget is not None and self.charged >= self.budget and not self.ended:
            self.ended = "budget_exhausted"
        return Observation(said, data, outcome, record)


_FREE = (Outcome.NOT_ATTEMPTED, Outcome.INTERNAL_ERROR)


def _changes(changes: list[Change]) -> tuple[tuple[str, ...], tuple[tuple[str, str, str], ...]]:
    """Return the versions that a call made, and those that it ended, with how and why."""
    made = tuple([change.ref for change in changes if change.how == "made"])
    return made, tuple([(change.ref, change.how, change.cause) for change in changes if change.how != "made"])


def _name(name: Any) -> str:
    """Return a tool's name as text that a journal can hold."""
    return str(name).encode(errors="replace").decode()


def _canonical(arguments: Any) -> str:
    """Return the arguments' canonical JSON, or `null` when they have none."""
    if not isinstance(arguments, dict):
        return "null"
    try:
        return dumps(arguments)
    except (TypeError, ValueError, RecursionError):
        return "null"


def _refusal(code: str, message: str, **details: Json) -> dict[str, Json]:
    return {"error": {"code": code, "message": message, "details": details}}


def _refused(code: str, message: str, outcome: Outcome, **details: Json) -> Reply:
    answer = _refusal(code, message.encode(errors="replace").decode(), **details)
    return dumps(answer), answer, outcome


def _terse(reply: Reply) -> Reply:
    """Return a refusal with its code alone; what is no refusal, or infrastructure's own fault, stays as it is."""
    _, data, outcome = reply
    if "error" not in data or outcome is Outcome.INTERNAL_ERROR:
        return reply
    answer = {**data, "error": {"code": data["error"]["code"]}}
    return dumps(answer), answer, outcome


def _replied(answer: Mapping[str, Json], call: Call) -> Reply:
    """Return what a body answered, with its outcome: failed when it said so.

    Raises:
        ValueError: when the observation is larger than may be sent.
        TypeError: when it has no JSON form.
    """
    outcome = Outcome.ACCEPTED
    if call.failure is not None:
        outcome = Outcome.FAILED
        answer = {**answer, **_refusal(call.failure.code, call.failure.message, **call.failure.details)}
    text = dumps(answer)
    if len(text) > MAX_OBSERVATION:
        raise ValueError(f"the observation has {len(text)} characters, at most {MAX_OBSERVATION} are sent")
    return text, answer, outcome


def _told(notice: NoticeRow) -> dict[str, Json]:
    return {"id": notice.id, "kind": notice.kind, "clock": notice.clock, **notice.body}
