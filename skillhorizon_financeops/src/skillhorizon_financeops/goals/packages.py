"""The goals of the sources: each one's package is valid and true, closed, and shown in its views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from skillhorizon import Finding
from skillhorizon_financeops.goals.state import State, same_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon_financeops.plan import Plan, SourceTruth
    from skillhorizon_financeops.rows import Source

Conditions = Mapping[str, bool]
_NONE: Conditions = {}


def source_findings(state: State, plan: Plan) -> tuple[Finding, ...]:
    """Judge the goals `source:p`, each by conditions (1) to (5), in the plan's order."""
    sources = plan.facts.sources
    names = [source.source_id for source in sources]
    truths = [plan.truth.sources[name] for name in names]
    shown = _views(state, plan)
    judged = zip(
        names,
        _normalizations(state, names, truths),
        _matches(state, names, truths),
        _aggregates(state, sources, truths),
        strict=True,
    )
    return tuple(
        [
            Finding(f"source:{name}", {**normalized, **matched, **totalled, **shown.get(name, _NONE)})
            for name, normalized, matched, totalled in judged
        ]
    )


def _contents(state: State, kind: str, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return the valid contents of one kind by source; without one, or with one of another form, it is empty."""
    contents = map(state.valid.contents.get, [f"{kind}:{name}" for name in names])
    return [content if type(content) is dict else _NONE for content in contents]


def _normalizations(state: State, names: Sequence[str], truths: Sequence[SourceTruth]) -> list[Conditions]:
    """Judge condition (1)."""
    contents, numbers, citations = _contents(state, "NRM", names), state.valid.numbers, state.citations
    records = same_rows([content.get("records") for content in contents], [truth.records for truth in truths])
    return [
        {
            "normalization_valid": bool(content),
            "records_true": same,
            "contract_true": content.get("contract_id") == truth.contract_id,
            "identity_source_true": content.get("identity_source_id") == truth.identity_source_id,
            "policy_true": content.get("conflict_policy") == truth.conflict_policy,
            "citations_true": citations.get((name, numbers.get(f"NRM:{name}"))) == truth.citations,
        }
        for name, truth, content, same in zip(names, truths, contents, records, strict=True)
    ]


def _matches(state: State, names: Sequence[str], truths: Sequence[SourceTruth]) -> list[Conditions]:
    """Judge condition (2), of remittances."""
    contents = _contents(state, "MAT", names)
    lines = same_rows([content.get("lines") for content in contents], [truth.lines for truth in truths])
    on_account = same_rows([content.get("on_account") for content in contents], [truth.on_account for truth in truths])
    return [
        _NONE
        if truth.lines is None or truth.on_account is None
        else {"match_valid": bool(content), "lines_true": matched, "on_account_true": left}
        for truth, content, matched, left in zip(truths, contents, lines, on_account, strict=True)
    ]


def _aggregates(state: State, sources: Sequence[Source], truths: Sequence[SourceTruth]) -> list[Conditions]:
    """Judge conditions (3) and (4)."""
    names = [source.source_id for source in sources]
    contents, refs = _contents(state, "AGG", names), [state.valid.ref(f"AGG:{name}") for name in names]
    totals = same_rows([content.get("totals") for content in contents], [truth.totals for truth in truths])
    return [
        {
            "aggregate_valid": ref is not None,
            "totals_true": same,
            "stage_closed": f"CLS:{source.stage}" in state.valid.numbers,
            "closed_with_aggregate": (f"CLS:{source.stage}", ref) in state.cited,
        }
        for source, ref, same in zip(sources, refs, totals, strict=True)
    ]


def _views(state: State, plan: Plan) -> dict[str, dict[str, bool]]:
    """Judge condition (5) for each source with planned views."""
    views = plan.views
    out: dict[str, dict[str, bool]] = {view.source_id: {} for view in views}
    contents = [state.views.contents.get(f"VW:{view.subject}", _NONE) for view in views]
    totals = same_rows([content.get("totals") for content in contents], [plan.truth.views[v.subject] for v in views])
    for view, same in zip(views, totals, strict=True):
        closed = (f"CLS:{view.due}", state.views.ref(f"VW:{view.subject}")) in state.cited
        out[view.source_id][f"view_true:{view.subject}"] = same
        out[view.source_id][f"view_closed:{view.subject}/{view.due}"] = closed
    return out
