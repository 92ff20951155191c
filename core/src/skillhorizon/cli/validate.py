"""`shz validate DIR`: every task of a suite is rebuilt and proven again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from skillhorizon.cli.output import Progress, emit, json_option, warn

if TYPE_CHECKING:
    from skillhorizon.construction.validate import Verdict


@click.command("validate")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--quick", is_flag=True, help="Stop after schema, pins and digests; run no policy.")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes at once; one per core by default.")
@json_option
def validate(*, folder: Path, quick: bool, workers: int, as_json: bool) -> None:
    """Prove every task of a suite again.

    Each task is read, rebuilt from its seed in a fresh process and held against its digests; the reference policy must
    reach every goal with the same journal, and doing nothing must reach none. All tasks are tried.
    """
    rows = validated(folder, quick=quick, workers=workers, quiet=as_json)
    bad = sum(bool(row["fault"]) for row in rows)
    if as_json:
        emit(rows)
    else:
        click.echo(f"{len(rows) - bad} of {len(rows)} tasks are valid")
    if bad:
        raise click.exceptions.Exit(1)


def validated(folder: Path, *, quick: bool = False, workers: int = 0, quiet: bool = False) -> list[dict[str, Any]]:
    """Validate a suite, tell of each task as it is done, and return one row per task in the suite's order.

    Raises:
        KeyboardInterrupt: with a text that tells how to go on.
    """
    from skillhorizon.construction.suites import load_suite  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.construction.validate import validate_suite  # noqa: PLC0415

    order = {entry.id: i for i, entry in enumerate(load_suite(folder).tasks)}
    rows = []
    with Progress("validating", len(order)) as bar:
        try:
            for verdict in validate_suite(folder, quick=quick, workers=workers):
                bar.clear()
                rows.append(_heard(verdict, quiet=quiet))
                bar.advance(note=verdict.id)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"validation was stopped by Ctrl-C after {len(rows)} of {len(order)} tasks; "
                f"it changed nothing in {folder}"
            ) from None
    return sorted(rows, key=lambda row: order[row["task"]])


def _heard(verdict: Verdict, *, quiet: bool) -> dict[str, Any]:
    for text in verdict.warnings:
        warn(text)
    if not quiet:
        told = verdict.fault or f"{verdict.l_ref} tokens, {verdict.goals} goals"
        click.echo(f"{'FAIL' if verdict.fault else 'ok':4}  {verdict.id}  {told}")
    return {
        "task": verdict.id,
        "fault": verdict.fault,
        "warnings": list(verdict.warnings),
        "tokens": verdict.l_ref,
        "goals": verdict.goals,
    }
