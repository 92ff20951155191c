"""The order of work: plan a wave, do what is ready, close it; at the end accept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

from skillhorizon import Client, Json, Prefer, Step
from skillhorizon_fieldops.policy.cases import finish_case
from skillhorizon_fieldops.policy.changes import assess
from skillhorizon_fieldops.policy.desk import Desk
from skillhorizon_fieldops.policy.handover import accept, close, commission
from skillhorizon_fieldops.policy.planning import plan_wave
from skillhorizon_fieldops.policy.reading import read_brief
from skillhorizon_fieldops.policy.working import rebook, replace, work_zone

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def steps(client: Client, _brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
    """Yield the reference's steps: wave by wave its plan, all that becomes ready, its closing; then the acceptance.

    Raises:
        Refused: when the brief is refused.
    """
    agenda = Agenda(Desk(client), prefer)
    desk = agenda.desk
    read_brief(desk)
    while (wave := desk.open_wave) <= desk.waves:
        yield agenda.step(f"plan:{wave}", partial(plan_wave, desk, wave))
        yield from agenda.rounds()
        yield agenda.step(f"close:{wave}", partial(close, desk, wave))
        if desk.open_wave == wave:
            break
    if desk.open_wave == desk.sweep:
        yield from agenda.sweep()
    yield agenda.step("accept", partial(accept, desk))


@attrs.frozen
class Entry:
    """A step that is ready: its rank, its module, and the update that asks for it."""

    rank: int
    module: str
    cause: str
    run: Callable[[], None]


_TURN = attrgetter("rank", "module", "cause")
"""In which order steps that are ready together are taken."""


@attrs.frozen
class Agenda:
    """The desk, how modules that are ready together are ranked, and what was offered: (module, cause)."""

    desk: Desk
    prefer: Prefer
    offered: set[tuple[str, str]] = attrs.field(factory=set)

    def step(self, module: str, run: Callable[[], None], update: str = "") -> Step:
        """Return a step whose consequences are put down to its update."""
        return Step(module, partial(self.desk.under, update, run), update)

    def entry(self, module: str, run: Callable[[], None], cause: str = "") -> Entry:
        """Return an entry of the agenda."""
        return Entry(self.prefer(module), module, cause, run)

    def rounds(self) -> Iterator[Step]:
        """Yield the steps of notices as they come, and else what is ready, until nothing is."""
        while True:
            while self.desk.inbox:
                yield from self.answer()
            chosen = min(self.ready(), key=_TURN, default=None)
            if chosen is None:
                return
            self.offered.add((chosen.module, chosen.cause))
            self.desk.waiting.discard(chosen.module.removeprefix("access:"))
            yield self.step(chosen.module, chosen.run, chosen.cause)

    def answer(self) -> Iterator[Step]:
        """Yield what the oldest notice asks for at once: bookings to make again, parts to replace."""
        desk = self.desk
        news = desk.inbox.pop(0)
        update = news.notice["id"]
        works = assess(desk, news)
        zones = {subject.partition(".")[0] for kind, subject, _ in news.ended if kind == "BKG" and "." in subject}
        again = [self.entry(f"access:{each}", partial(rebook, desk, each), update) for each in sorted(zones)]
        again += [self.entry(f"case:{each}", partial(replace, desk, each), update) for each in works]
        for each in sorted(again, key=_TURN):
            yield self.step(each.module, each.run, update)

    def ready(self) -> Iterator[Entry]:
        """Yield what can be done now and was not offered yet."""
        yield from self.accesses()
        yield from self.cases()
        yield from self.services()

    def accesses(self) -> Iterator[Entry]:
        """Yield zones that are wholly booked."""
        for zone in self.desk.waiting:
            if self.new(module := f"access:{zone}") and self.booked(zone):
                yield self.entry(module, partial(work_zone, self.desk, zone))

    def cases(self) -> Iterator[Entry]:
        """Yield worked devices whose tests would stand on current things."""
        desk = self.desk
        certified, commissioned = desk.current["CRT"].keys(), desk.current["COM"].keys()
        for device in desk.uncertified:
            reference = desk.devices[device].ref_service
            if (reference is None or reference in commissioned) and desk.fed_by(certified, device):
                cause = desk.caused.get(("TST", device)) or desk.caused.get(("CRT", device), "")
                if self.new(module := f"case:{device}", cause):
                    yield self.entry(module, partial(finish_case, desk, device), cause)

    def services(self) -> Iterator[Entry]:
        """Yield services whose devices are certified and whose needs are commissioned."""
        desk = self.desk
        certified, commissioned = desk.current["CRT"].keys(), desk.current["COM"].keys()
        for service in desk.idle:
            read = desk.services[service]
            if certified >= read.carriers and commissioned >= read.needed:
                cause = desk.caused.get(("COM", service), "")
                if self.new(module := f"service:{service}", cause):
                    yield self.entry(module, partial(commission, desk, service), cause)

    def new(self, module: str, cause: str = "") -> bool:
        """Whether a module was not offered for this cause yet."""
        return (module, cause) not in self.offered

    def booked(self, zone: str) -> bool:
        """Whether a zone has unworked devices, and all of their jobs are booked in the open wave."""
        desk = self.desk
        jobs = {f"{zone}.{desk.devices[each].of_class}" for each in desk.unworked(zone)}
        now = [job in desk.current["BKG"] and desk.bookings[job].wave == desk.open_wave for job in jobs]
        return bool(now) and all(now)

    def sweep(self) -> Iterator[Step]:
        """Yield the zones that were planned and never worked: all booked first, then worked, and what follows."""
        desk = self.desk
        late = [zone for zone in sorted(desk.zones) if desk.unworked(zone)]
        for zone in late:
            desk.swept = True
            self.offered.discard((f"access:{zone}", ""))
            desk.waiting.add(zone)
            yield self.step(f"access:{zone}", partial(rebook, desk, zone))
        if late:
            yield from self.rounds()
