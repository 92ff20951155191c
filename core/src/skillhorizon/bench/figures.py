"""Figures with their bounds, and the clocks that measure them."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable


@attrs.frozen
class Figure:
    """One measured figure: what it is, its value, the bound it is held against, and whether it holds."""

    name: str
    value: str
    bound: str
    holds: bool


def at_most(name: str, value: float, bound: float, unit: str) -> Figure:
    """Return a figure that must not exceed its bound."""
    return Figure(name, f"{value:.2f} {unit}", f"<= {bound:g} {unit}", value <= bound)


def at_least(name: str, value: float, bound: float, unit: str) -> Figure:
    """Return a figure that must reach its bound."""
    return Figure(name, f"{value:,.0f} {unit}", f">= {bound:,g} {unit}", value >= bound)


def reported(name: str, value: str) -> Figure:
    """Return a figure without a bound."""
    return Figure(name, value, "reported", holds=True)


def processor_seconds() -> float:
    """Return the processor time that this process and the children it waited for have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_memory() -> int:
    """Return the most memory that this process has held, in KiB.

    Linux hands the figure of `getrusage` down from the process that started this one; its own is elsewhere.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
    except (OSError, StopIteration):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // 1024 if sys.platform == "darwin" else most  # macOS counts bytes


def timed(work: Callable[[], object], rounds: int = 1) -> float:
    """Return the least of several timings, in seconds of processor time: other load on the machine counts for less."""
    best = float("inf")
    for _ in range(rounds):
        start = processor_seconds()
        work()
        best = min(best, processor_seconds() - start)
    return best
