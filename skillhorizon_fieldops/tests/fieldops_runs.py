"""Finished runs of the reference policy, as it is or under a mutation, for the tests of goals and mutations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from skillhorizon import Rng, Sabotage, World
from skillhorizon.model.journal import Record
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.mutated import MutatedClient
from skillhorizon.session.session import Memory, Session, Toolbox
from skillhorizon_fieldops.environment import environment
from skillhorizon_fieldops.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon import Report
    from skillhorizon_fieldops.config import FieldConfig

TOOLBOX = Toolbox.of(environment)


@attrs.frozen
class Run:
    """A run: its plan, the world it left, and its calls."""

    plan: Plan
    world: World
    records: Sequence[Record] = ()

    def report(self) -> Report:
        return environment.check(self.world, self.plan)

    def unmet(self) -> dict[str, tuple[str, ...]]:
        """Unmet goals and requirements with their unmet conditions."""
        report = self.report()
        return {each.id: each.unmet for each in (*report.goals, *report.requirements) if not each.met}

    def after(self, edit: Callable[[World], object]) -> dict[str, tuple[str, ...]]:
        """What is unmet after an edit of a copy of the world."""
        copy = self.world.clone()
        edit(copy)
        return Run(self.plan, copy).unmet()


def begun(config: FieldConfig, seed: int) -> Run:
    """A world as it stands before any call."""
    plan = environment.compose(config, Rng("runs", seed))
    world = World.empty(environment.tables)
    world.govern(environment.on_change, environment.on_end)
    environment.base(world)
    environment.build(plan, world)
    return Run(plan, world)


def finished(config: FieldConfig, seed: int, sabotage: Sabotage | None = None) -> Run:
    """The reference run to its end; refusals are tolerated under a mutation only."""
    run, memory = begun(config, seed), Memory()
    session = Session(environment, run.plan, run.world, toolbox=TOOLBOX, recorder=memory, seed=run.plan.truth.seed_text)
    if sabotage is None:
        drive(environment.steps(SessionClient(session), run.plan.brief, lambda _: 0))
    else:
        client = MutatedClient(session, sabotage)
        steps = environment.steps(client, run.plan.brief, sabotage.prefer or (lambda _: 0))
        drive(steps, skip=sabotage.skip, tolerate=True)
    return attrs.evolve(run, records=memory.records)
