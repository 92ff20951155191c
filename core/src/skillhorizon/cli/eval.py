"""`shz eval SUITE`: an agent over a suite."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import Progress, counted, json_option, show, warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon.evaluation.metrics import Metrics
    from skillhorizon.evaluation.result import Result
    from skillhorizon.evaluation.runs import Evaluation

CELLS = {
    "env": "env",
    "band": "band",
    "agent": "agent",
    "n": "n",
    "lgc": "LGC",
    "ts": "TS",
    "reward": "reward",
    "infrastructure_errors": "infrastructure errors",
}
"""Keys of a cell and their headings."""
_MOST_LISTED = 5


@click.command("eval")
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--agent", required=True, help="NAME, NAME:OPTIONS, or your own as MODULE:ATTRIBUTE.")
@click.option("--tasks", default="*", show_default=True, help="Pattern of task ids.")
@click.option("--bands", default="", help="Bands, such as 64k,1m; all by default.")
@click.option("--families", default="", help="Families, such as a,b; all by default.")
@click.option("--limit", type=click.IntRange(min=0), default=0, help="At most so many tasks; no limit by default.")
@click.option("--trials", type=click.IntRange(min=1), default=1, show_default=True, help="Executions of each task.")
@click.option("--allowance", default="0.5", show_default=True, help="Calls beyond the reference's, as a share of them.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run; shz-runs/SUITE/AGENT by default.")
@click.option("--new", is_flag=True, help="Start another run beside the one that exists.")
@click.option("--db", "database", default="", help="URL of a database; results.db in the run's folder by default.")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes at once; one per core by default.")
@json_option
def evaluate(*, suite: Path, agent: str, workers: int, as_json: bool, **given: Any) -> None:
    """Run an agent over a suite and score it.

    The same command goes on where an earlier one was stopped, and prints again when everything is done. Executions that
    ended in an infrastructure error are not scored; the same command runs them again.
    """
    done = evaluated(suite, agent, workers=workers, **given)
    if done.warnings:
        warn("; ".join(done.warnings))
    show_cells(done.cells, as_json=as_json)
    if not as_json:
        click.echo(f"{counted(len(done.results), 'execution')} in {done.run.folder}")
    if done.infrastructure_errors:
        warn(_listed(done.infrastructure_errors))
        click.get_current_context().exit(1)


def evaluated(
    suite: Path,
    agent: str,
    *,
    workers: int = 0,
    out: Path | None = None,
    new: bool = False,
    database: str = "",
    **given: Any,
) -> Evaluation:
    """Evaluate with a progress bar; `given` are the fields of RunOptions, lists as comma-separated text.

    Raises:
        KeyboardInterrupt: with a text that tells how to go on.
    """
    from skillhorizon.evaluation.options import RunOptions  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.results.evaluating import evaluate as run  # noqa: PLC0415

    _see_working_folder()
    given |= {name: _names(given[name]) for name in ("bands", "families") if isinstance(given.get(name), str)}
    options = RunOptions(**given)
    with _Bar(f"evaluating {agent}") as bar:
        try:
            return run(suite, agent, options, out=out, new=new, database=database, workers=workers, progress=bar.told)
        except KeyboardInterrupt:
            if not bar.total:
                raise
            raise KeyboardInterrupt(
                f"the evaluation was stopped by Ctrl-C; {bar.done} of {bar.total} executions are done and kept, "
                "and the same command goes on from there"
            ) from None


class _Bar:
    """A progress bar whose total is known once the work starts."""

    def __init__(self, label: str) -> None:
        self.done = self.total = 0
        self._label = label
        self._bar: Progress | None = None

    def told(self, done: int, total: int) -> None:
        """Show that `done` of `total` executions are done."""
        if self._bar is None:
            self._bar = Progress(self._label, total)
        self._bar.advance(done - self.done)
        self.done, self.total = done, total

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(*error)


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _see_working_folder() -> None:
    """Let MODULE:ATTRIBUTE name a module of the working folder, here and in worker processes."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)


def show_cells(cells: Iterable[Metrics], *, as_json: bool) -> None:
    """Print cells as a table, or as a JSON list."""
    import attrs  # noqa: PLC0415

    show([attrs.asdict(cell) for cell in cells], CELLS, as_json=as_json)


def _listed(errors: list[Result]) -> str:
    named = "; ".join(f"{e.task}, trial {e.trial}: {e.fault}" for e in errors[:_MOST_LISTED])
    more = f"; and {len(errors) - _MOST_LISTED} more" if len(errors) > _MOST_LISTED else ""
    return (
        f"{len(errors)} executions ended in an infrastructure error and are not scored ({named}{more}); "
        "the same command runs them again"
    )
