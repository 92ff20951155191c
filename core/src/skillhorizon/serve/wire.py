"""The protocol's messages over two file descriptors, a line each, without a thread between them and the server."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType
    from typing import Self

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes; a longer line is no message, and is skipped."""
_CHUNK = 64 * 1024


class _Closing:
    """A stream that has nothing to let go of: the descriptors are the process's own."""

    async def aclose(self) -> None:
        """Do nothing."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None


class Incoming(_Closing):
    """Messages from a descriptor, until its end; a line that is no message comes as the exception that it raises."""

    def __init__(self, descriptor: int) -> None:
        self._from, self._rest, self._looked = descriptor, bytearray(), 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            line = await self._line()
            if line is None:
                raise StopAsyncIteration
            if not line.isspace():
                return _message(line)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message.

        Raises:
            anyio.EndOfStream: when there is none.
        """
        try:
            return await anext(self)
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def _line(self) -> bytes | None:
        """Return the next line with its end, or None; an unended last one is none."""
        while (end := self._rest.find(b"\n", self._looked)) < 0:
            self._looked = len(self._rest)
            if self._looked > LONGEST_LINE:
                del self._rest[_CHUNK:]
            chunk = await self._chunk()
            if not chunk:
                return None
            self._rest += chunk
        line = bytes(self._rest[: end + 1])
        del self._rest[: end + 1]
        self._looked = 0
        return line

    async def _chunk(self) -> bytes:
        while True:
            try:
                return os.read(self._from, _CHUNK)
            except BlockingIOError:
                await anyio.wait_readable(self._from)


def _message(line: bytes) -> SessionMessage | Exception:
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


class Outgoing(_Closing):
    """Messages to a descriptor, whole lines in the order in which they are sent."""

    def __init__(self, descriptor: int) -> None:
        self._to, self._turn = descriptor, anyio.Lock(fast_acquire=True)

    async def send(self, item: SessionMessage) -> None:
        """Write one message.

        Raises:
            anyio.BrokenResourceError: when nobody reads any more.
        """
        line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        async with self._turn:
            try:
                await self._write(memoryview(line))
            except BrokenPipeError as error:
                raise anyio.BrokenResourceError from error

    async def _write(self, rest: memoryview) -> None:
        while rest:
            try:
                rest = rest[os.write(self._to, rest) :]
            except BlockingIOError:
                await anyio.wait_writable(self._to)


@contextmanager
def standard_streams() -> Iterator[tuple[Incoming, Outgoing]]:
    """Take stdin and stdout for the protocol during the block.

    Meanwhile stdin is empty for everybody else, and what is printed goes to stderr, so that no tool can garble the
    protocol.
    """
    kept = os.dup(0), os.dup(1)
    blocking = [os.get_blocking(descriptor) for descriptor in kept]
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        for descriptor in kept:
            os.set_blocking(descriptor, False)
        yield Incoming(kept[0]), Outgoing(kept[1])
    finally:
        for number, descriptor in enumerate(kept):
            os.set_blocking(descriptor, blocking[number])
            os.dup2(descriptor, number)
            os.close(descriptor)
