"""Where validation's time goes: per tool, and per function."""

from __future__ import annotations

import cProfile
import pstats
from collections import Counter
from typing import TYPE_CHECKING

from skillhorizon.bench.figures import processor_seconds
from skillhorizon.construction.proof import run_reference
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from skillhorizon.bench.proving import Cell, Yard
    from skillhorizon.model.journal import Record

BAND = "512k"
SHOWN = 25
Row = tuple[str, str, str]


class Stopwatch(Nowhere):
    """A recorder that takes the time since the record before."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._last = processor_seconds()

    def append(self, record: Record) -> None:
        """Book the time since the record before on this one's tool; what the policy thinks is in it."""
        now = processor_seconds()
        self.seconds[record.tool] += now - self._last  # type: ignore[assignment]  # a counter of seconds
        self.calls[record.tool] += 1
        self._last = now


def by_tool(yard: Yard, cell: Cell) -> list[Row]:
    """Return (tool, calls, microseconds a call) of one reference run, the dearest in sum first."""
    built, watch = yard.build(BAND, cell), Stopwatch()
    session = built.session(watch)
    run_reference(session)
    session.world.close()
    built.close()
    return [
        (tool, f"{watch.calls[tool]:,}", f"{1e6 * seconds / watch.calls[tool]:.0f}")
        for tool, seconds in watch.seconds.most_common()
    ]


def by_function(yard: Yard, cell: Cell) -> list[Row]:
    """Return (function, calls, share of the time in percent) of one reference run, the dearest first."""
    built = yard.build(BAND, cell)
    session = built.session(Nowhere())
    with cProfile.Profile() as profiled:
        run_reference(session)
    session.world.close()
    built.close()
    stats = pstats.Stats(profiled).get_stats_profile()
    whole = sum(found.tottime for found in stats.func_profiles.values()) or 1.0
    dearest = sorted(stats.func_profiles.items(), key=lambda pair: -pair[1].tottime)[:SHOWN]
    return [(_place(name, found), str(found.ncalls), f"{100 * found.tottime / whole:.1f}") for name, found in dearest]


def _place(name: str, found: pstats.FunctionProfile) -> str:
    """Return a function's name with the file it stands in, short."""
    file = found.file_name.replace("\\", "/").rpartition("/src/")[2].rpartition("/site-packages/")[2]
    return name if file in ("", "~") else f"{file}:{found.line_number} {name}"
