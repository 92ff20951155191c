"""A user's skill pack in a run: checked, then copied into the run's folder, called after its content."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from skillhorizon.construction.files import made_folder
from skillhorizon.errors import StorageError, UsageError
from skillhorizon.skills.foreign import CONFINED
from skillhorizon.skills.library import content_digest, load_library
from skillhorizon.skills.sandbox import require_confinement

if TYPE_CHECKING:
    from pathlib import Path

PACKS = "packs"


def pack_of(folder: Path) -> str:
    """Return where a pack's copy is to lie, seen from the run's folder.

    Raises:
        UsageError: when there is no pack in the folder.
        PluginError: when one of its skills breaks the format; all faults are named.
    """
    if not folder.is_dir():
        raise UsageError(f"--skills pack:{folder} names no folder; give one that holds skill folders")
    library = load_library(folder)
    if not library.skills:
        raise UsageError(f"the folder {folder} holds no skill; each skill is a folder with a SKILL.md")
    return f"{PACKS}/{content_digest(library)[:16]}"


def check_scripts(scripts: str, run: Path) -> None:
    """Refuse a run in a folder, there already or not, whose scripts are to be confined where that is impossible.

    Raises:
        SandboxUnavailable: naming what this system lacks.
    """
    if scripts == CONFINED:
        where = run.resolve()
        require_confinement(next(each for each in (where, *where.parents) if each.is_dir()))


def copy_pack(folder: Path, copy: Path) -> None:
    """Copy a pack, whole or not at all; one that is there already stays, and what could not be copied goes again.

    Raises:
        StorageError: when the run's folder does not take it.
    """
    if copy.is_dir():
        return
    part = copy.with_name(f".{copy.name}.part")
    with made_folder(copy.parent):
        try:
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(folder, part, ignore=shutil.ignore_patterns("__pycache__", ".*"))
            part.replace(copy)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise StorageError(f"cannot copy the pack {folder} to {copy}: {error}; free space and try again") from error
