"""Small distributions for tests: a dist-info folder and modules, written where the test's import path points."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

ENVIRONMENTS, PLUGINS, COMMANDS = "skillhorizon.environments", "skillhorizon.plugins", "skillhorizon.commands"


def install(
    folder: Path,
    name: str,
    points: Mapping[str, Mapping[str, str]],
    *,
    version: str = "1.2.3",
    requires: Sequence[str] = (),
    modules: Mapping[str, str] | None = None,
) -> None:
    """Write a distribution's metadata, with its entry points by group, and its modules' sources."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    needed = "".join(f"Requires-Dist: {text}\n" for text in requires)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}")
    groups = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in points.items()]
    info.joinpath("entry_points.txt").write_text("\n".join(groups))
    for module, source in (modules or {}).items():
        file = folder.joinpath(f"{module}.py")
        file.parent.mkdir(exist_ok=True)
        file.write_text(source)


SMALL_BAKERY = """
from attrs import evolve

from bakery import SCALE, TOOLS, bakery, break_oven

scale = evolve(SCALE, bounds=lambda *cell: (2, 18))
environment = bakery(scale=scale, package="small_bakery", tools=(*TOOLS, break_oven))
"""


def install_bakery(folder: Path, *, version: str = "1.2.3") -> None:
    """Install the bakery as the environment `bakery`, out of a distribution `test-bakery`; its tasks are small."""
    points = {ENVIRONMENTS: {"bakery": "small_bakery:environment"}}
    install(folder, "test-bakery", points, version=version, modules={"small_bakery/__init__": SMALL_BAKERY})
