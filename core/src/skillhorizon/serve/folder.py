"""The folder of a server's journals: for its owner alone, and for one server at a time."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from skillhorizon.construction.lock import locked
from skillhorizon.errors import StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OWNER_ONLY = 0o700
_OTHERS = 0o077


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Make the folder if there is none, with mode 0700, and hold it for the block.

    Raises:
        UsageError: when others may enter it, or another server holds it.
        StorageError: when it cannot be made or written.
    """
    _made(folder)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder))
        except UsageError as error:
            raise UsageError(
                f"another server keeps its journals in {folder}; stop that one, or name another --journal folder"
            ) from error
        except StorageError as error:
            raise _unwritable(folder, str(error.__cause__)) from error
        yield


def _made(folder: Path) -> None:
    try:
        folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
        mode = folder.stat().st_mode
    except OSError as error:
        raise _unwritable(folder, error.strerror or str(error)) from error
    if os.name == "posix" and mode & _OTHERS:
        raise UsageError(
            f"others may enter {folder} (mode {mode & 0o777:o}), and journals are for their owner alone; "
            f"run `chmod 700 {folder}`, or name a new --journal folder"
        )


def _unwritable(folder: Path, reason: str) -> StorageError:
    return StorageError(f"cannot keep journals in {folder}: {reason}; name a writable folder by --journal")
