"""Traces as JSON lines."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from skillhorizon.errors import StorageError
from skillhorizon.evaluation.reading import rebuilt, rewards, task_of_journal, trace
from skillhorizon.evaluation.terminal import SCORED
from skillhorizon.model.canonical import dumps_bytes
from skillhorizon.session.files import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def traces_of(journal: Path, suite: Path) -> Iterator[bytes]:
    """Yield one JSON line per call of an execution; none when it was not scored.

    Raises:
        CorruptFile, StorageError: when the journal or its task cannot be read.
        DigestMismatch: when replaying it gives something else than it holds.
    """
    found = read_journal(journal)
    if found.footer is None or found.footer.kind not in SCORED:
        return
    with rebuilt(task_of_journal(found.header, suite), found, journal) as built:
        for made in rewards(built, found):
            yield dumps_bytes(trace(found.header, made)) + b"\n"


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write lines into a file, whole or not at all.

    Raises:
        StorageError: when the folder or disk does not take it.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            file.writelines(lines)
        part.replace(path)
    except OSError as error:
        raise StorageError(
            f"cannot write {path}: {error.strerror or error}; free space or name another file by --out"
        ) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
