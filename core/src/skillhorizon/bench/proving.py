"""Proving tasks: validation against its floor, replay, reset, grading, growth and memory."""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from skillhorizon.bench.figures import Figure, at_least, at_most, reported, timed
from skillhorizon.bench.floors import frozen_log, replay_raw
from skillhorizon.construction.components import choose
from skillhorizon.construction.garbage import uncollected
from skillhorizon.construction.proof import prove
from skillhorizon.construction.workshop import Built, Workshop
from skillhorizon.model.canonical import loads
from skillhorizon.model.workload import HEADLINE
from skillhorizon.session.session import Nowhere, Session

if TYPE_CHECKING:
    from collections.abc import Callable

VALIDATION, COMPOSE, CALLS, RESET, GRADING, GROWTH, MEMORY = 2.5, 0.5, 8000, 20, 150, 1.5, 200
"""Bounds: x floor, x validation, calls/s, ms, ms, x cost per token, MiB."""
BAND = "1m"
GROWING = (*(band.name for band in HEADLINE), "2m", "4m")
ALONE = """
import sys
from skillhorizon.bench.figures import peak_memory
from skillhorizon.bench.proving import Yard
from skillhorizon.construction.proof import prove
yard = Yard(sys.argv[1], 1)
prove(yard.build("1m", yard.cells(1)[0]))
print(peak_memory())
"""
Cell = tuple[str, str]


class Yard:
    """Where tasks of one environment are built to be measured."""

    def __init__(self, env: str, rounds: int) -> None:
        self.env, self.rounds = env, rounds
        self.shop = Workshop(choose(env))
        self.scale = self.shop.components.environment.scale

    def cells(self, count: int) -> list[Cell]:
        """Return some family and variant cells, spread over all."""
        every = self.scale.cells
        return list(every[:: max(1, len(every) // count)][:count])

    def build(self, band: str, cell: Cell) -> Built:
        """Compose and build the largest task of a band."""
        config = self.scale.config(band, *cell, self.scale.bounds(band, *cell)[1], {})
        return self.shop.build(config, split="dev", seed=1)

    @uncollected()
    def validated(self, cell: Cell) -> None:
        """Compose, build, run, count and check one task."""
        built = self.build(BAND, cell)
        prove(built)
        built.close()


def validation(yard: Yard, cell: Cell) -> list[Figure]:
    """Measure one cell's largest 1M task: validation, floor, compose and replay are timed in turns."""
    built = yard.build(BAND, cell)
    frozen = frozen_log(built)
    calls = [(record.tool, loads(record.arguments_text)) for record in frozen.records]
    _out_of_sight()
    floor, whole, compose, replayed = _in_turns(
        yard.rounds,
        partial(replay_raw, built, frozen),
        lambda: yard.validated(cell),
        lambda: yard.build(BAND, cell).close(),
        partial(_again, built, calls),
    )
    name, made, measured = f"{BAND} {'/'.join(cell)}", sorted(frozen.per_call), prove(built).measurement
    statements = f"median {statistics.median(made):.0f}, p95 {made[len(made) * 95 // 100]}"
    figures = [
        reported(f"{name}: L_ref and calls", f"{measured.l_ref:,} tokens, {measured.calls:,} calls"),
        at_most(f"{name}: validate / floor", whole / floor, VALIDATION, "x"),
        at_most(f"{name}: compose and build / validate", compose / whole, COMPOSE, "x"),
        reported(f"{name}: SQL statements a call", statements),
        at_least(f"{name}: replay in process", len(calls) / replayed, CALLS, "calls/s"),
        at_most(f"{name}: reset", 1000 * timed(lambda: built.template.clone().close(), yard.rounds), RESET, "ms"),
        at_most(f"{name}: grade", 1000 * grading(yard, built, calls), GRADING, "ms"),
    ]
    built.close()
    return figures


def _out_of_sight() -> None:
    """Keep the collector from walking the frozen log and the calls, which are no part of what is measured."""
    gc.collect()
    gc.freeze()


def _in_turns(rounds: int, *works: Callable[[], object]) -> list[float]:
    """Return the least timing of each work, whatever else the machine does meeting all of them."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        best = [min(known, timed(work)) for known, work in zip(best, works, strict=True)]
    return best


def _called(built: Built, calls: list[tuple[str, Any]]) -> Session:
    session = built.session(Nowhere())
    for tool, arguments in calls:
        session.call(tool, arguments)
    return session


def _again(built: Built, calls: list[tuple[str, Any]]) -> None:
    """Replay a journal's calls in process: dispatch, arguments, transaction, record; no token counted."""
    _called(built, calls).world.close()


def grading(yard: Yard, built: Built, calls: list[tuple[str, Any]]) -> float:
    """Return the seconds to score a finished run without composing again."""
    session = _called(built, calls)
    seconds = timed(session.score, yard.rounds)
    session.world.close()
    return seconds


def growth(yard: Yard, cell: Cell) -> list[Figure]:
    """Measure the cost of a token from 64K to 4M: linear cost keeps it."""
    rates = [(_tokens(yard, band, cell), timed(partial(_tokens, yard, band, cell))) for band in GROWING]
    said = ", ".join(f"{tokens / 1e6:.2f}M {1e6 * seconds / tokens:.2f}" for tokens, seconds in rates)
    (few, first), (many, last) = rates[1], rates[-1]
    name = "/".join(cell)
    return [
        reported(f"{name}: seconds per 1M tokens", said),
        at_most(f"{name}: cost of a token, 4M over 128K", (last / many) / (first / few), GROWTH, "x"),
    ]


def _tokens(yard: Yard, band: str, cell: Cell) -> int:
    built = yard.build(band, cell)
    measured = prove(built).measurement
    built.close()
    return measured.l_ref


def memory(env: str) -> Figure:
    """Measure the peak memory of validating one 1M task in a process of its own."""
    done = subprocess.run([sys.executable, "-c", ALONE, env], capture_output=True, text=True, check=True)
    return at_most(f"{BAND}: peak memory of validation", int(done.stdout) / 1024, MEMORY, "MiB")
