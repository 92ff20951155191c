"""A user's skill pack in a run: checked, then copied into the run's folder, called after its content."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillhorizon.construction.files import made_folder
from skillhorizon.errors import StorageError, UsageError
from skillhorizon.skills.foreign import CONFINED
from skillhorizon.skills.library import content_digest, load_library
from skillhorizon.skills.sandbox import require_confinement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKS = "packs"


def pack_of(folder: Path) -> str:
    """Return where a pack's copy is to lie, seen from the run's folder.

    Raises:
        UsageError: when there is no pack in the folder, or a file of it cannot be read.
        PluginError: when one of its skills breaks the format; all faults are named.
    """
    if not folder.is_dir():
        raise UsageError(f"--skills pack:{folder} names no folder; give one that holds skill folders")
    library = load_library(folder)
    if not library.skills:
        raise UsageError(f"the folder {folder} holds no skill; each skill is a folder with a SKILL.md")
    try:
        return f"{PACKS}/{content_digest(library)[:16]}"
    except OSError as error:
        raise UsageError(f"cannot read {error.filename}: {error.strerror}; each file of a pack is copied") from error


def check_scripts(scripts: str, run: Path) -> None:
    """Refuse a run in a folder, there already or not, whose scripts are to be confined where that is impossible.

    Raises:
        SandboxUnavailable: naming what this system lacks.
    """
    if scripts == CONFINED:
        where = run.resolve()
        require_confinement(next(each for each in (where, *where.parents) if each.is_dir()))


@contextmanager
def copied_pack(folder: Path, copy: Path) -> Iterator[None]:
    """Copy a pack, whole or not at all; one that is there already stays, and when the block fails the copy goes again.

    Raises:
        StorageError: when the run's folder does not take it.
    """
    if copy.is_dir():
        yield
        return
    with made_folder(copy.parent):
        try:
            _copy(folder, copy)
            yield
        except BaseException:
            shutil.rmtree(copy, ignore_errors=True)
            raise


def _copy(folder: Path, copy: Path) -> None:
    part = copy.with_name(f".{copy.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(folder, part, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        part.replace(copy)
    except OSError as error:
        raise StorageError(f"cannot copy the pack {folder} to {copy}: {error}; free space and try again") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
