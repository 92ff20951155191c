"""`shz eval --dry-run`: what a run would take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon.cli.eval import names, see_working_folder
from skillhorizon.cli.output import show

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from skillhorizon.evaluation.forecast import Forecast

_COLUMNS = {
    "skills": "skills",
    "executions": "executions",
    "reference_calls": "reference calls",
    "calls": "calls at most",
    "requests": "requests",
    "input": "input tokens",
    "output": "output tokens",
    "cost": "cost",
}


def show_plan(suite: Path, agent: str, conditions: Sequence[str], given: Mapping[str, Any], *, as_json: bool) -> None:
    """Print executions, calls, estimated tokens and price of each condition's run."""
    from skillhorizon.evaluation.forecast import forecast  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.evaluation.options import RunOptions  # noqa: PLC0415

    see_working_folder()
    fields = {name: value for name, value in given.items() if name not in ("out", "new", "database", "limits")}
    fields |= {name: names(fields[name]) for name in ("bands", "families")}
    price = given["limits"].price
    plans = [forecast(suite, agent, RunOptions(**fields, skills=skills), price) for skills in conditions]
    show([_row(plan) for plan in plans], _COLUMNS, as_json=as_json)


def _row(plan: Forecast) -> dict[str, Any]:
    used = plan.usage
    return {
        "skills": plan.skills,
        "executions": plan.executions,
        "reference_calls": plan.reference_calls,
        "calls": plan.calls,
        "requests": used.requests if used else None,
        "input": used.input if used else None,
        "output": used.output if used else None,
        "cost": None if plan.cost is None else format(plan.cost.quantize(plan.cost.__class__("0.01")), "f"),
    }
