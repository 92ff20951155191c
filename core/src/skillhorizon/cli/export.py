"""`shz export traces RUN`: what a run recorded, for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillhorizon.cli.output import Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.evaluation.folder import Run


@click.group("export")
def export() -> None:
    """Export what a run recorded."""


@export.command("traces")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="File to write; stdout by default.")
def traces(*, folder: Path, out: Path | None) -> None:
    """Export every call of every scored execution as a JSON line.

    Keys: task, agent, trial, index, turn, call, observation, outcome, charged, reward, cumulative_reward. The reward of
    a call is the dense reward of the state after it less that before it; cumulative_reward is that of the state itself.
    """
    from skillhorizon.evaluation.folder import read_run  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.evaluation.lines import write_lines  # noqa: PLC0415

    lines = _lines(read_run(folder))
    if out is not None:
        write_lines(out, lines)
        return
    for line in lines:
        sys.stdout.buffer.write(line)


def _lines(run: Run) -> Iterator[bytes]:
    from skillhorizon.evaluation.lines import traces_of  # noqa: PLC0415

    journals = sorted((run.folder / "journals").glob("*/*.jsonl.gz"))
    with Progress("exporting", len(journals)) as bar:
        for path in bar.over(journals):
            yield from traces_of(path, run.suite)
