"""What tests of serving share: seats of small tasks, and `shz serve` in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import attrs

from skillhorizon.construction.tasks import read_task
from skillhorizon.model.canonical import Json, loads
from skillhorizon.model.journal import Record
from skillhorizon.model.outcome import Outcome
from skillhorizon.serve.seat import Seat
from skillhorizon.session.client import SessionClient
from skillhorizon.session.session import Observation, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

HERE = Path(__file__).parent
BATCHES = "list_batches"


def tasks_of(suite: Path) -> list[Path]:
    """Return the task files of a suite."""
    return sorted((suite / "tasks").glob("*.json"))


def seat_of(suite: Path, folder: Path, allowance: str = "0.5") -> Seat:
    """Return an open seat of a suite's first task, whose journal lies in a folder."""
    task = read_task(tasks_of(suite)[0])
    seat = Seat(task, folder / f"{task.id}.jsonl", allowance)
    seat.open()
    return seat


@attrs.frozen
class Shop:
    """Where `shz` runs: with the bakery installed."""

    home: Path

    @property
    def env(self) -> dict[str, str]:
        """The environment of its processes."""
        path = os.pathsep.join([str(self.home), str(HERE)])
        return {**os.environ, "PYTHONPATH": path, "SHZ_TOKEN": "", "SHZ_URL": ""}

    def run(self, *words: str | Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        line = [sys.executable, "-m", "skillhorizon", *map(str, words)]
        return subprocess.run(  # noqa: S603  # the project's own command
            line, capture_output=True, text=True, check=False, input=stdin, env={**self.env, **env}, timeout=60
        )

    def start(self, tasks: Sequence[Path], journals: Path, *more: str) -> subprocess.Popen[str]:
        """Start a server over HTTP."""
        words = ["serve", *map(str, tasks), "--journal", str(journals), "--json", *more]
        return subprocess.Popen(  # noqa: S603  # the project's own command
            [sys.executable, "-m", "skillhorizon", *words], stdout=subprocess.PIPE, text=True, env=self.env
        )

    @contextmanager
    def serving(self, tasks: Sequence[Path], journals: Path, *more: str) -> Iterator[dict[str, str]]:
        """Serve over HTTP during the block, and give the URL of each task."""
        process = self.start(tasks, journals, *(more or ("--http", "0")))
        try:
            yield urls(process)
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def urls(process: subprocess.Popen[str]) -> dict[str, str]:
    """Wait until a server is ready, and return the URL of each task."""
    if process.stdout is None:
        raise AssertionError("the pipe was asked for")
    told = json.loads(process.stdout.readline())
    return {session["task"]: session["url"] for session in told["sessions"]}


def text_of(result: Any) -> str:
    """Return the text of a tool's result, which must be all its content."""
    (content,) = result.content
    text: str = content.text
    return text


def error_of(result: Any) -> Mapping[str, Any]:
    """Return the error that a refused call tells."""
    error: Mapping[str, Any] = json.loads(text_of(result))["error"]
    return error


class RemoteClient(SessionClient):
    """A policy's client over anything that takes (tool, arguments) and returns a result as the protocol writes it."""

    def __init__(self, ask: Callable[[str, dict[str, Json]], Mapping[str, Any]]) -> None:
        super().__init__(cast("Session", None))
        self._ask = ask

    def call(self, tool: str, /, **arguments: Json) -> Any:
        """Make one call and return what it says."""
        result = self._ask(tool, arguments)
        (content,), meta = result["content"], result["_meta"]
        record = Record(
            index=meta["skillhorizon/call"],
            turn=0,
            tool=tool,
            arguments_text="",
            observation=content["text"],
            outcome=Outcome(meta["skillhorizon/outcome"]),
            charged=0,
            made=tuple(meta["skillhorizon/made"]),
            clock=0,
        )
        return self.heard(tool, Observation(content["text"], loads(content["text"]), record.outcome, record))
