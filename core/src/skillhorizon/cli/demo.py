"""`shz demo`: the whole way once, on two small tasks."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import emit, json_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from skillhorizon.evaluation.result import Result
    from skillhorizon.evaluation.runs import Evaluation

AGENTS = ("reference", "null")
FLAWED = {"early-stop:0.5": "stops when half of the modules are done", "update-blind": "skips what updates ask for"}
TASKS = 2


@click.command("demo")
@click.argument("env", required=False)
@click.option("--out", type=click.Path(path_type=Path), help="Keep suite and runs in this folder.")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes at once; one per core by default.")
@json_option
def demo(*, env: str | None, out: Path | None, workers: int, as_json: bool) -> None:
    """Generate, validate and evaluate two small tasks.

    The tasks are of the smoke band of ENV, by default the first environment installed. The reference policy must reach
    everything, the null agent nothing; two agents with a flaw show what it loses.
    """
    from skillhorizon.cli.eval import show_cells  # noqa: PLC0415  # the commands' own modules, loaded when it runs
    from skillhorizon.cli.generate import task_rows  # noqa: PLC0415
    from skillhorizon.model.codec import encode  # noqa: PLC0415

    name = env or _first()
    with _folder(out) as folder:
        suite = folder / "suite"
        _say(f"Generating {TASKS} smoke tasks of {name}, each proven by its reference run", quiet=as_json)
        tasks = task_rows(suite, _generated(name, suite, workers))
        _say(f"Validating them: {', '.join(str(task['tokens']) for task in tasks)} tokens", quiet=as_json)
        verdicts = _validated(suite, workers, quiet=as_json)
        _say(f"Evaluating {' and '.join(AGENTS)}, then {' and '.join(FLAWED)}", quiet=as_json)
        runs = {agent: _evaluated(suite, agent, folder, workers) for agent in (*AGENTS, *FLAWED)}
    cells = [cell for run in runs.values() for cell in run.cells]
    losses = {agent: _losses(runs[agent].results) for agent in FLAWED}
    if as_json:
        emit({"tasks": tasks, "verdicts": verdicts, "cells": [encode(cell) for cell in cells], "losses": losses})
    else:
        show_cells(cells, as_json=False)
        for agent, lost in losses.items():
            click.echo(f"{agent} {FLAWED[agent]}, and loses {_told(lost)}")
        click.echo(f"The suite and the runs are in {out}" if out else "--out DIR keeps the suite and the runs")
    if any(verdict["fault"] for verdict in verdicts) or any(cell.infrastructure_errors for cell in cells):
        raise click.exceptions.Exit(1)


def _first() -> str:
    """Return the first environment whose metadata shows no fault."""
    from skillhorizon import registry  # noqa: PLC0415
    from skillhorizon.errors import UnknownName  # noqa: PLC0415

    for item in registry.listed():
        if not item.fault:
            return item.name
    raise UnknownName("no usable environment is installed; `shz doctor` tells why, pip install one if there is none")


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    import tempfile  # noqa: PLC0415

    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="shz-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _say(text: str, *, quiet: bool) -> None:
    if not quiet:
        click.echo(f"{text} ...")


def _generated(name: str, suite: Path, workers: int) -> Any:
    from skillhorizon.cli.generate import generated  # noqa: PLC0415
    from skillhorizon.construction.generate import Order  # noqa: PLC0415

    return generated(Order(environment=name, bands=("smoke",), per_band=TASKS), suite, workers)


def _validated(suite: Path, workers: int, *, quiet: bool) -> list[dict[str, Any]]:
    from skillhorizon.cli.validate import validated  # noqa: PLC0415

    return validated(suite, workers=workers, quiet=quiet)


def _evaluated(suite: Path, agent: str, folder: Path, workers: int) -> Evaluation:
    from skillhorizon.cli.eval import evaluated  # noqa: PLC0415

    return evaluated(suite, agent, out=folder / "runs" / agent.partition(":")[0], workers=workers)


def _losses(results: Iterable[Result]) -> dict[str, Any]:
    """Return how many goals of how many, and which requirements, some executions left unmet."""
    scores = [result.score for result in results if result.score is not None]
    lost = [score.goals - score.goals_met for score in scores]
    requirements = {finding.id for score, goals in zip(scores, lost, strict=True) for finding in score.unmet[goals:]}
    return {"goals": sum(lost), "of": sum(score.goals for score in scores), "requirements": sorted(requirements)}


def _told(lost: dict[str, Any]) -> str:
    """Return a loss in words.

    >>> _told({"goals": 7, "of": 16, "requirements": ["D1", "D4"]})
    '7 of 16 goals, and D1, D4'
    """
    named = ", ".join(lost["requirements"])
    return f"{lost['goals']} of {lost['of']} goals{', and ' if named else ''}{named}"
