"""Serving an execution that runs in this process to one client over HTTP, for as long as the client works."""

from __future__ import annotations

import secrets
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import attrs
import uvicorn

from skillhorizon.serve.guard import LOOPBACK, Guard
from skillhorizon.serve.http import Gate, Site, listen, path_of
from skillhorizon.serve.seat import NoCall, Seat
from skillhorizon.serve.server import server_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from skillhorizon.evaluation.execution import Execution
    from skillhorizon.model.journal import Record
    from skillhorizon.session.session import Recorder, Session

TOKEN_BYTES = 32


@attrs.frozen
class Host:
    """Where an execution is served, and what a client must bear."""

    url: str
    token: str


class _Kept:
    """A recorder that remembers what it passes on, so that a call can be answered again."""

    def __init__(self, inner: Recorder) -> None:
        self.inner = inner
        self.records: dict[int, Record] = {}

    def append(self, record: Record) -> None:
        """Pass a record on, and remember it."""
        self.inner.append(record)
        self.records[record.index] = record


class GuestSeat(Seat):
    """A seat at an execution that somebody else opened and closes."""

    def __init__(self, execution: Execution) -> None:
        self.task = attrs.evolve(execution.task, instruction=execution.instruction)
        self.name = secrets.token_hex(8)
        self.warnings: list[str] = []
        self.tools = execution.tools
        self.ended, self.calls = execution.ended, execution.session.index
        self._execution = execution
        self._kept = _Kept(execution.session.recorder)
        execution.session.recorder = self._kept

    def open(self) -> None:
        """Do nothing: it is open."""

    def leave(self) -> None:
        """Let go of the execution, which goes on without the seat."""
        if self._execution is not None:
            session: Session = self._execution.session
            session.recorder = self._kept.inner

    def _record(self, number: int) -> Record:
        found = self._kept.records.get(number)
        if found is None:
            raise NoCall(f"call {number} was made before this server was started; its answer is no longer known")
        return found


@asynccontextmanager
async def hosted(execution: Execution) -> AsyncIterator[Host]:
    """Serve an execution at a free port of 127.0.0.1 during the block; the event loop must not be blocked in it.

    Raises:
        StorageError: when no port can be had.
    """
    failed: Exception | None = None
    async with _serving(GuestSeat(execution)) as host:
        try:
            yield host
        except Exception as error:  # the servers' task groups would wrap it
            failed = error
    if failed is not None:
        raise failed


@asynccontextmanager
async def _serving(seat: GuestSeat) -> AsyncIterator[Host]:
    token, host = secrets.token_urlsafe(TOKEN_BYTES), LOOPBACK[0]
    async with AsyncExitStack() as stack:
        stack.callback(seat.leave)
        at = stack.enter_context(listen(host, 0))
        gate = Gate.of(server_of(seat))
        await stack.enter_async_context(gate.plain.run())
        await stack.enter_async_context(gate.streaming.run())
        server = _Quiet(_config(Site({path_of(seat): gate}, Guard(token, host))))
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [at])
            yield Host(f"http://{host}:{at.getsockname()[1]}{path_of(seat)}", token)
            server.should_exit = True


class _Quiet(uvicorn.Server):
    """A server that leaves signals to the process around it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def _config(site: Any) -> uvicorn.Config:
    return uvicorn.Config(
        site,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
