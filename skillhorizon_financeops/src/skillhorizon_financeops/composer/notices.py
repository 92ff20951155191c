"""The second pass: stages open again, and at the given ones an update is found that ends exactly what it should."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import After, Rng
from skillhorizon_financeops.composer.amendments import source_amended
from skillhorizon_financeops.composer.citing import Citing
from skillhorizon_financeops.composer.desk import Found, Search
from skillhorizon_financeops.composer.keyed import account_reassigned, contract_superseded, map_superseded
from skillhorizon_financeops.composer.shape import KINDS, shape
from skillhorizon_financeops.truth import Effect, Replay

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from skillhorizon_financeops.config import FinanceConfig

FINDERS: Mapping[str, Callable[[Search], Found | None]] = {
    "map_superseded": map_superseded,
    "account_reassigned": account_reassigned,
    "contract_superseded": contract_superseded,
    "source_amended": source_amended,
}


@attrs.frozen
class Fired:
    """An update as it was found, and what it truly changed."""

    found: Found
    effect: Effect


def notices(rng: Rng, config: FinanceConfig, replay: Replay) -> tuple[Fired, ...]:
    """Open the replay's stages, composing each update against the truth just before it fires."""
    citing, due = Citing(), config.notice_stages
    out: list[Fired] = []
    for stage in range(1, config.stages + 1):
        replay.open_stage()
        for source in replay.of_stage(stage):
            citing.put(source, replay.truths[source.source_id])
        if stage in due:
            out.append(_fire(rng.stream(stage), config, replay, (citing, len(out) + 1, stage)))
    return tuple(out)


def _fire(rng: Rng, config: FinanceConfig, replay: Replay, place: tuple[Citing, int, int]) -> Fired:
    citing, number, stage = place
    last = stage == config.stages
    released = config.maintenance and last
    decoy = number > 1 and not released and rng.chance(100 * shape(config).decoys)
    search = Search(
        rng=rng,
        config=config,
        replay=replay,
        citing=citing,
        id=f"N-{number:02}",
        stage=stage,
        trigger=After("released", 1) if released else After("stage_closed", stage),
        count=0 if decoy else config.breadth,
    )
    found = _find(search)
    effect = replay.learn(found.update)
    for source_id in effect.moved:
        citing.put(replay.sources[source_id], replay.truths[source_id])
    return Fired(found, effect)


def _find(search: Search) -> Found:
    """Find an update of the drawn kind, else of the next, at last one that ends one more or one fewer.

    Raises:
        LookupError: when nothing fits at all.
    """
    for attempt in _attempts(search):
        found = FINDERS[attempt[0]](attrs.evolve(search, count=attempt[1]))
        if found is not None:
            return found
    raise LookupError(f"no update fits stage {search.stage}; this cannot be with two sources or more per stage")


def _attempts(search: Search) -> Iterator[tuple[str, int]]:
    weighted = [(kind, weight) for kind, weight in zip(KINDS, shape(search.config).mix, strict=True) if weight]
    start = [kind for kind, _ in weighted].index(search.rng.weighted(weighted))
    kinds = [kind for kind, _ in weighted[start:] + weighted[:start]]
    counts = (0,) if search.decoy else (search.count, search.count + 1, search.count - 1)
    for count in counts:
        if count or search.decoy:
            yield from ((kind, count) for kind in kinds)
