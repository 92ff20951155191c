"""The order of work: a wave is prepared, its calendar followed post by post, and closed; notices are answered first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from heapq import heapify, heappop, heappush
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

PARTS = (("content", assemble), ("audience", plan), ("experiment", register))
"""The modules by which a brief is prepared, and how; the last one once the others were done or tried."""
REGISTERED = 2
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
Waiting = tuple[int, str, str]
"""The minute of what can come next, a post or the brief of a report, and the update that asks for it."""


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
        left = dict.fromkeys(briefs, REGISTERED)
        ready = [self.part(brief, part) for brief in briefs for part in range(REGISTERED)]
        heapify(ready)
        while ready:
            _, brief, part = heappop(ready)
            kind, run = PARTS[part]
            yield Step(f"{kind}:{brief}", partial(run, self.desk, brief))
            yield from self.answers()
            left[brief] -= 1
            if left[brief] == 0:
                heappush(ready, self.part(brief, REGISTERED))

    def part(self, brief: str, part: int) -> tuple[int, str, int]:
        """Return what the parts of briefs are sorted by: their rank, then brief and part."""
        return self.prefer(f"{PARTS[part][0]}:{brief}"), brief, part

    def calendar(self, briefs: list[str]) -> Iterator[Step]:
        """Yield posts and reports by their minutes, each once, done or not."""
        while (entry := self.next_due(briefs)) is not None:
            if entry.about in self.desk.posts and self.moved(entry):
                continue
            self.offered.add((entry.about, entry.cause))
            yield Step(entry.module, entry.run, entry.cause)
            yield from self.answers()

    def next_due(self, briefs: list[str]) -> Entry | None:
        """Return what comes next on the calendar; what has the same minute is ranked."""
        waiting = [*self.posts(), *self.reports(briefs)]
        if not waiting:
            return None
        minute = min(waiting)[0]
        return min((self.entry(*each) for each in waiting if each[0] == minute), key=_place)

    def posts(self) -> list[Waiting]:
        """Return the posts that are scheduled and were not offered yet."""
        causes = self.desk.causes
        found = [(post.due_at, name, causes.get(name, "")) for name, post in self.desk.calendar.items()]
        return [each for each in found if each[1:] not in self.offered]

    def reports(self, briefs: list[str]) -> list[Waiting]:
        """Return the reports of a wave's briefs that were not offered yet."""
        return [(self.desk.observe_until(brief), brief, "") for brief in briefs if (brief, "") not in self.offered]

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

    def entry(self, minute: int, about: str, cause: str) -> Entry:
        """Return the entry of a post, or of a brief's report."""
        run: Callable[[Desk, str], None]
        post = self.desk.posts.get(about)
        if post is None:
            module, run = f"report:{about}", report
        elif post.arm in ARMS:
            module, run = f"experiment:{post.brief}", publish
        else:
            module, run = f"deploy:{post.brief}", deploy
        return Entry(minute, self.prefer(module), about, module, partial(run, self.desk, about), cause)


def close(desk: Desk, wave: int) -> None:
    """Close a wave; the next one opens.

    Raises:
        Refused: when the call is not accepted.
    """
    if desk.open_wave == wave:
        answer = desk.do("close_wave", wave=wave)
        desk.open_wave = answer["open_wave"] or 0
