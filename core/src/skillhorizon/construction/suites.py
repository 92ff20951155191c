"""Suites: a folder with `suite.json` and `tasks/*.json`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from skillhorizon.construction.files import write_whole
from skillhorizon.construction.tasks import read_task, task_digest
from skillhorizon.errors import CorruptFile, StorageError, UsageError
from skillhorizon.model.canonical import Json, dumps
from skillhorizon.model.codec import from_text, to_text
from skillhorizon.model.task import CANARY, SCHEMA, Entry, Suite, Task

if TYPE_CHECKING:
    from collections.abc import Mapping

SUITE = "suite.json"
TASKS = "tasks"


def task_path(folder: Path, task_id: str) -> Path:
    """Return where a suite keeps a task."""
    return folder / TASKS / f"{task_id}.json"


def entry_of(task: Task) -> Entry:
    """Return a task's line in its suite."""
    return Entry(id=task.id, cell=task.cell, digest=task_digest(task))


def write_suite(folder: Path, environment: str, version: str, options: Mapping[str, Json], tasks: list[Entry]) -> Suite:
    """Write `suite.json` and return what it holds.

    Raises:
        StorageError: when it cannot be written.
    """
    suite = Suite(
        schema=SCHEMA,
        canary=CANARY,
        name=folder.name,
        environment=environment,
        version=version,
        options=dict(options),
        tasks=tuple(tasks),
    )
    write_whole(folder / SUITE, to_text(suite))
    return suite


def load_suite(folder: str | Path) -> Suite:
    """Read `suite.json` of a folder.

    Raises:
        UsageError: when the folder holds no suite.
        CorruptFile: when the file is not one, or generation has not ended.
    """
    suite = _read(Path(folder) / SUITE)
    if not suite.tasks:
        raise CorruptFile(f"the suite in {folder} is not finished; give its `shz generate` command again to go on")
    return suite


def started(folder: Path) -> Suite | None:
    """Return the suite of a folder, finished or not, or None when it holds none."""
    return _read(folder / SUITE) if (folder / SUITE).exists() else None


def _read(path: Path) -> Suite:
    try:
        return from_text(path.read_bytes(), Suite)
    except FileNotFoundError:
        raise UsageError(
            f"{path.parent} holds no suite ({SUITE} is missing); name a folder that `shz generate` wrote"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}; check the path and its permissions") from error
    except CorruptFile as error:
        raise CorruptFile(f"{path} is no suite: {error}; restore it, or generate the suite again") from error


def load_task(path: str | Path) -> Task:
    """Read a task file.

    Raises:
        StorageError, CorruptFile: when it cannot be read or is no task.
    """
    return read_task(Path(path))


def load_entry(folder: str | Path, entry: Entry) -> Task:
    """Read a suite's task and hold it against the suite.

    Raises:
        CorruptFile: when the file was changed since the suite was written.
        StorageError: when it cannot be read.
    """
    path = task_path(Path(folder), entry.id)
    task = read_task(path)
    if task_digest(task) != entry.digest:
        raise CorruptFile(f"{path} is not the file that {SUITE} lists; restore it, or generate the suite again")
    return task


def check_options(folder: Path, suite: Suite, options: Mapping[str, Json]) -> None:
    """Refuse to continue a suite under other options.

    Raises:
        UsageError: naming every difference.
    """
    names = sorted({*suite.options, *options})
    differing = [n for n in names if suite.options.get(n) != options.get(n)]
    if differing:
        said = "; ".join(f"{n} is {dumps(suite.options.get(n))}, not {dumps(options.get(n))}" for n in differing)
        raise UsageError(f"{folder} holds a suite with other options ({said}); name another --out folder")
