from __future__ import annotations

from skillhorizon.evaluation.metrics import cells
from skillhorizon.evaluation.result import Result
from skillhorizon.model.score import Score
from skillhorizon.model.task import Cell


def result(band: str, met: int, *, trial: int = 1, kind: str = "submitted", agent: str = "a") -> Result:
    score = Score(goals_met=met, goals=4, success=met == 4, reward=met / 4, unmet=())
    return Result(
        task=f"t-{band}",
        digest="d",
        environment="bakery",
        cell=Cell(band=band, family="plain", variant="rye"),
        agent=agent,
        trial=trial,
        kind=kind,
        score=None if kind == "infrastructure_error" else score,
    )


def test_every_execution_has_equal_weight() -> None:
    (cell,) = cells([result("64k", 4), result("64k", 1, trial=2), result("64k", 0, trial=3, kind="budget_exhausted")])
    assert (cell.n, cell.lgc, cell.ts) == (3, (1 + 0.25 + 0) / 3, 1 / 3)
    assert cell.reward == cell.lgc


def test_infrastructure_errors_are_counted_and_never_scored() -> None:
    (cell,) = cells([result("64k", 4), result("64k", 0, trial=2, kind="infrastructure_error")])
    assert (cell.n, cell.lgc, cell.infrastructure_errors) == (1, 1.0, 1)


def test_a_cell_without_scores_has_no_means() -> None:
    (cell,) = cells([result("64k", 0, kind="infrastructure_error")])
    assert (cell.n, cell.lgc, cell.ts, cell.reward, cell.infrastructure_errors) == (0, None, None, None, 1)


def test_cells_stand_by_band_from_small_to_large_and_agent() -> None:
    mixed = [result("1m", 0), result("64k", 0, agent="b"), result("256k", 0), result("64k", 0)]
    assert [(c.band, c.agent) for c in cells(mixed)] == [("64k", "a"), ("64k", "b"), ("256k", "a"), ("1m", "a")]
