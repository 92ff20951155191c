"""`shz runs [DIR]`: the runs below a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import json_option, show

if TYPE_CHECKING:
    from skillhorizon.evaluation.folder import Run

_COLUMNS = {
    "run": "run",
    "suite": "suite",
    "agent": "agent",
    "scored": "scored",
    "executions": "of",
    "infrastructure_errors": "infrastructure errors",
    "fault": "fault",
}


@click.command("runs")
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), default=Path("shz-runs"))
@json_option
def runs(*, folder: Path, as_json: bool) -> None:
    """List the runs below a folder, shz-runs by default."""
    from skillhorizon.evaluation.folder import runs_below  # noqa: PLC0415  # imports the whole machinery

    rows = [_row(found) for found in runs_below(folder)]
    columns = {key: heading for key, heading in _COLUMNS.items() if key != "fault" or any(row["fault"] for row in rows)}
    show(rows, columns, as_json=as_json, empty=f"no runs below {folder}; `shz eval SUITE --agent NAME` makes one")


def _row(folder: Path) -> dict[str, Any]:
    from skillhorizon.errors import SkillHorizonError  # noqa: PLC0415
    from skillhorizon.evaluation.folder import read_run  # noqa: PLC0415

    unknown = dict.fromkeys(_COLUMNS) | {"run": folder.as_posix(), "fault": ""}
    try:
        run = read_run(folder)
        return unknown | _described(run)
    except SkillHorizonError as error:
        return unknown | {"fault": str(error)}


def _described(run: Run) -> dict[str, Any]:
    from skillhorizon.evaluation.terminal import Terminal  # noqa: PLC0415
    from skillhorizon.results.database import Database  # noqa: PLC0415

    with Database.of(run) as store:
        results = store.results(run.info.id)
    scored = sum(result.scored for result in results)
    broken = sum(result.kind == Terminal.INFRASTRUCTURE_ERROR for result in results)
    info = run.info
    about = {"suite": info.suite_name, "agent": info.agent, "executions": info.executions}
    return about | {"scored": scored, "infrastructure_errors": broken}
