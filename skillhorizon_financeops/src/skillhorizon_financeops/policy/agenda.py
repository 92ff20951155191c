"""The order of work: stage by stage, notices as they come, then the release."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Client, Json, Prefer, Step
from skillhorizon_financeops.policy.closings import close, record_view
from skillhorizon_financeops.policy.desk import REMITTANCE, Desk
from skillhorizon_financeops.policy.packages import make, moved, rematch
from skillhorizon_financeops.policy.release import publish_release, publish_stages, review_stages
from skillhorizon_financeops.policy.restatement import assess, discharge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def steps(client: Client, _brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
    """Yield the reference's steps: each stage, what its notices cause, the release, and again after a late notice.

    Raises:
        Refused: when a list is refused.
    """
    agenda = Agenda(Desk(client), prefer)
    desk = agenda.desk
    desk.read_start()
    while (stage := desk.open_stage) is not None:
        yield from agenda.stage(stage)
        desk.look()
        for notice in client.notices():
            yield from agenda.answer(notice, stage)
        if desk.open_stage == stage:
            break
    yield from agenda.release("")
    while notices := client.notices():
        for notice in notices:
            yield from agenda.answer(notice, max(desk.opened))
        yield from agenda.release(notices[-1]["id"])


@attrs.frozen
class Agenda:
    """The desk, and how modules that are ready together are ranked."""

    desk: Desk
    prefer: Prefer

    def ranked(self, kind: str, objects: list[str]) -> list[str]:
        """Sort a stage's objects of one module kind: the preferred first, else by id."""
        return sorted(objects, key=lambda each: (self.prefer(f"{kind}:{each}"), each))

    def release(self, update: str) -> Iterator[Step]:
        """Yield all reviews, all publications and the release."""
        for run in (review_stages, publish_stages, publish_release):
            yield Step("release", partial(run, self.desk), update)

    def stage(self, stage: int) -> Iterator[Step]:
        """Yield a stage's packages, views and closure."""
        for source_id in self.ranked("package", self.desk.list_packages(stage)):
            yield Step(f"package:{source_id}", partial(make, self.desk, source_id))
        yield from self.views(stage)
        yield self.closure(stage, "")

    def closure(self, stage: int, update: str) -> Step:
        """Return the step that closes a stage."""
        return Step(f"closure:{stage}", partial(close, self.desk, stage), update)

    def views(self, stage: int) -> Iterator[Step]:
        """Yield the views due at a stage that have no step yet; those that a notice's remakes opened under it."""
        desk = self.desk
        desk.due[stage] = desk.list_due(stage)
        update, known = desk.foreseen.pop(stage, ("", desk.due[stage]))
        for subject in self.ranked("view", desk.due[stage]):
            if subject not in desk.recorded:
                desk.recorded.add(subject)
                cause = "" if subject in known else update
                yield Step(f"view:{subject}", partial(record_view, desk, subject), cause)

    def answer(self, notice: dict[str, Any], latest: int) -> Iterator[Step]:
        """Yield what a notice causes, `latest` being the last stage closed: assess, remake, discharge, close again."""
        desk, update = self.desk, notice["id"]
        due = desk.open_stage or latest
        known = desk.due[due] if due in desk.due else desk.list_due(due)
        desk.foreseen[due] = (update, known)
        yield Step(f"restatement:{update}", partial(assess, desk, notice), update)
        affected = desk.affected.get(update, [])
        if affected:
            yield from self.remakes(affected, latest, update)
        yield Step(f"restatement:{update}", partial(discharge, desk, notice), update)
        if affected:
            yield from self.closures(min(desk.sources[each].stage for each in affected), latest, update)

    def closures(self, first: int, latest: int, update: str) -> Iterator[Step]:
        """Yield the closures from the first stage touched to the latest, with what has become due in the last stage."""
        for stage in range(first, latest + 1):
            if stage == latest and self.desk.open_stage is None:
                yield from self.views(stage)
            yield self.closure(stage, update)

    def remakes(self, affected: list[str], latest: int, update: str) -> Iterator[Step]:
        """Yield the affected packages by stage, and the later remittances whose open items they moved (R6)."""
        desk = self.desk
        shaken: set[str | None] = set()
        stages = {each: desk.sources[each].stage for each in affected}
        for stage in range(min(stages.values()), latest + 1):
            due = [each for each, at in stages.items() if at == stage]
            doubtful = [each for each in self.remittances(stage, shaken) if each not in stages]
            for source_id in self.ranked("package", due + doubtful):
                effect = desk.made[source_id].effect
                if source_id in stages:
                    yield Step(f"package:{source_id}", partial(make, desk, source_id), update)
                elif moved(desk, source_id):
                    yield Step(f"package:{source_id}", partial(rematch, desk, source_id), update)
                if desk.made[source_id].effect != effect:
                    shaken.add(desk.sources[source_id].lockbox)

    def remittances(self, stage: int, lockboxes: set[str | None]) -> list[str]:
        """Return the remittances made at a stage in any of the lockboxes."""
        desk = self.desk
        made = [each for each in desk.packages[stage] if each in desk.made]
        return [
            each for each in made if desk.sources[each].kind == REMITTANCE and desk.sources[each].lockbox in lockboxes
        ]
