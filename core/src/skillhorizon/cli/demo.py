"""`shz demo`: the whole way once, on two small tasks."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import emit, json_option

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.evaluation.metrics import Metrics

AGENTS = ("reference", "null")
TASKS = 2


@click.command("demo")
@click.argument("env", required=False)
@click.option("--out", type=click.Path(path_type=Path), help="Keep suite and runs in this folder.")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes at once; one per core by default.")
@json_option
def demo(*, env: str | None, out: Path | None, workers: int, as_json: bool) -> None:
    """Generate, validate and evaluate two small tasks.

    The tasks are of the smoke band of ENV, by default the first environment installed. The reference policy must reach
    everything, the null agent nothing.
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
        _say(f"Evaluating {' and '.join(AGENTS)}", quiet=as_json)
        cells = [cell for agent in AGENTS for cell in _cells(suite, agent, folder, workers)]
    if as_json:
        emit({"tasks": tasks, "verdicts": verdicts, "cells": [encode(cell) for cell in cells]})
    else:
        show_cells(cells, as_json=False)
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


def _cells(suite: Path, agent: str, folder: Path, workers: int) -> list[Metrics]:
    from skillhorizon.cli.eval import evaluated  # noqa: PLC0415

    return evaluated(suite, agent, out=folder / "runs" / agent, workers=workers).cells
