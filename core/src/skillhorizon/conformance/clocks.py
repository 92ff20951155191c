"""Watching for clocks and chance: which code asks for the time or for random numbers."""

from __future__ import annotations

import _random
import datetime
import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from skillhorizon.conformance.guard import place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from skillhorizon.environment import Environment

_TIMES = (
    "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns localtime gmtime"
)
FORBIDDEN: dict[int, str] = {
    **{id(getattr(time, name)): f"time.{name}" for name in _TIMES.split()},
    id(os.urandom): "os.urandom",
    id(os.getpid): "os.getpid",
}
"""Built-in functions that answer differently each time, by identity."""
_TODAY = ("now", "utcnow", "today")
_CORE = "skillhorizon"


class ClockWatch:
    """A profile function that notes every clock or chance that some packages ask, directly or through libraries.

    It sees built-in functions however they were imported. What core does on its own account does not count.
    """

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages
        self.seen: set[str] = set()

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """Look at one call."""
        if event == "c_call":
            name = _forbidden(arg)
            own = self._own(frame) if name else None
            if own is not None:
                self.seen.add(f"{name} at {place(own)}")

    def _own(self, frame: FrameType | None) -> FrameType | None:
        """Return the frame of the packages on whose account a call is made, or None when there is none."""
        while frame is not None:
            top = str(frame.f_globals.get("__name__", "")).partition(".")[0]
            if top in self.packages:
                return frame
            if top == _CORE or frame.f_code.co_filename.startswith("<frozen importlib"):
                return None
            frame = frame.f_back
        return None


def _forbidden(function: Any) -> str:
    name = FORBIDDEN.get(id(function), "")
    owner = getattr(function, "__self__", None)
    if not name and isinstance(owner, _random.Random):
        name = "random"
    elif not name and isinstance(owner, type) and issubclass(owner, datetime.date) and function.__name__ in _TODAY:
        name = f"datetime.{function.__name__}"
    return name


def packages_of(environment: Environment[Any, Any]) -> frozenset[str]:
    """Return the top packages that an environment's roles are written in."""
    roles = (environment.compose, environment.base, environment.build, environment.steps, environment.apply)
    functions = (*roles, environment.check, environment.instruction, *(tool.body for tool in environment.tools))
    modules = (getattr(function, "__module__", None) or "" for function in functions)
    return frozenset(module.partition(".")[0] for module in modules) - {_CORE, ""}


@contextmanager
def clocks_watched(watch: ClockWatch) -> Iterator[None]:
    """Note every clock and chance that the block asks."""
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)
