"""Delivery of balances: accounting (D1), review (D2), release (D3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon_financeops.goals.state import State
    from skillhorizon_financeops.plan import Plan


def _all(state: State, plan: Plan, kind: str) -> bool:
    return all(f"{kind}:{stage}" in state.valid.numbers for stage in range(1, plan.stages + 1))


def _balances(state: State, field: str, true: Mapping[int, Mapping[str, int]], stages: int) -> bool:
    closures = {stage: state.content(f"CLS:{stage}") for stage in range(1, stages + 1)}
    return all(content is not None and content[field] == true[stage] for stage, content in closures.items())


def accounting(state: State, plan: Plan) -> dict[str, bool]:
    """Judge D1: all closures valid; movement and closing true (R8)."""
    return {
        "closures_valid": _all(state, plan, "CLS"),
        "movements_true": _balances(state, "movement", plan.truth.movement, plan.stages),
        "closings_true": _balances(state, "closing", plan.truth.closing, plan.stages),
    }


def review(state: State, plan: Plan) -> dict[str, bool]:
    """Judge D2: all reviews valid, without findings (R10)."""
    contents = [state.content(f"RVW:{stage}") for stage in range(1, plan.stages + 1)]
    return {
        "reviews_valid": _all(state, plan, "RVW"),
        "no_findings": all(content is not None and not content["findings"] for content in contents),
    }


def release(state: State, plan: Plan, fired: Sequence[str]) -> dict[str, bool]:
    """Judge D3: all notices fired; all publications and the release valid; its balances true."""
    content = state.content("REL:release")
    notices = {"notices_fired": len(fired) == len(plan.updates)} if plan.updates else {}
    return {
        **notices,
        "stages_published": _all(state, plan, "PUB"),
        "release_valid": content is not None,
        "balances_true": content is not None and content["balances"] == plan.truth.closing[plan.stages],
    }
