"""`shz list-envs`: the installed environments, by their metadata."""

from __future__ import annotations

from typing import Any

import click

from skillhorizon.cli.output import json_option, show

_COLUMNS = {"name": "name", "version": "version", "distribution": "distribution", "fault": "fault"}


@click.command("list-envs")
@click.option("--check", is_flag=True, help="Import every environment, and exit with 1 when one does not load.")
@json_option
def list_envs(*, check: bool, as_json: bool) -> None:
    """List the installed environments.

    Nothing is imported unless you ask with --check: name, version and distribution stand in the metadata, which also
    tells of two distributions that share a name and of one made for another core.
    """
    from skillhorizon import registry  # noqa: PLC0415  # attrs and the metadata reader; `--help` needs neither

    rows = [_row(item, check=check) for item in registry.listed()]
    empty = "no environment is installed; pip install skillhorizon-financeops installs one"
    show(rows, _COLUMNS, as_json=as_json, empty=empty)
    if check and any(row["fault"] for row in rows):
        raise click.exceptions.Exit(1)


def _row(item: Any, *, check: bool) -> dict[str, str]:
    row = {"name": item.name, "version": item.version, "distribution": item.distribution, "fault": item.fault}
    return row | {"fault": cause(item)} if check else row


def cause(item: Any) -> str:
    """Import a listed environment and return why it does not load or must not be used, or ''."""
    from skillhorizon import registry  # noqa: PLC0415
    from skillhorizon.errors import SkillHorizonError  # noqa: PLC0415

    if item.fault:
        return str(item.fault)
    try:
        registry.environment(item.name)
    except SkillHorizonError as error:
        return str(error)
    return ""
