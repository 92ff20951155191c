"""Views that fall due: comparative ones from the third stage on, restated ones for what an update affects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer.shape import view_lag, views_per_stage
from skillhorizon_financeops.plan import AnyUpdate, PlannedView
from skillhorizon_financeops.truth import Replay, known_at
from skillhorizon_financeops.truth.answers import notices_before

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Rng
    from skillhorizon_financeops.composer.notices import Fired
    from skillhorizon_financeops.config import FinanceConfig

_FIRST_STAGE = 3


def comparative(
    rng: Rng, config: FinanceConfig, replay: Replay, updates: Sequence[AnyUpdate]
) -> tuple[PlannedView, ...]:
    """Draw the comparative views, preferring pairs whose basis knew other totals than the stage before the due one."""
    out: list[PlannedView] = []
    for due in range(_FIRST_STAGE, config.stages + 1):
        origin = max(1, due - view_lag(config))
        sources = [source.source_id for source in replay.of_stage(origin)]
        known = {basis: notices_before(updates, basis) for basis in range(origin, due)}
        pairs = rng.stream(due).shuffled([(s, basis) for s in sources for basis in known])
        telling = [pair for pair in pairs if _differ(replay, pair, (known[pair[1]], known[due - 1]))]
        chosen = _distinct([*telling, *pairs], views_per_stage(config))
        out.extend(PlannedView(source, basis, due) for source, basis in chosen)
    return tuple(out)


def _differ(replay: Replay, pair: tuple[str, int], known: tuple[int, int]) -> bool:
    history = replay.history[pair[0]]
    return len(history) > 1 and known_at(history, known[0]).totals != known_at(history, known[1]).totals


def _distinct(pairs: Sequence[tuple[str, int]], count: int) -> list[tuple[str, int]]:
    """Return the first pairs of distinct sources."""
    firsts: dict[str, tuple[str, int]] = {}
    for pair in pairs:
        firsts.setdefault(pair[0], pair)
    return sorted(list(firsts.values())[:count])


def with_views(fired: Sequence[Fired], comparatives: Sequence[PlannedView], stages: int) -> tuple[AnyUpdate, ...]:
    """Return the updates with the view obligations that they add: one per affected source, unless it exists."""
    existing = {view.obligation_id for view in comparatives}
    out: list[AnyUpdate] = []
    for each in fired:
        update = each.found.update
        due = min(update.stage + 1, stages)
        views = [PlannedView(source, update.stage, due, update.id) for source in sorted(each.effect.evidence)]
        out.append(attrs.evolve(update, views=tuple(v for v in views if v.obligation_id not in existing)))
    return tuple(out)
