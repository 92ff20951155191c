"""`shz check-env NAME`: what must be provable of every environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from skillhorizon.cli.output import Progress, emit, json_option

if TYPE_CHECKING:
    from skillhorizon.conformance.findings import ConformanceReport


@click.command("check-env")
@click.argument("env")
@click.option("--profile", default="fast", show_default=True, help="fast: under a minute; full: all cells and bands.")
@click.option("--only", multiple=True, metavar="CHECK", help="Run this check only; give it again for more.")
@click.option("--workers", type=click.IntRange(min=0), default=0, help="Processes at once; one per core by default.")
@json_option
def check_env(*, env: str, profile: str, only: tuple[str, ...], workers: int, as_json: bool) -> None:
    """Check an environment against the contract.

    ENV is an installed environment, or MODULE:ATTRIBUTE of one under construction. Whatever it does is told as a
    finding, with its evidence; the exit code is 1 when there is an error among them. A check that no task could be made
    for says `none`.
    """
    report = checked(env, profile, only=only, workers=workers)
    if as_json:
        emit(report.as_json())
    else:
        _show(report)
    if not report.sound:
        raise click.exceptions.Exit(1)


def checked(env: str, profile: str, *, only: tuple[str, ...] = (), workers: int = 0) -> ConformanceReport:
    """Run the checks with a progress bar.

    Raises:
        UnknownName: when the environment, profile or a check does not exist.
    """
    from skillhorizon.conformance.checks import chosen  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.conformance.kit import check_environment  # noqa: PLC0415

    with Progress("checking", len(chosen(only))) as bar:
        return check_environment(
            env, profile=profile, only=only, workers=workers, progress=lambda name: bar.advance(note=name)
        )


def _show(report: ConformanceReport) -> None:
    from skillhorizon.conformance.checks import CHECKS  # noqa: PLC0415

    run = {checked.check for checked in report.checked}
    for finding in report.findings:
        if finding.check not in run:
            click.echo(str(finding))
    for checked in report.checked:
        found = report.of(checked.check)
        verdict = "FAIL" if found else "ok" if checked.looked_at else "none"
        click.echo(f"{verdict:4}  {checked.check:12}  {CHECKS[checked.check]} ({checked.looked_at})")
        for finding in found:
            click.echo(f"      {finding}".replace("\n", "\n      "))
    errors = sum(finding.severity == "error" for finding in report.findings)
    told = (
        "conforms to the contract"
        if report.sound
        else f"does not conform: {errors} {'error' if errors == 1 else 'errors'}"
    )
    click.echo(f"{report.environment} {told} ({report.profile} profile)")
