"""Metrics of a run: cells of environment x band x agent, every execution with equal weight (protocol, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon.evaluation.terminal import Terminal
from skillhorizon.model.workload import BANDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from skillhorizon.evaluation.result import Result
    from skillhorizon.model.score import Score


@attrs.frozen(kw_only=True)
class Metrics:
    """One cell: `n` scored executions; means of LGC, TS and reward as fractions 0..1, None when nothing was scored."""

    env: str
    band: str
    agent: str
    n: int
    lgc: float | None
    ts: float | None
    reward: float | None
    infrastructure_errors: int


def cells(results: Iterable[Result]) -> list[Metrics]:
    """Return the cells of some results, by environment, band from small to large, and agent."""
    grouped: dict[tuple[str, str, str], list[Result]] = {}
    for result in results:
        grouped.setdefault((result.environment, result.cell.band, result.agent), []).append(result)
    order = {band.name: i for i, band in enumerate(BANDS)}
    keys = sorted(grouped, key=lambda key: (key[0], order.get(key[1], len(order)), key[1], key[2]))
    return [_cell(key, grouped[key]) for key in keys]


def _cell(key: tuple[str, str, str], results: Sequence[Result]) -> Metrics:
    scores = [result.score for result in results if result.scored and result.score is not None]
    env, band, agent = key
    return Metrics(
        env=env,
        band=band,
        agent=agent,
        n=len(scores),
        lgc=_mean([score.lgc for score in scores]),
        ts=_mean([float(score.success) for score in scores]),
        reward=_mean([score.reward for score in scores]),
        infrastructure_errors=sum(result.kind == Terminal.INFRASTRUCTURE_ERROR for result in results),
    )


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def figures(score: Score | None) -> dict[str, float | None]:
    """Return LGC, TS and reward of one execution as fractions 0..1, None when it was not scored."""
    if score is None:
        return {"lgc": None, "ts": None, "reward": None}
    return {"lgc": score.lgc, "ts": float(score.success), "reward": score.reward}
