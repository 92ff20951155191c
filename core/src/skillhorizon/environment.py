"""The environment bundle: one typed object per environment, whose callables are its roles (architecture, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import Any, Generic, Protocol, TypeVar

import attrs

from skillhorizon.gateway.tools import Tool
from skillhorizon.hookspecs import Contribution, hookimpl
from skillhorizon.model.canonical import Json
from skillhorizon.model.goal import Report
from skillhorizon.model.plan import Plan
from skillhorizon.model.rng import Rng
from skillhorizon.model.update import Notice
from skillhorizon.model.workload import HEADLINE, SMOKE
from skillhorizon.world.ledger import OnChange, OnEnd
from skillhorizon.world.world import World

OWN = "reference"
"""The name of every environment's own components."""
SERVED = (SMOKE.name, *(band.name for band in HEADLINE))
"""The bands that an environment serves unless it says otherwise."""
C = TypeVar("C")
P = TypeVar("P", bound=Plan)


class Client(Protocol):
    """What a policy works with: the public tools, and its own memory."""

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Call a tool and return the parsed observation.

        Raises:
            Refused: when the call is not accepted.
            Noticed: when it is an operation, brought a notice, and the policy asked for it by `stop_on_notice`.
        """

    def script(self, skill: str, script: str, data: Json) -> Any:
        """Run a skill's script on `data` and return its result.

        Raises:
            Refused: when the script fails.
        """

    def need(self, key: str) -> Any:
        """Return the last version reference seen made for an artifact id, or the value kept under `key`.

        Raises:
            Skipped: when a skipped step should have made it.
        """

    def keep(self, key: str, value: Any) -> None:
        """Store what a step learned, for a later `need(key)`."""

    def notices(self) -> list[dict[str, Any]]:
        """Return and forget the notices that operations brought since the last look, in order of arrival."""


class Refused(Exception):
    """A call that was not accepted: its outcome, code and the parsed error."""

    def __init__(self, outcome: str, code: str, message: str, details: Mapping[str, Json]) -> None:
        super().__init__(f"{code}: {message}")
        self.outcome, self.code, self.details = outcome, code, details


class Skipped(Exception):
    """A need that no earlier step met, since it was skipped."""


class Noticed(Exception):
    """An operation of the step brought a notice; the step ends here and its agenda is looked at again."""


@attrs.frozen
class Step:
    """One entry of the policy's agenda: the module it serves, what to do, and the update that asked for it."""

    module: str
    run: Callable[[], None]
    update: str = ""


Prefer = Callable[[str], int]
"""Ranks modules that are ready together; 0 by default, ties in the environment's own order."""


@attrs.frozen(kw_only=True)
class Sabotage:
    """How a placed mutation interferes with the reference run, and what must follow.

    Attributes:
        arguments: rewrites a call's arguments, (tool, arguments) -> arguments, at every attempt.
        observation: rewrites what the policy sees, (tool, arguments, data) -> data.
        script: rewrites a script's output, (script, input, output) -> output.
        skip: drops steps.
        before, after: make extra calls around each call, (client, tool, arguments); `after` sees accepted ones only.
        prefer: another rank of modules ready together.
        edit: changes the final state, past the gateway.
        fails: ids of goals and requirements that must at least be unmet; empty when the mutation must pass.
        only: whether nothing else may be unmet.
    """

    arguments: Callable[[str, dict[str, Json]], dict[str, Json]] | None = None
    observation: Callable[[str, dict[str, Json], Any], Any] | None = None
    script: Callable[[str, Any, Any], Any] | None = None
    skip: Callable[[Step], bool] | None = None
    before: Callable[[Client, str, dict[str, Json]], None] | None = None
    after: Callable[[Client, str, dict[str, Json]], None] | None = None
    prefer: Prefer | None = None
    edit: Callable[[World], None] | None = None
    fails: frozenset[str] = frozenset()
    only: bool = False

    @property
    def passes(self) -> bool:
        """Whether the mutated run must still reach TS = 1."""
        return not self.fails


@attrs.frozen
class Mutation(Generic[P]):
    """A named fault or harmless variation; `place` finds where in a plan it applies, or None when nowhere."""

    name: str
    place: Callable[[P], Sabotage | None]


@attrs.frozen(kw_only=True)
class Scale(Generic[C]):
    """How a band becomes a configuration.

    Attributes:
        cells: the (family, variant) pairs in the order of generation.
        bounds: (band, family, variant) -> (knob low, knob high), both included.
        step: (band, family, variant) -> the knob moves in steps of this size from its low bound.
        config: (band, family, variant, knob, options) -> configuration; options are `slack`, `updates` and the like.
        reach: (band, family, variant) -> (tokens low, tokens high): the part of the band that the environment reaches.
        accept: (band name, work counts) -> None, or why the measured work does not fit the band.
        bands: the bands that the environment serves.
        fewer: bands that serve some of the cells only, with those.
    """

    cells: tuple[tuple[str, str], ...]
    bounds: Callable[[str, str, str], tuple[int, int]]
    step: Callable[[str, str, str], int]
    config: Callable[[str, str, str, int, Mapping[str, Json]], C]
    reach: Callable[[str, str, str], tuple[int, int]]
    accept: Callable[[str, Mapping[str, int]], str | None]
    bands: tuple[str, ...] = SERVED
    fewer: Mapping[str, tuple[tuple[str, str], ...]] = attrs.Factory(dict)

    def cells_of(self, band: str) -> tuple[tuple[str, str], ...]:
        """Return the cells that a band serves, in the order of generation."""
        return self.fewer.get(band, self.cells)


@attrs.frozen(kw_only=True)
class Twin(Generic[P]):
    """A task that must look the same as another until a call reveals the difference.

    Attributes:
        name: what is different, such as "the rows of stages from 3 on".
        plan: the plan with what is not visible yet drawn anew; everything visible, resources included, stays.
        reveals: (tool, arguments) -> whether such a call, when accepted, may tell the two apart.
    """

    name: str
    plan: P
    reveals: Callable[[str, Mapping[str, Json]], bool]


@attrs.frozen(kw_only=True, eq=False)
class Environment(Generic[C, P]):
    """A frozen bundle of an environment's roles; C is its configuration type, P its plan type.

    Attributes:
        name: the entry point's name.
        package: the import package, whose files' hash is the environment's provenance.
        title: one line on the business.
        config: attrs class of the configuration; every field is JSON-able.
        tables: the attrs row classes declared with `table`.
        compose: (config, rng) -> plan.
        base: seeds the tables that all tasks share, into a fresh world.
        build: (plan, world) adds the task's own rows.
        tools: its queries and operations, without core's own.
        steps: the reference policy.
        apply: (update, world, subject) -> notice, or None when the update lapsed by its public rule.
        check: (world, plan) -> report; reads only.
        mutations: faults and harmless variations with their stated consequences.
        handbook: folder of `<topic>.md` files that `get_rules` serves.
        skills: folder of Agent Skills packages.
        instruction: (config, plan) -> the task's text for agents.
        scale: how bands become configurations.
        silent_kinds: artifact kinds whose validity, end and cause `list_artifacts` neither shows nor filters.
        on_change, on_end: the ledger's rules by artifact kind.
        twins: (plan, rng) -> twins of a task whose rows open one after the other; unfired updates need none.
    """

    name: str
    package: str
    title: str
    config: type[C]
    tables: tuple[type, ...]
    compose: Callable[[C, Rng], P]
    base: Callable[[World], None]
    build: Callable[[P, World], None]
    tools: tuple[Tool, ...]
    steps: Callable[[Client, Mapping[str, Json], Prefer], Iterator[Step]]
    apply: Callable[[Any, World, str], Notice | None]
    check: Callable[[World, P], Report]
    mutations: tuple[Mutation[P], ...]
    handbook: Traversable
    skills: Traversable
    instruction: Callable[[C, P], str]
    scale: Scale[C]
    silent_kinds: frozenset[str] = frozenset()
    on_change: Mapping[str, OnChange] = attrs.Factory(dict)
    on_end: Mapping[str, OnEnd] = attrs.Factory(dict)
    twins: Callable[[P, Rng], Iterable[Twin[P]]] | None = None

    def _role(self, role: str, value: Any) -> list[Contribution]:
        return [Contribution(role=role, environment=self.name, name=OWN, value=value)]

    @hookimpl
    def shz_world_builders(self) -> list[Contribution]:
        """Return the environment's own world builder."""
        return self._role("world-builder", (self.base, self.build))

    @hookimpl
    def shz_skill_libraries(self) -> list[Contribution]:
        """Return the environment's own skills."""
        return self._role("skill-library", self.skills)

    @hookimpl
    def shz_module_composers(self) -> list[Contribution]:
        """Return the environment's own composer."""
        return self._role("composer", self.compose)

    @hookimpl
    def shz_update_schedulers(self) -> list[Contribution]:
        """Return the environment's own updates."""
        return self._role("updates", self.apply)

    @hookimpl
    def shz_reference_policies(self) -> list[Contribution]:
        """Return the environment's own reference policy."""
        return self._role("policy", self.steps)

    @hookimpl
    def shz_goal_checkers(self) -> list[Contribution]:
        """Return the environment's own checker."""
        return self._role("checker", self.check)

    @hookimpl
    def shz_gateways(self) -> list[Contribution]:
        """Return the environment's own tools."""
        return self._role("gateway", self.tools)
