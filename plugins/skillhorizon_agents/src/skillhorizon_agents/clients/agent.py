"""`mcp:COMMAND`: an execution is served over HTTP, and a client's command works on it until it ends."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import anyio
import attrs

from skillhorizon import Execution, ExecutionEnded, Terminal, UsageError, hosted
from skillhorizon_agents.clients import bound, confine
from skillhorizon_agents.clients.place import Place
from skillhorizon_agents.clients.settings import ClientSettings, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO

    from anyio.abc import Process

GRACE_SECONDS = 60
"""How long a client may go on once its execution has ended."""
_LOOK_SECONDS = 0.1
_LOOKS_PER_KEEPING = 10
_TOLD = 400


class ClientFailed(Exception):
    """A client that failed before its work was done: infrastructure, so that the execution is not scored."""


@attrs.frozen
class ClientAgent:
    """Runs a shell command as the agent.

    Attributes:
        name: `mcp:COMMAND`.
        command: what `sh -c` runs, in an empty folder.
        settings: how.
    """

    continues: ClassVar[bool] = True
    accounts: ClassVar[bool] = False
    name: str
    command: str
    settings: ClientSettings

    @property
    def isolation(self) -> str:
        """What keeps the client from suite and run: landlock, or none."""
        asked = self.settings.isolation
        return asked or ("landlock" if confine.landlock() else "none")

    @property
    def versions(self) -> Mapping[str, str]:
        """What the agent is made of."""
        return {"harness": "mcp", "command": self.command, "home": self.settings.home}

    def preflight(self) -> None:
        """Look whether the command can be found, and the isolation be enforced.

        Raises:
            UsageError: when not.
        """
        if self.settings.isolation == "landlock" and not confine.landlock():
            raise UsageError("this system has no Landlock; leave isolation out, or say --agent-option isolation=none")
        word = _first(self.command)
        found = subprocess.run(["/bin/sh", "-c", 'command -v -- "$1"', "sh", word], capture_output=True, check=False)  # noqa: S603  # looks a name up
        if found.returncode:
            raise UsageError(f"the client's command {word!r} is not installed, or not on the PATH; install it first")

    def kept(self, _files: Path, records: int) -> int:
        """Go on with all that is recorded."""
        return records

    def run(self, execution: Execution) -> None:
        """Serve the execution, and let the client work until it ends.

        Raises:
            ClientFailed: when it fails more often than it may be started again, or ends without a single call.
        """
        failed = anyio.run(self._attended, execution)
        if failed:
            raise ClientFailed(failed)

    async def _attended(self, execution: Execution) -> str:
        """Return why the client failed, or ''."""
        with _folder() as folder, _log(execution) as log:
            async with hosted(execution) as host:
                place = Place.laid(folder, host, execution.instruction, self.settings)
                with anyio.move_on_after(self.settings.time or None) as limit:
                    failed = await self._worked(execution, place, log)
                if limit.cancelled_caught:
                    failed = ""
                    _stop(execution)
                return failed

    async def _worked(self, execution: Execution, place: Place, log: IO[bytes]) -> str:
        before = execution.session.index
        for _ in range(1 + self.settings.restarts):
            code = await self._once(execution, place, log)
            if execution.ended or execution.fault:
                return ""
            if code == confine.UNENFORCED and self.isolation == "landlock":
                return f"the client could not be confined: {_tail(log)}"
            if code == 0:
                quiet = execution.session.index == before
                return f"the client ended without a single call: {_tail(log)}" if quiet else ""
        return f"the client ended with exit code {code}: {_tail(log)}"

    async def _once(self, execution: Execution, place: Place, log: IO[bytes]) -> int:
        """Run the command once, end its process group however this process ends, and return its exit code."""
        words, environment = ["/bin/sh", "-c", bound.GATE, "sh", self.command], dict(place.environment)
        if self.isolation == "landlock":
            words = [sys.executable, "-I", "-S", "-B", confine.__file__, *words]
            closed = [str(path.resolve()) for path in execution.private]
            environment[confine.CLOSED] = os.pathsep.join(closed)
        with bound.Gate() as gate:
            process = await anyio.open_process(
                words,
                stdin=gate.waiting,
                stdout=log,
                stderr=log,
                cwd=place.folder,
                env=environment,
                start_new_session=True,
            )
            with bound.to_this_process(process.pid):
                try:
                    gate.open()
                    return await _ended(process, execution)
                finally:
                    with anyio.CancelScope(shield=True):
                        _kill(process)
                        await process.wait()


async def _ended(process: Process, execution: Execution) -> int:
    """Wait for a process; once its execution has ended, not for long. A kill loses a second of wall time at most."""
    looks, waited = 0, 0.0
    while process.returncode is None and waited < GRACE_SECONDS:
        if looks % _LOOKS_PER_KEEPING == 0:
            execution.watch.keep()
        looks += 1
        await anyio.sleep(_LOOK_SECONDS)
        waited += _LOOK_SECONDS if execution.ended or execution.fault else 0
    return 0 if process.returncode is None else process.returncode


def _kill(process: Process) -> None:
    """End a process and what it left running in its group."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _stop(execution: Execution) -> None:
    try:
        execution.stop(Terminal.TIME_LIMIT)
    except ExecutionEnded:
        return


@contextmanager
def _folder() -> Iterator[Path]:
    """Give an empty folder that only this user may enter."""
    made = Path(tempfile.mkdtemp(prefix="shz-client-")).resolve()
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


@contextmanager
def _log(execution: Execution) -> Iterator[IO[bytes]]:
    """Give the file that keeps what the client prints, beside the journal; nothing is kept where there is none."""
    files = execution.files
    if files is None:
        with tempfile.TemporaryFile() as nowhere:
            yield nowhere
        return
    path = files.with_name(f"{files.name}.client.log")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as log:
        yield log


def _tail(log: IO[bytes]) -> str:
    """Return the end of what a client printed, on one line."""
    log.flush()
    name = log.name if isinstance(log.name, str) else ""
    text = Path(name).read_bytes()[-_TOLD:].decode(errors="replace") if name else ""
    return " ".join(text.split()) or "it printed nothing"


def _first(command: str) -> str:
    """Return the program that a shell command runs first.

    >>> _first("MODEL=x codex exec 'go on'"), _first("(cd there; claude)")
    ('codex', 'sh')
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the client's command cannot be read ({error}); quote it as your shell wants it") from error
    found = next((word for word in words if "=" not in word), "")
    if not found:
        raise UsageError("mcp: names no command; say --agent 'mcp:COMMAND', such as mcp:'codex exec ...'")
    return found if set(found).isdisjoint("(){};|&<>$`!") else "sh"


def client_agent(command: str, given: Mapping[str, str]) -> ClientAgent:
    """Return the agent `mcp:COMMAND`.

    Raises:
        UsageError: when there is no command, or an option is wrong.
    """
    _first(command)
    return ClientAgent(f"mcp:{command}", command, settings_of(given))
