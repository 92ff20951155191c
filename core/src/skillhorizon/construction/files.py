"""Writing files whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file through a temporary one and a rename, so that no reader ever sees half of it.

    One process at a time writes a folder (see `lock`); what a killed one left behind, the next write replaces.

    Raises:
        StorageError: when the folder or disk does not take it; what stood there before still does.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        _drop(part)
        raise StorageError(
            f"cannot write {path}: {error.strerror or error}; free space or name a writable folder, "
            "then give the same command again: what was done is kept"
        ) from error


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, unless it stands.

    Raises:
        StorageError: when it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot write {folder}: {error.strerror}; name a writable folder") from error


def _drop(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:
        return
