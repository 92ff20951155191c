"""Watching foreign code: deadlines, what it prints, and where it broke."""

from __future__ import annotations

import io
import signal
import sys
import threading
import traceback
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_AGAIN_SECONDS = 1.0
_MOST_FRAMES = 4
_LONGEST = 400


class Overdue(BaseException):
    """A deadline has passed; no `except Exception` of an environment swallows it. Its text says where it hung."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Interrupt the block when it takes longer, where the system has alarms and this is the main thread.

    Raises:
        Overdue: from within the block.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield  # a caller in another thread, or on Windows, has no alarm; worker processes are ended from outside
        return
    start, before = monotonic(), signal.signal(signal.SIGALRM, _ring)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)
    if left and left < seconds:
        signal.setitimer(signal.ITIMER_REAL, left, _AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (monotonic() - start), 0.001), interval)


def _ring(_number: int, frame: FrameType | None) -> None:
    raise Overdue(" < ".join(_frames(frame)))


def _frames(frame: FrameType | None) -> Iterator[str]:
    count = 0
    while frame is not None and count < _MOST_FRAMES:
        yield place(frame)
        frame, count = frame.f_back, count + 1


def place(frame: FrameType) -> str:
    """Return where a frame stands: file, line and function."""
    file = Path(frame.f_code.co_filename)
    return f"{file.parent.name}/{file.name}:{frame.f_lineno} in {frame.f_code.co_name}"


def cause(error: BaseException) -> str:
    """Return an error's last frames and its text."""
    lines = [
        f"{Path(at.filename).parent.name}/{Path(at.filename).name}:{at.lineno} in {at.name}"
        for at in traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]
    ]
    return short("\n".join([*lines, f"{type(error).__name__}: {error}"]), 4 * _LONGEST)


def short(value: object, most: int = _LONGEST) -> str:
    """Return a value's text, cut in the middle of what is too long.

    >>> short("abcdefghijkl", 8)
    'abcd...l'
    """
    text = str(value)
    return text if len(text) <= most else f"{text[: most // 2]}...{text[len(text) - (most - most // 2 - 3) :]}"


class Overheard(io.TextIOBase):
    """A stream that keeps what is written to it, by the place that wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, str] = {}

    def write(self, text: str) -> int:
        """Keep a text."""
        where = place(sys._getframe(1))  # the caller's frame; `inspect` has no shorter way to it
        self.said[where] = self.said.get(where, "") + text
        return len(text)

    def writable(self) -> bool:
        """Whether it can be written to: yes."""
        return True


@contextmanager
def overheard() -> Iterator[Overheard]:
    """Keep what the block prints, and give it an empty input."""
    ear, before = Overheard(), sys.stdin
    with ExitStack() as stack:
        stack.enter_context(redirect_stdout(ear))
        stack.enter_context(redirect_stderr(ear))
        sys.stdin = io.StringIO()
        try:
            yield ear
        finally:
            sys.stdin = before
