"""Rehearsals: an environment's own policy on its own tasks, played to the end and looked at by its tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from skillhorizon.environment import Environment, Prefer, Refused, Skipped, Step
from skillhorizon.model.journal import Record
from skillhorizon.model.plan import Plan
from skillhorizon.model.rng import Rng
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.mutated import MutatedClient
from skillhorizon.session.session import Memory, Session, Toolbox
from skillhorizon.world.world import World

if TYPE_CHECKING:
    from skillhorizon.environment import Sabotage
    from skillhorizon.model.canonical import Json
    from skillhorizon.model.goal import Report
    from skillhorizon.session.session import Recorder

P = TypeVar("P", bound=Plan)
Refuse = Callable[[str, dict[str, Any]], bool]
Rewrite = Callable[[str, dict[str, Any]], dict[str, Any]]


@cache
def toolbox_of(environment: Environment[Any, Any]) -> Toolbox:
    """Return an environment's toolbox, made once."""
    return Toolbox.of(environment)


@attrs.frozen(kw_only=True)
class Rehearsal(Generic[P]):
    """A run at its start or its end.

    Attributes:
        environment: whose task it is.
        plan, world: the task's plan and the world as the run left it.
        seed: what run-time draws derive from.
        records: its calls.
    """

    environment: Environment[Any, P]
    plan: P
    world: World
    seed: str = ""
    records: Sequence[Record] = ()

    @classmethod
    def begun(cls, environment: Environment[Any, P], config: Any, seed: int) -> Rehearsal[P]:
        """Compose and build a task; no call is made."""
        rng = Rng("runs", seed)
        return cls.on(environment, environment.compose(config, rng), rng.path_text)

    @classmethod
    def on(cls, environment: Environment[Any, P], plan: P, seed: str = "") -> Rehearsal[P]:
        """Build the world of a plan; no call is made."""
        world = World.empty(environment.tables)
        world.govern(environment.on_change, environment.on_end)
        environment.base(world)
        environment.build(plan, world)
        return cls(environment=environment, plan=plan, world=world, seed=seed)

    def session(self, recorder: Recorder) -> Session:
        """Return a session on the world."""
        toolbox = toolbox_of(self.environment)
        return Session(self.environment, self.plan, self.world, toolbox=toolbox, recorder=recorder, seed=self.seed)

    def finished(self, sabotage: Sabotage | None = None) -> Rehearsal[P]:
        """Play the policy to its end; refusals are tolerated under a mutation only.

        Raises:
            ProofFailed: when a call is refused without a mutation.
        """
        memory = Memory()
        session, steps, brief = self.session(memory), self.environment.steps, self.plan.brief
        if sabotage is None:
            drive(steps(SessionClient(session), brief, _level))
        else:
            client = MutatedClient(session, sabotage)
            drive(steps(client, brief, sabotage.prefer or _level), skip=sabotage.skip, tolerate=True)
            if sabotage.edit is not None:
                sabotage.edit(self.world)
        return attrs.evolve(self, records=memory.records)

    def report(self) -> Report:
        """Judge the world as it is."""
        return self.environment.check(self.world, self.plan)

    def unmet(self) -> dict[str, tuple[str, ...]]:
        """Return unmet goals and requirements with their unmet conditions."""
        report = self.report()
        return {each.id: each.unmet for each in (*report.goals, *report.requirements) if not each.met}

    def after(self, edit: Callable[[World], object]) -> dict[str, tuple[str, ...]]:
        """Return what is unmet after an edit of a copy of the world."""
        copy = self.world.clone()
        edit(copy)
        return attrs.evolve(self, world=copy).unmet()


Losses = dict[str, tuple[str, ...]]
"""Unmet goals and requirements, each with its unmet conditions."""


def losses(environment: Environment[Any, Any], config: Any, seed: int) -> dict[str, Losses | None]:
    """Return what is unmet, and why: by nobody (`null`), the reference, and every mutation; None where it has no place.

    Golden scores are digests of this.
    """
    nobody = Rehearsal.begun(environment, config, seed)
    lost: dict[str, Losses | None] = {
        "null": nobody.unmet(),
        "reference": Rehearsal.begun(environment, config, seed).finished().unmet(),
    }
    for mutation in environment.mutations:
        sabotage = mutation.place(nobody.plan)
        played = None if sabotage is None else Rehearsal.begun(environment, config, seed).finished(sabotage)
        lost[mutation.name] = None if played is None else played.unmet()
    return lost


def _level(_module: str) -> int:
    return 0


def _never(*_seen: object) -> bool:
    return False


def _as_said(_tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


@attrs.frozen
class Took:
    """One step: its module, its update, the calls made in it (scripts by their file), and whether it was refused."""

    module: str
    update: str
    calls: Sequence[tuple[str, dict[str, Any]]]
    refused: bool = False

    @property
    def tools(self) -> list[str]:
        """Return the names of its calls in order."""
        return [name for name, _ in self.calls]


@attrs.frozen
class Trace(Generic[P]):
    """A finished run, its steps, and the notices by id."""

    run: Rehearsal[P]
    steps: Sequence[Took]
    notices: dict[str, dict[str, Any]]

    def under(self, kind: str) -> list[Took]:
        """Return the steps that notices of a kind asked for."""
        return [each for each in self.steps if each.update and self.notices[each.update]["kind"] == kind]


class TracingClient(SessionClient):
    """Notes calls and notices; rewrites arguments, and refuses what it is told to before the session sees it."""

    def __init__(self, session: Session, refuse: Refuse, rewrite: Rewrite) -> None:
        super().__init__(session)
        self.refuse, self.rewrite = refuse, rewrite
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.heard_of: dict[str, dict[str, Any]] = {}

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Call a tool and note it; see `skillhorizon.Client`."""
        said: dict[str, Any] = dict(arguments)
        self.calls.append((said["script"] if tool == "run_skill_script" else tool, said))
        if self.refuse(tool, said):
            raise Refused("rejected", "refused", "the test refuses it", {})
        data = super().call(tool, **self.rewrite(tool, said))
        self.heard_of.update({each["id"]: each for each in data.get("notices", ())})
        return data


@attrs.frozen(kw_only=True)
class Interference:
    """How a traced run is interfered with.

    Attributes:
        prefer: ranks modules that are ready together.
        refuse: (tool, arguments) -> whether the call is refused before the session sees it.
        rewrite: (tool, arguments) -> the arguments given instead.
        skip: steps that are left out.
        retries: a refused step is run again so many times, and then left.
    """

    prefer: Prefer = _level
    refuse: Refuse = _never
    rewrite: Rewrite = _as_said
    skip: Callable[[Step], bool] = _never
    retries: int = 0


def traced(start: Rehearsal[P], how: Interference | None = None) -> Trace[P]:
    """Play the policy from a start, and keep what it did in each step; refused steps are tolerated."""
    how, memory = how or Interference(), Memory()
    client, steps = TracingClient(start.session(memory), how.refuse, how.rewrite), list[Took]()
    for step in start.environment.steps(client, start.plan.brief, how.prefer):
        if how.skip(step):
            continue
        first = len(client.calls)
        refused = not any(_done(step) for _ in range(how.retries + 1))
        steps.append(Took(step.module, step.update, client.calls[first:], refused))
    return Trace(attrs.evolve(start, records=memory.records), steps, client.heard_of)


def _done(step: Step) -> bool:
    try:
        step.run()
    except (Refused, Skipped):
        return False
    return True
