"""Traced runs of the reference policy on real tasks: which step made which calls, under which update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
from fieldops_runs import TOOLBOX, Run, begun

from skillhorizon import Json, Prefer, Refused, Skipped, Step
from skillhorizon.session.client import SessionClient
from skillhorizon.session.session import Memory, Session
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.environment import environment

SMALL = FieldConfig("restoration", "radial", 6, 10_500)
MODERN = FieldConfig("modernisation", "ring", 10, 17_000)
MIDDLE = FieldConfig("restoration", "layered", 20, 16_000)
Calls = list[tuple[str, dict[str, Any]]]
Refuse = Callable[[str, dict[str, Any]], bool]
Rewrite = Callable[[str, dict[str, Any]], dict[str, Any]]


@attrs.frozen
class Took:
    """One step: its module, its update, the calls made in it (scripts by their file), and whether it was refused."""

    module: str
    update: str
    calls: Calls
    refused: bool = False

    @property
    def tools(self) -> list[str]:
        """The names of its calls in order."""
        return [name for name, _ in self.calls]


@attrs.frozen
class Trace:
    """A finished run, its steps, and the notices by id."""

    run: Run
    steps: list[Took]
    notices: dict[str, dict[str, Any]]

    def under(self, kind: str) -> list[Took]:
        """The steps that notices of a kind asked for."""
        return [each for each in self.steps if each.update and self.notices[each.update]["kind"] == kind]


class TracingClient(SessionClient):
    """Notes calls and notices; rewrites arguments, and refuses what it is told to before the session sees it."""

    def __init__(self, session: Session, refuse: Refuse, rewrite: Rewrite) -> None:
        super().__init__(session)
        self.refuse, self.rewrite = refuse, rewrite
        self.calls: Calls = []
        self.heard_of: dict[str, dict[str, Any]] = {}

    def call(self, tool: str, /, **arguments: Json) -> Any:
        said: dict[str, Any] = dict(arguments)
        self.calls.append((said["script"] if tool == "run_skill_script" else tool, said))
        if self.refuse(tool, said):
            raise Refused("rejected", "refused", "the test refuses it", {})
        data = super().call(tool, **self.rewrite(tool, said))
        self.heard_of.update({each["id"]: each for each in data.get("notices", ())})
        return data


def traced(
    config: FieldConfig,
    seed: int,
    *,
    prefer: Prefer = lambda _: 0,
    refuse: Refuse = lambda tool, arguments: False,
    rewrite: Rewrite = lambda tool, arguments: arguments,
    skip: Callable[[Step], bool] = lambda step: False,
    retries: int = 0,
) -> Trace:
    """Run the policy; a refused step is run again so many times, and then left."""
    run, memory = begun(config, seed), Memory()
    text = run.plan.truth.seed_text
    session = Session(environment, run.plan, run.world, toolbox=TOOLBOX, recorder=memory, seed=text)
    client, steps = TracingClient(session, refuse, rewrite), list[Took]()
    for step in environment.steps(client, run.plan.brief, prefer):
        if skip(step):
            continue
        start = len(client.calls)
        refused = not any(_done(step) for _ in range(retries + 1))
        steps.append(Took(step.module, step.update, client.calls[start:], refused))
    return Trace(attrs.evolve(run, records=memory.records), steps, client.heard_of)


def _done(step: Step) -> bool:
    try:
        step.run()
    except (Refused, Skipped):
        return False
    return True
