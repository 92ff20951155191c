"""`shz bench [ENV]`: every figure beside its bound, measured in one run."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from skillhorizon.cli.output import emit, json_option, table, warn

if TYPE_CHECKING:
    from skillhorizon.bench.figures import Figure


@click.command("bench")
@click.argument("env", metavar="[ENV]", default="")
@click.option("--rounds", type=click.IntRange(min=1), default=3, help="Timings of each figure; the least counts.")
@click.option("--cells", type=click.IntRange(min=1), default=3, help="Families and variants measured at 1m, spread.")
@click.option("--profile", is_flag=True, help="Then tell where the time of a reference run goes.")
@json_option
def bench(*, env: str, rounds: int, cells: int, profile: bool, as_json: bool) -> None:
    """Measure speed against floors.

    A floor is what nobody can leave out: the same SQL on a raw connection, its JSON, its token count; a bare echo
    server of the same SDK; a bare interpreter. Times are processor time, so that other load counts for less.
    """
    name = env or _first()
    figures = _measured(name, rounds, cells)
    if as_json:
        emit([{"figure": f.name, "value": f.value, "bound": f.bound, "holds": f.holds} for f in figures])
    else:
        table(("", "figure", "value", "bound"), [_row(f) for f in figures])
        if profile:
            _profile(name)
    if not all(figure.holds for figure in figures):
        raise click.exceptions.Exit(1)


def _first() -> str:
    from skillhorizon.errors import UnknownName  # noqa: PLC0415
    from skillhorizon.registry import listed  # noqa: PLC0415

    names = [found.name for found in listed()]
    if not names:
        raise UnknownName("no environment is installed; install one, such as: pip install skillhorizon-financeops")
    return names[0]


def _measured(env: str, rounds: int, cells: int) -> list[Figure]:
    from skillhorizon.bench import proving  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.bench.starting import starting  # noqa: PLC0415

    yard = proving.Yard(env, rounds)
    chosen = yard.cells(cells)
    figures = starting()
    for cell in chosen:
        figures += proving.validation(yard, cell)
    figures += [*proving.growth(yard, chosen[0]), proving.memory(env)]
    if find_spec("mcp") is None:
        warn("serving is not measured: install skillhorizon[serve] for it")
        return figures
    from skillhorizon.bench.serving import serving  # noqa: PLC0415

    return figures + serving(env, rounds)


def _row(figure: Figure) -> tuple[str, str, str, str]:
    return "pass" if figure.holds else "FAIL", figure.name, figure.value, figure.bound


def _profile(env: str) -> None:
    from skillhorizon.bench.profile import by_function, by_tool  # noqa: PLC0415
    from skillhorizon.bench.proving import Yard  # noqa: PLC0415

    yard = Yard(env, 1)
    cell = yard.cells(1)[0]
    click.echo()
    table(("tool", "calls", "us a call"), by_tool(yard, cell))
    click.echo()
    table(("function", "calls", "% of time"), by_function(yard, cell))
