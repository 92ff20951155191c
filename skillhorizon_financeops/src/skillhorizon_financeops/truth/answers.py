"""The answers of a finished replay: balances, views, evidence (R8, R9, R12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from skillhorizon_financeops.plan import AnyUpdate, PlannedView, SourceTruth, Truth

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import Entity
    from skillhorizon_financeops.truth.replay import Effect, Replay

History = Sequence[tuple[int, SourceTruth]]


def known_at(history: History, notices: int) -> SourceTruth:
    """Return what was true of a source when so many notices were known; the earliest truth when it was not open."""
    return next((truth for since, truth in reversed(history) if since <= notices), history[0][1])


def notices_before(updates: Iterable[AnyUpdate], stage: int) -> int:
    """Return how many notices K(stage) contains: those of earlier stages (R9)."""
    return sum(update.stage < stage for update in updates)


def _balances(
    replay: Replay, entities: Sequence[Entity], stages: int
) -> tuple[dict[int, Mapping[str, int]], dict[int, Mapping[str, int]]]:
    closing: dict[int, Mapping[str, int]] = {0: {entity.entity: entity.opening for entity in entities}}
    movement: dict[int, Mapping[str, int]] = {}
    net = {stage: dict.fromkeys(closing[0], 0) for stage in range(1, stages + 1)}
    for source_id, truth in replay.truths.items():
        moved = net[replay.sources[source_id].stage]
        for entity, _, amount in truth.totals:
            moved[entity] += amount
    for stage in range(1, stages + 1):
        movement[stage] = net[stage]
        closing[stage] = {entity: amount + net[stage][entity] for entity, amount in closing[stage - 1].items()}
    return movement, closing


def answers(
    replay: Replay,
    entities: Sequence[Entity],
    updates: Sequence[AnyUpdate],
    views: Iterable[PlannedView],
    effects: Mapping[str, tuple[Effect, tuple[str, ...]]],
) -> Truth:
    """Gather the truth of a plan after its last update.

    Args:
        replay: the finished replay.
        entities: all twelve, with opening balances.
        updates: in the order of firing.
        views: every planned view.
        effects: notice id -> (its effect, its near misses).
    """
    movement, closing = _balances(replay, entities, replay.stage)
    known = {stage: notices_before(updates, stage) for stage in range(1, replay.stage + 1)}
    return Truth(
        sources=dict(replay.truths),
        history={source_id: tuple(entries) for source_id, entries in replay.history.items()},
        views={v.subject: known_at(replay.history[v.source_id], known[v.basis]).totals for v in views},
        evidence={notice: effect.evidence for notice, (effect, _) in effects.items()},
        moved={notice: effect.moved for notice, (effect, _) in effects.items()},
        near={notice: near for notice, (_, near) in effects.items()},
        movement=movement,
        closing=closing,
    )
