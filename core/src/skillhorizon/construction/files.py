"""Writing files whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from skillhorizon.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a text file through a temporary one and a rename, so that no reader ever sees half of it.

    One process at a time writes a folder (see `lock`); what a killed one left behind, the next write replaces.

    Raises:
        StorageError: when the folder or disk does not take it; what stood there before still does.
    """
    with written_last(path, text):
        pass


@contextmanager
def written_last(path: Path, text: str) -> Iterator[None]:
    """Write a text file as `write_whole` does, and let it stand once the block has ended well.

    Raises:
        StorageError: when the folder or disk does not take it, nearly always before the block begins.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with _told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text, encoding="utf-8")
        yield
        with _told(path):
            part.replace(path)
    except BaseException:
        _drop(part)
        raise


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
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


@contextmanager
def made_folder(folder: Path) -> Iterator[None]:
    """Make a folder and those above it for the block; when that fails, those that were made and are empty go again.

    Where it cannot be made the block begins all the same: what writes into it tells why.
    """
    lacking = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for each in lacking:
            with suppress(OSError):  # it was not made, or somebody put something into it
                each.rmdir()
        raise


def _drop(part: Path) -> None:
    try:
        part.unlink(missing_ok=True)
    except OSError:
        return
