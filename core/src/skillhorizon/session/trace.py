"""What a policy did under each of its steps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import attrs

from skillhorizon.environment import Noticed, Refused, Skipped, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.model.journal import Record
    from skillhorizon.session.session import Session


@attrs.frozen(kw_only=True)
class TracedStep:
    """One run of a step: its calls are `first` to `last` (none when last < first); `fault` is why it broke off."""

    module: str
    update: str
    first: int
    last: int
    fault: str = ""


class Tracer:
    """A recorder that keeps the records, the events of each call, the steps, and what was unmet when updates fired.

    Attributes:
        records: the calls' records in order.
        steps: the steps run, in order.
        events: call -> names of the events that first happened to a subject in it.
        unmet: call that fired an update -> goals unmet right after it; kept when a session is watched.
    """

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.steps: list[TracedStep] = []
        self.events: dict[int, tuple[str, ...]] = {}
        self.unmet: dict[int, frozenset[str]] = {}
        self._session: Session | None = None
        self._reports = False

    def watch(self, session: Session, *, reports: bool = True) -> None:
        """Look at a session after each of its calls; with `reports`, check its state when updates fire."""
        self._session, self._reports = session, reports

    def append(self, record: Record) -> None:
        """Keep one record and look at the state it left."""
        self.records.append(record)
        if self._session is None:
            return
        if self._session.world.ledger.events:
            self.events[record.index] = tuple(self._session.world.ledger.events)
        if record.fired and self._reports:
            self.unmet[record.index] = unmet_goals(self._session)


def unmet_goals(session: Session) -> frozenset[str]:
    """Return the ids of the goals that do not hold at present."""
    return frozenset(finding.id for finding in session.report().goals if not finding.met)


def traced(steps: Iterator[Step], session: Session, log: list[TracedStep]) -> Iterator[Step]:
    """Yield the steps so that each run of one, finished or not, is noted in `log`."""
    for step in steps:
        yield attrs.evolve(step, run=partial(_run, step, session, log))


def _run(step: Step, session: Session, log: list[TracedStep]) -> None:
    first, fault = session.index + 1, ""
    try:
        step.run()
    except Noticed:
        raise
    except (Refused, Skipped) as error:
        fault = str(error) or type(error).__name__
        raise
    finally:
        log.append(TracedStep(module=step.module, update=step.update, first=first, last=session.index, fault=fault))
