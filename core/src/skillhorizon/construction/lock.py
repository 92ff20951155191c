"""One process at a time works on a folder."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from skillhorizon.errors import StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for the block; the operating system lets go of it however the process ends.

    Raises:
        UsageError: when another process holds it.
        StorageError: when the folder cannot be written.
    """
    try:
        (folder / LOCK).touch()  # SQLite would not say why it cannot
        file = (folder / LOCK).stat().st_ino
        held = sqlite3.connect(folder / LOCK, timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise StorageError(f"cannot write {folder / LOCK}: {reason}; name a writable folder by --out") from error
    try:
        _take(held, folder, file)
        yield
    finally:
        held.close()


@contextmanager
def locked_to_begin(folder: Path) -> Iterator[None]:
    """Hold a folder as `locked` does; when the block fails, a lock's file that was not there before it goes again.

    Raises:
        UsageError, StorageError: as `locked` does.
    """
    new = not (folder / LOCK).exists()
    with locked(folder):
        try:
            yield
        except BaseException:
            if new:
                with suppress(OSError):  # where an open file cannot go
                    (folder / LOCK).unlink()
            raise


def _take(held: sqlite3.Connection, folder: Path, file: int) -> None:
    """Lock the file of that number; one that went meanwhile, since its holder could not begin, is no lock."""
    try:
        held.execute("BEGIN EXCLUSIVE")
        if (folder / LOCK).stat().st_ino == file:
            return
    except FileNotFoundError:
        pass
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise UsageError(f"another process works on {folder}; wait for it, or name another --out folder") from error
        raise StorageError(f"cannot lock {folder / LOCK}: {error}; name a writable folder by --out") from error
    raise UsageError(f"another process works on {folder}; wait for it, or name another --out folder")
