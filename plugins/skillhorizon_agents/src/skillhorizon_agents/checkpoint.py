"""What a model said, kept after every turn before its calls are made: an execution goes on exactly where it was.

Beside the journal `journals/TASK/TRIAL.jsonl` stands `TRIAL.turns.jsonl`, one JSON object a line, handed to the
operating system line by line: first what the execution was begun with, then `answer`, `compaction` and `end` entries.
Each tells by `index` how many calls the journal held when it was written.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import attrs
import orjson

from skillhorizon import SkillHorizonError, Usage
from skillhorizon_agents.backends.wire import asked
from skillhorizon_agents.conversation import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA = 1
SUFFIX = ".turns.jsonl"
DROPPED = ".dropped.jsonl"
"""What was paid for turns that nothing goes on from, a line each time that some are dropped."""


class CheckpointFault(SkillHorizonError):
    """A turns file that cannot be read or written."""


class Checkpoint:
    """The turns file of one execution; without a path nothing is kept."""

    def __init__(self, path: Path | None, entries: list[dict[str, Any]]) -> None:
        self.path, self.entries = path, entries

    @classmethod
    def open(cls, files: Path | None) -> Checkpoint:
        """Open the turns file beside a journal; it holds what `kept` left of it."""
        path = None if files is None else path_of(files)
        return cls(path, read(path) if path is not None else [])

    def append(self, entry: dict[str, Any]) -> None:
        """Keep one entry.

        Raises:
            CheckpointFault: when the disk does not take it.
        """
        self.entries.append(entry)
        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab", buffering=0) as file:
                file.write(orjson.dumps(entry, option=orjson.OPT_SORT_KEYS) + b"\n")
        except OSError as error:
            raise CheckpointFault(
                f"cannot write {self.path}: {error.strerror}; free space, then give the same command again"
            ) from error


def path_of(files: Path) -> Path:
    """Return where the turns file stands, beside the journal of a trial."""
    return files.with_name(f"{files.name}{SUFFIX}")


def read(path: Path) -> list[dict[str, Any]]:
    """Read a turns file; a torn last line is left out.

    Raises:
        CheckpointFault: when it is damaged before.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    try:
        return [orjson.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
    except orjson.JSONDecodeError as error:
        raise CheckpointFault(f"{path} is damaged ({error}); delete it and run the execution again") from error


def kept(files: Path, records: int | None) -> int:
    """Cut a turns file to what fits a journal of so many records; return after how many of them it goes on.

    None: the journal is no longer this execution's, and the file goes.
    """
    path = path_of(files)
    found = read(path)
    entries = [] if records is None else list(found)
    while entries and entries[-1].get("index", 0) > (records or 0):
        entries.pop()
    _note_dropped(files, found[len(entries) :])
    if not entries:
        path.unlink(missing_ok=True)
        return 0
    lines = path.read_bytes().splitlines(keepends=True)[: len(entries)]
    os.truncate(path, sum(map(len, lines)))
    return int(entries[-1].get("index", 0))


def _note_dropped(files: Path, entries: list[dict[str, Any]]) -> None:
    used = _used(entries)
    if used != Usage():
        Checkpoint(files.with_name(files.name + DROPPED), []).append({"usage": attrs.asdict(used)})


def spent(files: Path, *, ended: bool = False) -> Usage:
    """Return what was paid for the turns of an execution, those included that nothing goes on from.

    With `ended` it is the latter alone: the result of an execution that has ended tells the rest.

    Raises:
        CheckpointFault: when a file of it is damaged.
    """
    return _used([*([] if ended else read(path_of(files))), *read(files.with_name(files.name + DROPPED))])


def _used(entries: list[dict[str, Any]]) -> Usage:
    return sum((Usage(**entry["usage"]) for entry in entries if "usage" in entry), start=Usage())


def answer_entry(answer: Answer, index: int, milliseconds: int) -> dict[str, Any]:
    """Return the entry of an answer."""
    calls = [{"id": call.id, "name": call.name, "text": call.text} for call in answer.calls]
    said = {"text": answer.text, "calls": calls, "raw": answer.raw, "model": answer.model, "stop": answer.stop}
    return {"answer": said, "usage": attrs.asdict(answer.usage), "index": index, "ms": milliseconds}


def answer_of(entry: Mapping[str, Any]) -> Answer:
    """Return the answer of an entry."""
    said = entry["answer"]
    calls = tuple(asked(call["id"], call["name"], call["text"]) for call in said["calls"])
    return Answer(
        text=said["text"],
        calls=calls,
        usage=Usage(**entry["usage"]),
        raw=said["raw"],
        model=said["model"],
        stop=said["stop"],
    )
