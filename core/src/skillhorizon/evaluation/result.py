"""What an execution came to, and where results are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import attrs

from skillhorizon.evaluation.terminal import SCORED
from skillhorizon.model.score import Score
from skillhorizon.model.task import Cell
from skillhorizon.model.usage import Price, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon.evaluation.folder import RunInfo
    from skillhorizon.session.files import Journal


@attrs.frozen(kw_only=True)
class Result:
    """One execution: whose, of which task, how it ended, and its score; an infrastructure error has a fault instead.

    `calls` counts records, `charged` those that the budget paid for; `milliseconds` is wall time, all commands that
    worked on it together, `usage` what a model used, and `cost` what that cost at the user's prices, in billionths of
    their currency; None when unknown.
    """

    task: str
    digest: str
    environment: str
    cell: Cell
    agent: str
    trial: int
    kind: str
    fault: str = ""
    score: Score | None = None
    calls: int = 0
    charged: int = 0
    budget: int | None = None
    milliseconds: int | None = None
    usage: Usage | None = None
    cost: int | None = None

    def priced(self, price: Price | None) -> Result:
        """Return the result with its cost, unless that is known already or there is nothing to reckon it from."""
        if price is None or self.usage is None or self.cost is not None:
            return self
        return attrs.evolve(self, cost=price.billionths(self.usage))

    @property
    def key(self) -> tuple[str, int]:
        """What makes it one of its run's executions: task digest and trial."""
        return self.digest, self.trial

    @property
    def scored(self) -> bool:
        """Whether it counts; what does not is run again next time."""
        return self.kind in SCORED


class RunStore(Protocol):
    """Keeps runs and their results; only one process writes."""

    def begin(self, run: RunInfo) -> None:
        """Make a run known, or take it up again."""

    def results(self, run: str) -> Sequence[Result]:
        """Return the results of a run by task and trial."""

    def save(self, run: str, result: Result) -> None:
        """Keep a result durably, in place of an earlier one of the same task and trial."""


def result_of(journal: Journal, *, milliseconds: int | None = None) -> Result | None:
    """Return the result that a closed journal tells, or None when it is not closed."""
    header, footer = journal.header, journal.footer
    if footer is None:
        return None
    return Result(
        task=header.task,
        digest=header.digest,
        environment=header.environment,
        cell=header.cell,
        agent=header.agent,
        trial=header.trial,
        kind=footer.kind,
        fault=footer.fault,
        score=footer.score,
        calls=footer.calls,
        charged=footer.charged,
        budget=header.budget,
        milliseconds=milliseconds,
        usage=footer.usage,
    )
