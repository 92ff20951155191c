"""Notices in finished runs: what each one ends, in the world, is what truth says that it affects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from financeops_runs import begun

from skillhorizon_financeops.config import FAMILIES, FinanceConfig

if TYPE_CHECKING:
    from financeops_runs import Run

CELLS = [(family, variant) for family, variants in FAMILIES.items() for variant in variants]


def ended_by_notices(run: Run) -> dict[str, dict[str, set[str]]]:
    """Notice -> kind -> subjects of the artifacts that ended in the call that fired it, because of it."""
    found: dict[str, dict[str, set[str]]] = {}
    for record in run.finished().records:
        for notice in record.fired:
            kinds = found.setdefault(notice, {})
            for ref, _, cause in record.ended:
                if cause == notice:
                    kind, _, subject = ref.rpartition("@")[0].partition(":")
                    kinds.setdefault(kind, set()).add(subject)
    return found


@pytest.mark.parametrize(("family", "variant"), CELLS)
def test_a_notice_ends_the_normalizations_that_truth_says_and_nothing_near(family: str, variant: str) -> None:
    stages = 6 if variant != "rolling-views" else 12
    run = begun(FinanceConfig(family, variant, stages, 6, updates="more"), 11)
    ended = ended_by_notices(run)
    assert list(ended) == [update.id for update in run.plan.updates]
    for update in run.plan.updates:
        affected = set(run.plan.truth.evidence[update.id])
        assert ended[update.id].get("NRM", set()) == affected
        assert not ended[update.id].get("NRM", set()) & set(run.plan.truth.near[update.id])
        assert ended[update.id].get("VW", set()) == set()
        assert bool(ended[update.id]) != update.decoy


@pytest.mark.parametrize(("family", "variant"), CELLS)
def test_a_notice_ends_the_closures_from_the_earliest_affected_stage_on(family: str, variant: str) -> None:
    run = begun(FinanceConfig(family, variant, 6, 6), 12)
    stages = {source.source_id: source.stage for source in run.plan.facts.sources}
    for notice, ended in ended_by_notices(run).items():
        update = next(each for each in run.plan.updates if each.id == notice)
        affected = run.plan.truth.evidence[notice]
        first = min((stages[source] for source in affected), default=update.stage + 1)
        assert ended.get("CLS", set()) == {str(stage) for stage in range(first, update.stage + 1)}
