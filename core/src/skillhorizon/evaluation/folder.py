"""The folder of a run: `run.json`, which says what was asked for and with what, and `journals/`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from skillhorizon.construction.files import written_last
from skillhorizon.errors import CorruptFile, StorageError, UsageError
from skillhorizon.evaluation.options import RunOptions
from skillhorizon.model.canonical import digest, dumps
from skillhorizon.model.codec import encode, from_text, to_text
from skillhorizon.model.task import ENGINE, Encoding, Entry, Pin, Suite
from skillhorizon.registry import core_version

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from skillhorizon.construction.components import Components

SCHEMA = 1
RUN = "run.json"
RUNS = "shz-runs"
JOURNALS = "journals"
_OPTION = {"scripts": "--allow-scripts", "settings": "--agent-option"}
_WAY_OUT = "name another --out folder, or start another run with --new"


@attrs.frozen(kw_only=True)
class Versions:
    """What a run was made with, `agent` by its own word; results of differing versions are never averaged.

    What `encoding` names, each task pins itself: how canonical JSON is written and tokens are counted.
    """

    core: str
    engine: int
    environment: str
    pins: tuple[Pin, ...]
    agent: Mapping[str, str] = attrs.Factory(dict)
    encoding: Encoding | None = None


@attrs.frozen(kw_only=True)
class RunInfo:
    """What `run.json` holds.

    Attributes:
        id: the run's key in a database.
        suite: path of the suite's folder, seen from the run's own.
        suite_name, environment: of the suite.
        suite_digest: digest of the tasks chosen.
        agent: the agent with its options, as it was asked for.
        options: which tasks, how often, under which allowance.
        versions: what it is made with.
        executions: how many there are to be.
        isolation: what keeps the agent from the task's files: none, process (a model elsewhere that sees its tools
            alone), landlock, user or container.
        database: where results are kept, without a password; '' is `results.db` beside this file.
        pack: the copy of the skill pack in the run's folder, called after its content; '' when there is none.
    """

    schema: int = SCHEMA
    id: str
    suite: str
    suite_name: str
    environment: str
    suite_digest: str
    agent: str
    options: RunOptions
    versions: Versions
    executions: int
    isolation: str = "none"
    database: str = ""
    pack: str = ""


@attrs.frozen
class Run:
    """A run and its folder."""

    folder: Path
    info: RunInfo

    @property
    def suite(self) -> Path:
        """The suite's folder."""
        return Path(os.path.normpath(self.folder / self.info.suite))

    def journal(self, task: str, trial: int) -> Path:
        """Return where the journal of an execution stands once it is closed."""
        return self.folder / JOURNALS / task / f"{trial}.jsonl.gz"


def default_folder(suite: str, agent: str) -> Path:
    """Return where a run goes by default.

    >>> default_folder("dev", "early-stop:0.5").as_posix()
    'shz-runs/dev/early-stop-0.5'
    """
    return Path(RUNS) / suite / (re.sub(r"[^A-Za-z0-9._-]+", "-", agent).strip(".-") or "agent")


def unused(folder: Path) -> Path:
    """Return the folder if it holds no run, or the first of `folder-2`, `folder-3` and so on that holds none."""
    number, free = 1, folder
    while (free / RUN).exists():
        number += 1
        free = folder.with_name(f"{folder.name}-{number}")
    return free


def versions_of(components: Components, agent: Mapping[str, str], encoding: Encoding | None = None) -> Versions:
    """Return what is installed now, what the agent says of itself, and the encoding that the tasks pin."""
    return Versions(
        core=core_version(),
        engine=ENGINE,
        environment=components.version,
        pins=components.pins,
        agent=dict(agent),
        encoding=encoding,
    )


def info_of(  # noqa: PLR0913  # the parts of a run, by name
    folder: Path,
    where: Path,
    suite: Suite,
    entries: list[Entry],
    *,
    agent: str,
    options: RunOptions,
    versions: Versions,
    isolation: str = "none",
    database: str = "",
    pack: str = "",
) -> RunInfo:
    """Return what a new run's `run.json` is to hold.

    `where` is the suite's folder, `entries` its tasks chosen, the rest as in `RunInfo`.
    """
    asked = [agent, encode(options), encode(versions), isolation, database, pack]
    return RunInfo(
        id=digest([str(folder.resolve()), str(where.resolve()), encode(entries), asked]),
        suite=_seen_from(folder, where),
        suite_name=suite.name,
        environment=suite.environment,
        suite_digest=digest(encode(entries)),
        agent=agent,
        options=options,
        versions=versions,
        executions=len(entries) * options.trials,
        isolation=isolation,
        database=database,
        pack=pack,
    )


def _seen_from(folder: Path, suite: Path) -> str:
    try:
        return Path(os.path.relpath(suite.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return suite.resolve().as_posix()


def held_run(folder: Path, wanted: RunInfo) -> Run | None:
    """Return the run that a folder holds, None when it holds none.

    Raises:
        UsageError: when that has other options or versions; the text names the differences.
        CorruptFile: when its `run.json` is none.
        StorageError: when it cannot be read.
    """
    if not (folder / RUN).exists():
        return None
    run = read_run(folder)
    _check_same(folder, run.info, wanted)
    return run


def begun_last(run: Run) -> AbstractContextManager[None]:
    """Write `run.json`, which stands once the block has ended well: from then on the folder holds the run.

    Raises:
        StorageError: when the folder cannot be written.
    """
    return written_last(run.folder / RUN, to_text(run.info))


def read_run(folder: Path) -> Run:
    """Read the run that a folder holds.

    Raises:
        UsageError: when it holds none.
        CorruptFile: when its `run.json` is none.
        StorageError: when it cannot be read.
    """
    path = folder / RUN
    try:
        return Run(folder, from_text(path.read_bytes(), RunInfo))
    except FileNotFoundError:
        raise UsageError(
            f"{folder} holds no run ({RUN} is missing); name a folder that `shz eval` wrote: `shz runs` lists them"
        ) from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}; check the path and its permissions") from error
    except CorruptFile as error:
        raise CorruptFile(f"{path} is damaged: {error}; restore it, or start another run with --new") from error


def runs_below(root: Path) -> Iterator[Path]:
    """Yield the folders below a root that hold a run, in order; what lies inside a run is not looked at."""
    if (root / RUN).is_file():
        yield root
    elif root.is_dir():
        for inner in sorted(root.iterdir()):
            if inner.is_dir():
                yield from runs_below(inner)


def _check_same(folder: Path, then: RunInfo, now: RunInfo) -> None:
    before, after = dict(_compared(then)), dict(_compared(now))
    differing: dict[str, list[str]] = {}
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            change = f"was {_said(before.get(name))}, now {_said(after.get(name))}"
            differing.setdefault(change, []).append(name)
    if differing:
        said = "; ".join(f"{', '.join(names)} {change}" for change, names in differing.items())
        raise UsageError(f"{folder} holds a run that this command does not agree with ({said}); {_WAY_OUT}")


def _said(value: object) -> str:
    return "none" if value is None else str(value)


def _compared(info: RunInfo) -> Iterator[tuple[str, str]]:
    options: Mapping[str, object] = encode(info.options)
    yield from ((_OPTION.get(name, f"--{name}"), dumps(value)) for name, value in options.items())
    yield "--agent", info.agent
    yield "--db", info.database or "results.db"
    yield "suite", f"{info.suite_name} (tasks {info.suite_digest[:8]})"
    yield "skill pack", info.pack or "none"
    yield from ((f"the agent's {name}", text) for name, text in info.versions.agent.items())
    yield "core", info.versions.core
    yield "engine", str(info.versions.engine)
    yield "environment", f"{info.environment} {info.versions.environment}"
    yield from ((f"{pin.role} of {pin.distribution}", f"{pin.name} {pin.content[:8]}") for pin in info.versions.pins)
