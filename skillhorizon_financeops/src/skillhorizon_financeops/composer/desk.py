"""What the search for an update works with: the draws, truth so far, the index, and the stages it may reach."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon import After, Rng
from skillhorizon_financeops.composer.citing import Citing, Hit, Span
from skillhorizon_financeops.config import FinanceConfig
from skillhorizon_financeops.plan import AnyUpdate
from skillhorizon_financeops.truth import Replay

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NEAR = 6
"""How many near misses of a notice are kept."""
_LATE_STAGES, _LEAD, _TAIL = 3, 30, 60


@attrs.frozen
class Found:
    """An update that fits, the sources it should end, and its near misses, best first."""

    update: AnyUpdate
    affected: tuple[str, ...]
    near: tuple[str, ...]


@attrs.frozen(kw_only=True)
class Search:
    """The search for one update: `count` is how many normalizations it must end, 0 for a decoy."""

    rng: Rng
    config: FinanceConfig
    replay: Replay
    citing: Citing
    id: str
    stage: int
    trigger: After
    count: int

    @property
    def decoy(self) -> bool:
        """Whether the update must end nothing."""
        return self.count == 0

    @cached_property
    def window(self) -> tuple[str, ...]:
        """The sources of the stages that the update may reach."""
        return self.recent(self.config.reach_back)

    @cached_property
    def allowed(self) -> frozenset[str]:
        """The window as a set."""
        return frozenset(self.window)

    def recent(self, back: int) -> tuple[str, ...]:
        """Return the sources of the update's stage and up to `back` stages before it."""
        stages = range(max(1, self.stage - back), self.stage + 1)
        return tuple(source.source_id for stage in stages for source in self.replay.of_stage(stage))

    @property
    def limits(self) -> tuple[int, int]:
        """The days within which ranges lie: from where the window's late arrivals begin to some days after it."""
        first = max(1, self.stage - self.config.reach_back - _LATE_STAGES)
        return 100 * first, 100 * self.stage + 99 + _TAIL

    def range_of(self, span: Span) -> tuple[int, int]:
        """Draw a range of days within a span."""
        if not span.sources:
            first = self.rng.integer(span.earliest, span.latest)
            return first, self.rng.integer(first, span.latest)
        first = self.rng.integer(max(span.earliest, span.first - _LEAD), span.first)
        return first, self.rng.integer(span.last, min(span.latest, span.last + _TAIL))

    def near(self, groups: Iterable[Sequence[Hit]], affected: Sequence[str]) -> tuple[str, ...]:
        """Return near misses from groups of hits, best group first, less what is affected."""
        out: dict[str, None] = {}
        for group in groups:
            out.update(dict.fromkeys(source for _, source in group if source not in affected))
        return tuple(out)[:NEAR]

    def beside(self, hits: Sequence[Hit], first: int, last: int) -> list[Hit]:
        """Return hits outside a range of days, nearest first."""
        outside = [hit for hit in hits if not first <= hit[0] <= last]
        return sorted(outside, key=lambda hit: (max(first - hit[0], hit[0] - last), hit))
