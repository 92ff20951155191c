"""`shz skills`: skill packages in the Agent Skills format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from skillhorizon.cli.output import json_option, show

if TYPE_CHECKING:
    from skillhorizon.skills.document import Problem

_COLUMNS = {"skill": "skill", "where": "where", "rule": "fault", "way_out": "way out"}


@click.group("skills")
def skills() -> None:
    """Work with skill packages."""


@skills.command("validate")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def validate(*, folder: Path, as_json: bool) -> None:
    """Name every fault of a skill, or of every skill in a folder."""
    found = _faults(folder)
    rows = [
        {"skill": name, "where": fault.where, "rule": fault.rule, "way_out": fault.way_out}
        for name, faults in found.items()
        for fault in faults
    ]
    show(rows, _COLUMNS, as_json=as_json, empty=f"{len(found)} valid: {', '.join(found)}")
    if rows:
        raise click.exceptions.Exit(1)


def _faults(folder: Path) -> dict[str, list[Problem]]:
    from skillhorizon.errors import UnknownName  # noqa: PLC0415
    from skillhorizon.skills.document import FILE  # noqa: PLC0415
    from skillhorizon.skills.validate import validate_library, validate_skill  # noqa: PLC0415

    if folder.joinpath(FILE).is_file():
        return {folder.resolve().name: validate_skill(folder)}
    found = validate_library(folder)
    if not found:
        raise UnknownName(
            f"{folder} holds no skill; name a skill's folder, with its {FILE}, or a folder of such folders"
        )
    return found
