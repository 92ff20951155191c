"""`shz generate ENV`: a suite of proven tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import Progress, counted, emit, json_option, table

if TYPE_CHECKING:
    from skillhorizon.construction.generate import Order
    from skillhorizon.model.task import Suite

_HEADINGS = ("task", "tokens", "calls", "budget", "modules", "depth", "joins", "goals")


@click.command("generate")
@click.argument("env")
@click.option("--bands", required=True, help="Bands of workload, such as 64k,1m; smoke is for trying things.")
@click.option("--per-band", type=click.IntRange(min=1), default=10, show_default=True, help="Tasks in each band.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder of the suite.")
@click.option("--split", type=click.Choice(["dev", "eval"]), default="dev", show_default=True, help="Which seeds.")
@click.option("--seed", type=click.IntRange(0, 2**53 - 1), default=0, show_default=True, help="Which suite of them.")
@click.option("--policy", default="reference", show_default=True, help="Reference policy that proves and is pinned.")
@click.option("--skills-library", "skills", default="reference", show_default=True, help="Skills that agents get.")
@click.option("--slack", type=int, help="Resources over need, in basis points; the environment's own by default.")
@click.option("--updates", help="How much changes under way: none, default or more.")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes at once; one per core by default.")
@json_option
def generate(*, env: str, out: Path, workers: int, as_json: bool, **options: Any) -> None:
    """Generate a suite of proven tasks.

    Every task is proven by the reference policy before it is written. The same command goes on where an earlier one was
    stopped, and changes nothing when it is complete.
    """
    suite = generated(_order(env, **options), out, workers)
    rows = task_rows(out, suite)
    if as_json:
        emit({"suite": suite.name, "folder": str(out), "tasks": rows})
        return
    table(_HEADINGS, [[row[key] for key in _HEADINGS] for row in rows])
    click.echo(f"{counted(len(rows), 'task')} in {out}")


def _order(env: str, *, bands: str, slack: int | None, updates: str | None, **options: Any) -> Order:
    from skillhorizon.construction.generate import Order  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.model.workload import band  # noqa: PLC0415

    names = tuple(dict.fromkeys(band(name.strip()).name for name in bands.split(",")))
    chosen = {"slack": slack, "updates": updates}
    own = {name: value for name, value in chosen.items() if value is not None}
    return Order(environment=env, bands=names, options=own, **options)


def generated(order: Order, out: Path, workers: int = 0) -> Suite:
    """Generate a suite with a progress bar.

    Raises:
        KeyboardInterrupt: with a text that tells how to go on.
    """
    from skillhorizon.construction.generate import generate as make  # noqa: PLC0415

    with Progress("generating", len(order.bands) * order.per_band) as bar:
        try:
            return make(order, out, workers=workers, progress=lambda entry, _task: bar.advance(note=entry.id))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"generation was stopped by Ctrl-C; the tasks that were proven stay in {out}, "
                "and the same command goes on from there"
            ) from None


def task_rows(folder: Path, suite: Suite) -> list[dict[str, Any]]:
    """Return one row per task of a suite: its cell, workload in tokens, calls and shape."""
    from skillhorizon.construction.suites import load_entry  # noqa: PLC0415

    rows = []
    for entry in suite.tasks:
        task = load_entry(folder, entry)
        measured, shape = task.measurement, task.blueprint.shape
        row: dict[str, Any] = {
            "task": task.id,
            "band": task.cell.band,
            "family": task.cell.family,
            "variant": task.cell.variant,
        }
        row |= {"tokens": measured.l_ref, "calls": measured.calls, "budget": measured.budget}
        row |= {"modules": shape.modules, "depth": shape.depth, "joins": shape.joins}
        rows.append(row | {"goals": len(task.blueprint.goals), "digest": entry.digest})
    return rows
