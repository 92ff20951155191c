"""Proving a task: the reference run through the public tools, its measured volume, and its score."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.garbage import uncollected
from skillhorizon.errors import ProofFailed
from skillhorizon.gateway.tools import Kind
from skillhorizon.model import tokens
from skillhorizon.model.score import Score
from skillhorizon.model.workload import Measurement, allowance
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive

if TYPE_CHECKING:
    from skillhorizon.construction.workshop import Built
    from skillhorizon.environment import Prefer
    from skillhorizon.model.journal import Record
    from skillhorizon.session.session import Session

Total = Callable[[Iterable[str]], int]


class Meter:
    """A recorder that counts tokens and calls, and hashes the journal; it keeps no more than `BATCH` records.

    Counting in batches is faster than between calls: the vocabulary and the world displace each other in the
    processor's caches.
    """

    BATCH = 4096

    def __init__(self, kinds: dict[str, Kind], total: Total = tokens.total) -> None:
        self.calls = self.business_calls = self._l_ref = 0
        self._business = {name for name, kind in kinds.items() if kind in _BUSINESS}
        self._total, self._hash = total, hashlib.sha256()
        self._waiting: list[Record] = []

    def append(self, record: Record) -> None:
        """Count one record."""
        self.calls += record.charged
        self.business_calls += record.tool in self._business
        self._waiting.append(record)
        if len(self._waiting) == self.BATCH:
            self._settle()

    def _settle(self) -> None:
        for record in self._waiting:
            self._hash.update(record.line())
        self._l_ref += self._total(map(attrgetter("call_text"), self._waiting))
        self._l_ref += self._total(map(attrgetter("observation"), self._waiting))
        self._waiting.clear()

    @property
    def l_ref(self) -> int:
        """Tokens of calls and observations so far."""
        self._settle()
        return self._l_ref

    @property
    def digest(self) -> str:
        """SHA-256 of the journal's lines so far."""
        self._settle()
        return self._hash.hexdigest()


_BUSINESS = (Kind.OPERATION, Kind.SCRIPT)


@attrs.frozen(kw_only=True)
class Proof:
    """A proven task's measurement, the digest of its reference journal, and its score."""

    measurement: Measurement
    journal: str
    score: Score


def no_preference(_module: str) -> int:
    """Rank all modules alike."""
    return 0


def run_reference(session: Session, prefer: Prefer = no_preference) -> None:
    """Run the pinned policy to its end.

    Raises:
        ProofFailed: when a call is refused.
    """
    steps = session.environment.steps(SessionClient(session), session.plan.brief, prefer)
    drive(steps)


@uncollected()
def prove(built: Built, *, allowance_of: Callable[[int], int] = allowance) -> Proof:
    """Run the reference policy on a fresh world, measure it and require LGC = TS = 1.

    Raises:
        ProofFailed: when a call is refused, an update has not fired, or a goal or requirement is unmet.
    """
    meter = Meter({name: tool.kind for name, tool in built.components.toolbox.tools.items()})
    session = built.session(meter)
    try:
        run_reference(session)
        reached = session.score()
    finally:
        session.world.close()
    if not reached.success or reached.goals_met != reached.goals:
        named = "; ".join(f"{f.id}: {', '.join(f.unmet)}" for f in reached.unmet[:5])
        raise ProofFailed(f"the reference run leaves {len(reached.unmet)} goals or requirements unmet ({named})")
    extra = allowance_of(meter.calls)
    measured = Measurement(
        l_ref=meter.l_ref,
        calls=meter.calls,
        allowance=extra,
        budget=meter.calls + extra,
        business_calls=meter.business_calls,
        work=dict(built.plan.work),
    )
    return Proof(measurement=measured, journal=meter.digest, score=reached)
