"""The goal of one source: its package is valid and true, closed, and shown in its views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Finding
from skillhorizon_financeops.goals.state import State, same_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon_financeops.plan import Plan, PlannedView, SourceTruth
    from skillhorizon_financeops.rows import Source


def source_finding(state: State, plan: Plan, source: Source, views: Iterable[PlannedView]) -> Finding:
    """Judge goal `source:p` by conditions (1) to (5)."""
    name, truth = source.source_id, plan.truth.sources[source.source_id]
    conditions = {
        **_normalization(state, name, truth),
        **_match(state, name, truth),
        **_aggregate(state, source, truth),
        **dict(_views(state, plan, views)),
    }
    return Finding(f"source:{name}", conditions)


def _normalization(state: State, name: str, truth: SourceTruth) -> dict[str, bool]:
    """Judge condition (1)."""
    content = state.content(f"NRM:{name}") or {}
    return {
        "normalization_valid": bool(content),
        "records_true": same_rows(content.get("records"), truth.records),
        "contract_true": content.get("contract_id") == truth.contract_id,
        "identity_source_true": content.get("identity_source_id") == truth.identity_source_id,
        "policy_true": content.get("conflict_policy") == truth.conflict_policy,
        "citations_true": state.citations.get(f"NRM:{name}") == truth.citations,
    }


def _match(state: State, name: str, truth: SourceTruth) -> dict[str, bool]:
    """Judge condition (2), of remittances."""
    if truth.lines is None or truth.on_account is None:
        return {}
    content = state.content(f"MAT:{name}") or {}
    return {
        "match_valid": bool(content),
        "lines_true": same_rows(content.get("lines"), truth.lines),
        "on_account_true": same_rows(content.get("on_account"), truth.on_account),
    }


def _aggregate(state: State, source: Source, truth: SourceTruth) -> dict[str, bool]:
    """Judge conditions (3) and (4)."""
    version, closure = state.valid.get(f"AGG:{source.source_id}"), f"CLS:{source.stage}"
    return {
        "aggregate_valid": version is not None,
        "totals_true": version is not None and same_rows(version.content["totals"], truth.totals),
        "stage_closed": closure in state.valid,
        "closed_with_aggregate": state.cites(closure, version),
    }


def _views(state: State, plan: Plan, views: Iterable[PlannedView]) -> Iterator[tuple[str, bool]]:
    """Judge condition (5) for each planned view."""
    for view in views:
        latest = state.views.get(f"VW:{view.subject}")
        true = latest is not None and same_rows(latest.content["totals"], plan.truth.views[view.subject])
        yield f"view_true:{view.subject}", true
        yield f"view_closed:{view.subject}/{view.due}", state.cites(f"CLS:{view.due}", latest)
