"""`shz view TASK`: a task's graph, in numbers or as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import emit, json_option, table

if TYPE_CHECKING:
    from skillhorizon.model.task import Task


@click.command("view")
@click.argument("path", metavar="TASK", type=click.Path(path_type=Path))
@click.option("--svg", "picture", type=click.Path(path_type=Path), help="Also write a picture of the graph.")
@json_option
def view(*, path: Path, picture: Path | None, as_json: bool) -> None:
    """Draw a task's graph.

    It shows the modules of required work by kind and how they depend on each other: more than an agent is told.
    """
    from skillhorizon.construction.suites import load_task  # noqa: PLC0415  # imports the whole machinery

    task = load_task(path)
    if picture is not None:
        _paint(task, picture)
    found = _described(task)
    if as_json:
        emit(found)
        return
    kinds = found.pop("kinds")
    table(["measure", "value"], [[name.replace("_", " "), value] for name, value in found.items()])
    click.echo()
    table(["kind of module", "modules"], list(kinds.items()))


def _paint(task: Task, picture: Path) -> None:
    from skillhorizon.cli.picture import draw  # noqa: PLC0415
    from skillhorizon.construction.files import write_whole  # noqa: PLC0415

    write_whole(picture, draw(task.blueprint.graph, task.id))


def _described(task: Task) -> dict[str, Any]:
    from skillhorizon.model.codec import encode  # noqa: PLC0415

    measured = task.measurement
    return {
        "task": task.id,
        "tokens": measured.l_ref,
        "calls": measured.calls,
        "budget": measured.budget,
        "goals": len(task.blueprint.goals),
        "requirements": len(task.blueprint.requirements),
        **encode(task.blueprint.shape),
    }
