"""A process group that ends with this process, however that ends.

Two pipes: the group's first process waits at a gate until a guard is on duty, and the guard, a child of this process
in a session of its own, kills the group as soon as nobody holds its pipe any more. What has left the group, as a
process does that makes a session of its own, is not found.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

GATE = 'read -r _ && exec /bin/sh -c "$1" </dev/null'
"""Runs a command without input once its stdin gives a line; when that ends without one, nothing is run."""
_GUARD = 'read -r _; kill -s KILL -- "-$1"'


class Gate:
    """What the first process of a group waits for at `GATE`; closed for good once the block or this process ends."""

    def __init__(self) -> None:
        self.waiting, self._keeper = os.pipe()

    def open(self) -> None:
        """Let the process begin."""
        os.write(self._keeper, b"\n")

    def __enter__(self) -> Gate:
        """Return the gate itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Close it."""
        os.close(self.waiting)
        os.close(self._keeper)


@contextmanager
def to_this_process(group: int) -> Iterator[None]:
    """Have a process group killed when this process ends within the block."""
    quiet = subprocess.DEVNULL
    words = ["/bin/sh", "-c", _GUARD, "sh", str(group)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, start_new_session=True) as guard:  # noqa: S603  # fixed words
        try:
            yield
        finally:
            guard.kill()
