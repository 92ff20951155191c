"""`shz show RUN [TASK]`: what a run reached, and what it missed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.eval import show_cells
from skillhorizon.cli.output import emit, json_option, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from skillhorizon.evaluation.folder import Run
    from skillhorizon.evaluation.result import Result
    from skillhorizon.model.goal import Finding
    from skillhorizon.model.usage import Usage

_COLUMNS = ("task", "trial", "kind", "lgc", "ts", "reward", "unmet", "charged", "budget", "seconds")
_SPENT = ("tokens", "cost")
"""Columns of runs whose agent accounts for a model."""


@click.command("show")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.argument("task", required=False)
@click.option("--db", "database", default="", help="URL of the database, when it has a password.")
@json_option
def show(*, folder: Path, task: str | None, database: str, as_json: bool) -> None:
    """Show what a run reached and what it missed.

    With a task: how each of its executions ended, the unmet goals and requirements with their conditions, and the last
    calls that were refused.
    """
    from skillhorizon.evaluation.folder import read_run  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.results.database import Database  # noqa: PLC0415

    run = read_run(folder)
    with Database.of(run, database) as store:
        results = store.results(run.info.id)
    if task is None:
        _show_run(results, as_json=as_json)
    else:
        _show_task(run, [result for result in results if result.task == task], task, as_json=as_json)


def _show_run(results: list[Result], *, as_json: bool) -> None:
    import attrs  # noqa: PLC0415

    from skillhorizon.evaluation.metrics import cells  # noqa: PLC0415

    rows = [row_of(result) for result in results]
    columns = (*_COLUMNS, *(_SPENT if any(result.usage for result in results) else ()))
    if as_json:
        emit({"cells": [attrs.asdict(cell) for cell in cells(results)], "executions": rows})
        return
    show_cells(cells(results), as_json=False)
    click.echo()
    table(columns, [[row.get(key) for key in columns] for row in rows])


def row_of(result: Result) -> dict[str, Any]:
    """Return one execution as plain JSON: how it ended, its figures, how much is unmet."""
    from skillhorizon.evaluation.metrics import figures  # noqa: PLC0415

    score, spent = result.score, result.milliseconds
    row: dict[str, Any] = {"task": result.task, "trial": result.trial, "kind": str(result.kind), **figures(score)}
    row |= {"unmet": None if score is None else len(score.unmet), "charged": result.charged, "budget": result.budget}
    row |= {"seconds": None if spent is None else spent / 1000, "fault": result.fault}
    return row | _spent(result.usage, result.cost)


def _spent(usage: Usage | None, cost: int | None) -> dict[str, Any]:
    """Return what a model used and what that cost, as a decimal; nothing when it is not accounted for."""
    import attrs  # noqa: PLC0415

    from skillhorizon.model.usage import amount  # noqa: PLC0415

    if usage is None:
        return {}
    return {"usage": attrs.asdict(usage), "tokens": usage.tokens, "cost": None if cost is None else amount(cost)}


def _show_task(run: Run, results: list[Result], task: str, *, as_json: bool) -> None:
    from skillhorizon.errors import UnknownName  # noqa: PLC0415

    if not results:
        raise UnknownName(f"the run in {run.folder} has no execution of {task!r}; `shz show {run.folder}` lists them")
    told = [_execution(run, result) for result in results]
    if as_json:
        emit({"executions": told})
        return
    for execution in told:
        _tell(execution)


def _execution(run: Run, result: Result) -> dict[str, Any]:
    from skillhorizon.evaluation.reading import rejections  # noqa: PLC0415
    from skillhorizon.session.files import read_journal  # noqa: PLC0415

    path = run.journal(result.task, result.trial)
    refused = rejections(read_journal(path)) if path.exists() else []
    unmet = [] if result.score is None else findings(result.score.unmet)
    return row_of(result) | {"unmet": unmet, "last_rejections": refused, "journal": path.as_posix()}


def findings(unmet: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return unmet goals and requirements as plain JSON, each with all of its conditions."""
    return [{"id": finding.id, "conditions": dict(finding.conditions)} for finding in unmet]


def _tell(execution: Mapping[str, Any]) -> None:
    click.echo(f"{execution['task']}, trial {execution['trial']}: {execution['kind']} {execution['fault']}".rstrip())
    if execution["lgc"] is not None:
        tell_score(execution, execution["unmet"])
    if "usage" in execution:
        counts = ", ".join(f"{name} {count}" for name, count in execution["usage"].items())
        click.echo(f"the model used: {counts}" + (f"; cost {execution['cost']}" if execution["cost"] else ""))
    if execution["last_rejections"]:
        click.echo("last refused calls:")
        keys = ("call", "tool", "code", "message")
        table(keys, [[row[key] for key in keys] for row in execution["last_rejections"]])
    click.echo(f"journal: {execution['journal']}")


def tell_score(figures: Mapping[str, Any], unmet: Iterable[Mapping[str, Any]]) -> None:
    """Print LGC, TS and reward, and every unmet goal and requirement with what is missing."""
    click.echo(f"LGC {figures['lgc']:.3f}  TS {figures['ts']:.0f}  reward {figures['reward']:.3f}")
    rows = [(finding["id"], *_split(finding["conditions"])) for finding in unmet]
    if rows:
        table(("unmet", "holds", "missing"), rows)


def _split(conditions: Mapping[str, bool]) -> tuple[str, str]:
    missing = [name for name, holds in conditions.items() if not holds]
    return f"{len(conditions) - len(missing)} of {len(conditions)}", ", ".join(missing)
