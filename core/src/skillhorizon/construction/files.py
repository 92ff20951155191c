"""Writing files whole or not at all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from skillhorizon.errors import StorageError

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file through a temporary one and a rename, so that no reader ever sees half of it.

    Raises:
        StorageError: when the folder or disk does not take it; what stood there before still does.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
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


def _drop(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:
        return
