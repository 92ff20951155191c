"""Runs whose calendar does not go as planned: posts late, closes late, arms moved, run twice, hit by a withdrawal."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import attrs
from socialops_runs import Run, begun

from skillhorizon import Refused, Rng, Skipped
from skillhorizon.session.client import SessionClient
from skillhorizon.session.session import Memory
from skillhorizon_socialops.plan import Plan, RightsWithdrawal
from skillhorizon_socialops.policy.agenda import Agenda
from skillhorizon_socialops.policy.desk import Desk
from skillhorizon_socialops.policy.experiments import register
from skillhorizon_socialops.policy.memory import post_of
from skillhorizon_socialops.policy.packages import build, control, pick

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon import Client, Step
    from skillhorizon_socialops.config import SocialConfig

LATENESS = (0, 0, 40, 59)
HOURS = (20, 21, 22, 23)
MOST_MOVES = 3
AFTER_HOUSE_POSTS = 51


class Latecomer(Desk):
    """A desk that acts some minutes after full hours."""

    def __init__(self, client: Client, late: int) -> None:
        super().__init__(client)
        self.late = late

    def wait(self, minute: int) -> None:
        """Wait a little longer than asked to, if asked to wait for a full hour."""
        if self.clock < minute:
            super().wait(minute if minute % 60 else minute + self.late)


@attrs.define
class Whims:
    """A player of the policy's agenda who does not keep to the calendar.

    Attributes:
        rng: what it does when.
        plan: the task's.
        desk, agenda: the policy's.
        moves: reschedules so far.
        rest: whether audiences need rest before the next wave.
        done: what happened, in words.
    """

    rng: Rng
    plan: Plan
    desk: Latecomer
    agenda: Agenda
    moves: int = 0
    rest: bool = False
    done: set[str] = attrs.field(factory=set)

    def play(self, wave: int) -> None:
        """Play a wave."""
        briefs: list[str] = []
        for step in self.agenda.wave(wave):
            if not briefs and self.prepared(wave):
                briefs = self.prepared(wave)
                self.sometimes(6_000, partial(self.move, wave, briefs))
            if step.module.startswith("close:"):
                self.sometimes(10_000 if self.rest else 4_000, self.linger)
                self.rest = False
            done = self.attempt(step.run)
            self.afterwards(step)
            if not done:
                self.attempt(step.run)

    def prepared(self, wave: int) -> list[str]:
        """Return the briefs of a wave once all of them have their packages."""
        own = sorted({post.brief for post in self.desk.calendar.values() if int(post.brief[2:4]) == wave})
        return own if all((brief, arm) in self.desk.packages for brief in own for arm in ("a", "b")) else []

    def sometimes(self, basis_points: int, what: Callable[[], object]) -> None:
        """Do something now and then."""
        if self.rng.chance(basis_points):
            self.attempt(what)

    def attempt(self, what: Callable[[], object]) -> bool:
        """Do something, or leave it when it is refused; return whether it was done."""
        try:
            what()
        except (Refused, Skipped):
            self.done.add("refused")
            return False
        return True

    def linger(self) -> None:
        """Let time pass before a wave is closed."""
        self.desk.wait(self.desk.clock + self.rng.integer(480, 2_000))
        self.done.add("closed late")

    def move(self, wave: int, briefs: list[str]) -> None:
        """Move an arm to one of the hours in reserve; one that a withdrawal will meet if there is one."""
        withdrawals = (update for update in self.plan.updates if isinstance(update, RightsWithdrawal))
        after = {update.asset for update in withdrawals if update.wave == wave - 1}
        arms = [(brief, arm) for brief in briefs for arm in ("a", "b")]
        hit = [each for each in arms if {*self.desk.packages[each].assets} & after]
        brief, arm = self.rng.choice(hit or arms)
        self.reschedule(brief, arm, "moved")

    def reschedule(self, brief: str, arm: str, told: str) -> None:
        """Move an arm, and the deployment where it would come too early; the agenda offers them once more."""
        lane, hour, deployed = int(brief[-2:]), self.rng.choice(HOURS), post_of(brief, "d")
        if self.moves + 1 >= MOST_MOVES:
            return
        start = self.desk.posts[deployed].due_at - 60 * (34 + lane)
        self.put(brief, post_of(brief, arm), start + 60 * hour)
        self.done.add(told)
        if hour > 20 + lane:
            self.put(brief, deployed, start + 60 * (AFTER_HOUSE_POSTS + lane))
            self.rest = True

    def put(self, brief: str, post: str, due: int) -> None:
        """Schedule a post at another minute."""
        self.desk.do("reschedule_post", brief_id=brief, post_id=post, due_at=due)
        self.moves += 1
        self.desk.read_post(post)
        for each in [each for each in self.agenda.offered if each[0] in (post, brief)]:
            self.agenda.offered.discard(each)

    def afterwards(self, step: Step) -> None:
        """Now and then take a published arm back; build what is not yet published again where rights are gone."""
        kind, _, brief = step.module.partition(":")
        if kind == "experiment" and (brief, "b") not in self.desk.ran and (brief, "a") in self.desk.ran:
            self.sometimes(1_500, lambda: self.reschedule(brief, "a", "run twice"))
        for post in list(self.desk.calendar.values()):
            if post.arm in ("a", "b", "s"):
                self.attempt(partial(self.refresh, post.brief, "a" if post.arm == "a" else "b"))

    def refresh(self, brief: str, arm: str) -> None:
        """Build an unpublished arm's package again when an asset was withdrawn, and register it."""
        desk = self.desk
        if (brief, arm) not in desk.packages or not desk.withdrawn & {*desk.packages[brief, arm].assets}:
            return
        read = desk.brief(brief)
        if arm == "a":
            assets, basis = control(desk, read)
        else:
            barred = [*desk.packages[brief, "a"].assets]
            visual, copy = (pick(desk, read, role, read.angle, barred) for role in ("visual", "copy"))
            assets, basis = (visual, copy), "brief"
        build(desk, brief, arm, assets, basis)
        desk.ran.pop((brief, arm), None)
        register(desk, brief)
        self.done.add("withdrawn between")


def whimsical(config: SocialConfig, seed: int) -> tuple[Run, set[str]]:
    """Play a task by whims; return the run and what happened in it."""
    run, memory, rng = begun(config, seed), Memory(), Rng("whims", seed)
    desk = Latecomer(SessionClient(run.session(memory)), rng.choice(LATENESS))
    desk.look()
    player = Whims(rng, run.plan, desk, Agenda(desk, lambda _module: 0))
    for wave in range(1, desk.waves + 1):
        if desk.open_wave == wave:
            player.play(wave)
    if desk.late == 59:
        player.done.add("at +59")
    return attrs.evolve(run, records=memory.records), player.done
