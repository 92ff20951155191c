"""`shz eval SUITE`: an agent over a suite."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import Progress, counted, json_option, show, warn

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon.evaluation.limits import Limits
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


class _Amount(click.ParamType[Decimal]):
    """A positive amount of money."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        """Parse it exactly."""
        try:
            amount = Decimal(value)
        except InvalidOperation:
            amount = Decimal(0)
        if not (amount.is_finite() and amount > 0):
            self.fail(f"{value!r} is no positive amount such as 2.50", param, ctx)
        return amount


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
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    default=0,
    help="Processes at once, one per core by default; executions at once for a model, eight by default.",
)
@click.option("--agent-option", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the agent's own.")
@click.option("--skills", multiple=True, help="Skills condition; given more than once, one run each on the same tasks.")
@click.option(
    "--allow-scripts",
    "scripts",
    is_flag=False,
    flag_value="confined",
    default="no",
    metavar="[unconfined]",
    help="Run the scripts of a pack, confined, or unconfined if said so.",
)
@click.option("--notes", is_flag=True, help="Offer the agent a notebook that survives compaction, as notes=yes does.")
@click.option("--feedback", type=click.Choice(["full", "code"]), default="full", help="What a refusal tells.")
@click.option("--max-cost", type=_Amount(), help="Stop when the run has cost so much; needs --prices.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Stop when the run has read and written so many tokens.")
@click.option("--max-calls", type=click.IntRange(min=1), help="Stop when the run has been charged so many calls.")
@click.option(
    "--max-time", type=click.FloatRange(min=0, min_open=True), help="Stop when the run has taken so many seconds."
)
@click.option("--prices", type=click.Path(path_type=Path), help="JSON table of prices per million tokens, by agent.")
@click.option("--dry-run", is_flag=True, help="Tell what would be done and what it would take, and do nothing.")
@json_option
def evaluate(*, suite: Path, agent: str, workers: int, as_json: bool, dry_run: bool, **given: Any) -> None:
    """Run an agent over a suite and score it.

    The same command goes on where an earlier one was stopped, and prints again when everything is done. Executions that
    ended in an infrastructure error are not scored; the same command runs them again.
    """
    conditions = given.pop("skills") or ("curated",)
    given["limits"] = limits_of(agent, {name: given.pop(name) for name in _LIMITS})
    given["settings"] = settings_of((*given["settings"], *(["notes=yes"] if given.pop("notes") else [])))
    if dry_run:
        from skillhorizon.cli.dry_run import show_plan  # noqa: PLC0415  # only a dry run needs it

        show_plan(suite, agent, conditions, given, as_json=as_json)
        return
    if len(conditions) > 1 and given["out"] is not None:
        raise click.UsageError("--out names one folder, but each --skills condition is a run of its own; leave it out")
    done = [evaluated(suite, agent, workers=workers, skills=condition, **given) for condition in conditions]
    _tell(done, as_json=as_json)


def _tell(done: list[Evaluation], *, as_json: bool) -> None:
    """Print the cells of one run, or of paired ones; exit with 1 when an execution was not scored."""
    warnings = dict.fromkeys(warning for each in done for warning in each.warnings)
    if warnings:
        warn("; ".join(warnings))
    show_cells([cell for each in done for cell in _named(each, paired=len(done) > 1)], as_json=as_json)
    for each in [] if as_json else done:
        click.echo(f"{counted(len(each.results), 'execution')} in {each.run.folder}")
    errors = [error for each in done for error in each.infrastructure_errors]
    if errors:
        warn(_listed(errors))
        click.get_current_context().exit(1)


def _named(done: Evaluation, *, paired: bool) -> list[Metrics]:
    import attrs  # noqa: PLC0415

    skills = done.run.info.options.skills
    return [attrs.evolve(cell, agent=f"{cell.agent} ({skills})") if paired else cell for cell in done.cells]


_LIMITS = ("max_cost", "max_tokens", "max_calls", "max_time", "prices")


def limits_of(agent: str, given: dict[str, Any]) -> Limits:
    """Return the limits of the options.

    Raises:
        UsageError: when a cost is to be limited and the agent has no price.
    """
    from skillhorizon.errors import UsageError  # noqa: PLC0415
    from skillhorizon.evaluation.limits import Limits, read_prices  # noqa: PLC0415

    prices = read_prices(given["prices"]) if given["prices"] is not None else {}
    if given["max_cost"] is not None and agent not in prices:
        raise UsageError(f"--max-cost needs the price of {agent!r}; give --prices FILE with it")
    names = {"cost": "max_cost", "tokens": "max_tokens", "calls": "max_calls", "seconds": "max_time"}
    return Limits(price=prices.get(agent), **{name: given[option] for name, option in names.items()})


def settings_of(given: tuple[str, ...]) -> dict[str, str]:
    """Return the agent's options by name.

    Raises:
        click.UsageError: when one is not NAME=VALUE, or named twice.

    >>> settings_of(("effort=high",))
    {'effort': 'high'}
    """
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals) or name in found:
            raise click.UsageError(f"--agent-option is {text!r}; give each once as NAME=VALUE, such as effort=high")
        found[name] = value
    return found


def evaluated(
    suite: Path,
    agent: str,
    *,
    workers: int = 0,
    out: Path | None = None,
    new: bool = False,
    database: str = "",
    limits: Limits | None = None,
    **given: Any,
) -> Evaluation:
    """Evaluate with a progress bar; `given` are the fields of RunOptions, lists as comma-separated text.

    Raises:
        KeyboardInterrupt: with a text that tells how to go on.
    """
    from skillhorizon.evaluation.options import RunOptions  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.results.evaluating import evaluate as run  # noqa: PLC0415

    see_working_folder()
    given |= {name: names(given[name]) for name in ("bands", "families") if isinstance(given.get(name), str)}
    options = RunOptions(**given)
    where: dict[str, Any] = {"out": out, "new": new, "database": database}
    with _Bar(f"evaluating {agent}") as bar:
        try:
            return run(suite, agent, options, **where, workers=workers, progress=bar.told, limits=limits)
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


def names(text: str) -> tuple[str, ...]:
    """Return the names in comma-separated text, each once."""
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def see_working_folder() -> None:
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
