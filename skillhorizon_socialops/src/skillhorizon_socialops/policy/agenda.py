"""The order of work: a wave is prepared, its calendar followed post by post, and closed; notices are answered first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

from skillhorizon import Client, Json, Prefer, Step
from skillhorizon_socialops.policy.desk import Desk
from skillhorizon_socialops.policy.experiments import plan, register
from skillhorizon_socialops.policy.memory import ARMS, SCHEDULED
from skillhorizon_socialops.policy.notices import respond
from skillhorizon_socialops.policy.packages import assemble
from skillhorizon_socialops.policy.publishing import deploy, publish
from skillhorizon_socialops.policy.reporting import report

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

REDONE = {"conversion_correction": ("report", report), "calendar_substitution": ("experiment", register)}
"""The module of the named brief that is redone at once, and how."""


def steps(client: Client, _brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
    """Yield the reference's steps, wave by wave until one cannot be opened.

    Raises:
        Refused: when a list is refused.
    """
    desk = Desk(client)
    desk.look()
    agenda = Agenda(desk, prefer)
    for wave in range(1, desk.waves + 1):
        if desk.open_wave != wave:
            return
        yield from agenda.wave(wave)


@attrs.frozen
class Entry:
    """A step that can come next: its minute, rank and module, what it is about, and the update that asks for it."""

    minute: int
    rank: int
    about: str
    module: str
    run: Callable[[], None]
    cause: str = ""

    @property
    def place(self) -> tuple[int, int, str, str]:
        """Return what entries are sorted by."""
        return self.minute, self.rank, self.about, self.cause


_place = attrgetter("place")


@attrs.frozen
class Agenda:
    """The desk, how modules that are ready together are ranked, and what was offered: (about, cause)."""

    desk: Desk
    prefer: Prefer
    offered: set[tuple[str, str]] = attrs.field(factory=set)

    def wave(self, wave: int) -> Iterator[Step]:
        """Yield the steps of the open wave: notices of the last close, preparation, calendar, close."""
        briefs = self.desk.read_wave(wave)
        yield from self.answers()
        yield from self.prepared(briefs)
        yield from self.calendar(briefs)
        yield Step(f"close:{wave}", partial(close, self.desk, wave))

    def prepared(self, briefs: list[str]) -> Iterator[Step]:
        """Yield packages, plan and registration of each brief, in any order that has its registration last."""
        while (entry := min(self.ready(briefs), key=_place, default=None)) is not None:
            self.offered.add((entry.about, entry.cause))
            yield Step(entry.module, entry.run)
            yield from self.answers()

    def ready(self, briefs: list[str]) -> Iterator[Entry]:
        """Yield what can be prepared now and was not offered yet."""
        for brief in briefs:
            parts = {f"{brief}.1": ("content", assemble), f"{brief}.2": ("audience", plan)}
            if all((about, "") in self.offered for about in parts):
                parts = {f"{brief}.3": ("experiment", register)}
            for about, (kind, run) in parts.items():
                if (about, "") not in self.offered:
                    yield self.entry(0, about, f"{kind}:{brief}", partial(run, self.desk, brief))

    def calendar(self, briefs: list[str]) -> Iterator[Step]:
        """Yield posts and reports by their minutes, each once, done or not."""
        while (entry := min((*self.posts(), *self.reports(briefs)), key=_place, default=None)) is not None:
            if entry.about in self.desk.posts and self.moved(entry):
                continue
            self.offered.add((entry.about, entry.cause))
            yield Step(entry.module, entry.run, entry.cause)
            yield from self.answers()

    def posts(self) -> Iterator[Entry]:
        """Yield the posts that are scheduled and were not offered yet."""
        for post in self.desk.calendar.values():
            kind, run = ("experiment", publish) if post.arm in ARMS else ("deploy", deploy)
            cause = self.desk.causes.get(post.id, "")
            if (post.id, cause) not in self.offered:
                yield self.entry(post.due_at, post.id, f"{kind}:{post.brief}", partial(run, self.desk, post.id), cause)

    def reports(self, briefs: list[str]) -> Iterator[Entry]:
        """Yield the reports of a wave's briefs that were not offered yet."""
        for brief in briefs:
            if (brief, "") not in self.offered:
                until = self.desk.observe_until(brief)
                yield self.entry(until, brief, f"report:{brief}", partial(report, self.desk, brief))

    def moved(self, entry: Entry) -> bool:
        """Whether the calendar, read again, has a post at another minute or no longer scheduled."""
        post = self.desk.read_post(entry.about)
        return post.due_at != entry.minute or post.status != SCHEDULED

    def answers(self) -> Iterator[Step]:
        """Yield what the notices that came ask for at once: redoing what ended, and acknowledging."""
        while self.desk.inbox:
            news = self.desk.inbox.pop(0)
            self.desk.know(news.notice.get("post"))
            if news.kind in REDONE:
                kind, run = REDONE[news.kind]
                brief = news.notice["brief"]
                yield Step(f"{kind}:{brief}", partial(run, self.desk, brief), news.id)
            yield Step(f"update:{news.id}", partial(respond, self.desk, news), news.id)

    def entry(self, minute: int, about: str, module: str, run: Callable[[], None], cause: str = "") -> Entry:
        """Return an entry of the agenda."""
        return Entry(minute, self.prefer(module), about, module, run, cause)


def close(desk: Desk, wave: int) -> None:
    """Close a wave; the next one opens.

    Raises:
        Refused: when the call is not accepted.
    """
    if desk.open_wave == wave:
        answer = desk.do("close_wave", wave=wave)
        desk.open_wave = answer["open_wave"] or 0
