"""Measures every figure against its floor in one run: `python benchmarks/run.py [--env financeops] [--rounds 5]`."""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import attrs
from floors import Frozen, frozen_log, replay_raw

from skillhorizon.construction.components import choose
from skillhorizon.construction.proof import prove
from skillhorizon.construction.workshop import Built, Workshop
from skillhorizon.model.canonical import loads
from skillhorizon.model.workload import HEADLINE
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY_TASK = """
import resource, sys
from skillhorizon.construction.components import choose
from skillhorizon.construction.proof import prove
from skillhorizon.construction.workshop import Workshop
shop = Workshop(choose(sys.argv[1]))
scale = shop.components.environment.scale
cell = ("1m", *scale.cells[0])
prove(shop.build(scale.config(*cell, scale.bounds(*cell)[1], {}), split="dev", seed=1))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@attrs.frozen
class Figure:
    """One line of the report."""

    name: str
    value: str
    bound: str
    holds: bool


def timed(work: Callable[[], object], rounds: int) -> float:
    """Return the least of several timings, in seconds of processor time: other load on the machine counts for less."""
    best = float("inf")
    for _ in range(rounds):
        start = processor_seconds()
        work()
        best = min(best, processor_seconds() - start)
    return best


def processor_seconds() -> float:
    """Return the processor time that this process and the children it waited for have used."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def at_most(name: str, value: float, bound: float, unit: str) -> Figure:
    """Return a figure that must not exceed its bound."""
    return Figure(name, f"{value:.2f} {unit}", f"<= {bound:g} {unit}", value <= bound)


def at_least(name: str, value: float, bound: float, unit: str) -> Figure:
    """Return a figure that must reach its bound."""
    return Figure(name, f"{value:,.0f} {unit}", f">= {bound:,g} {unit}", value >= bound)


class Bench:
    """The figures of one environment."""

    def __init__(self, env: str, rounds: int) -> None:
        self.env, self.rounds = env, rounds
        self.shop = Workshop(choose(env))
        self.scale = self.shop.components.environment.scale

    def config(self, band: str, cell: tuple[str, str], share: int = 100) -> object:
        """Return a configuration at a share (percent) of a band's knob range."""
        low, high = self.scale.bounds(band, *cell)
        step = self.scale.step(band, *cell)
        return self.scale.config(band, *cell, low + (high - low) * share // 100 // step * step, {})

    def build(self, band: str, cell: tuple[str, str], share: int = 100) -> Built:
        """Compose and build one task."""
        return self.shop.build(self.config(band, cell, share), split="dev", seed=1)

    def validation(self, cell: tuple[str, str]) -> list[Figure]:
        """Validation of a 1M task against its floor, with statements per call and compose's share."""
        built = self.build("1m", cell)
        frozen = frozen_log(built)
        floor, whole, compose = [], [], []
        for _ in range(self.rounds):
            floor.append(timed(lambda: replay_raw(built, frozen), 1))
            whole.append(timed(lambda: prove(self.build("1m", cell)), 1))
            compose.append(timed(lambda: self.build("1m", cell), 1))
        name = f"1m {cell[0]}/{cell[1]}"
        calls = sorted(frozen.per_call)
        sql = f"median {statistics.median(calls):.0f}, p95 {calls[len(calls) * 95 // 100]}"
        proof = prove(built).measurement
        return [
            Figure(f"{name}: L_ref, calls", f"{proof.l_ref:,} tokens, {proof.calls:,} calls", "reported", holds=True),
            at_most(f"{name}: validate / floor", min(whole) / min(floor), 2.5, "x"),
            at_most(f"{name}: compose and build / validate", min(compose) / min(whole), 0.5, "x"),
            Figure(f"{name}: SQL statements a call", sql, "reported", holds=True),
            at_least(f"{name}: replay in process", self.replay_rate(built, frozen), 8000, "calls/s"),
            at_most(f"{name}: reset", 1000 * timed(lambda: built.template.clone().close(), self.rounds), 20, "ms"),
            at_most(f"{name}: grade", 1000 * self.grading(built, frozen), 150, "ms"),
        ]

    def replay_rate(self, built: Built, frozen: Frozen) -> float:
        """Replay a journal in process: dispatch, arguments, transaction, record; tokens not counted."""
        calls = [(record.tool, loads(record.arguments_text)) for record in frozen.records]

        def replay() -> None:
            session = built.session(Nowhere())
            for tool, arguments in calls:
                session.call(tool, arguments)
            session.world.close()

        return len(calls) / timed(replay, self.rounds)

    def grading(self, built: Built, frozen: Frozen) -> float:
        """Seconds to score a finished run."""
        session = built.session(Nowhere())
        for record in frozen.records:
            session.call(record.tool, loads(record.arguments_text))
        return timed(session.score, self.rounds)

    def linearity(self, cell: tuple[str, str]) -> list[Figure]:
        """Seconds per million tokens from 64K to 4M; the last over the first must stay near 1."""
        rates = []
        for band in (*(band.name for band in HEADLINE), "2m", "4m"):
            start = time.process_time()
            proof = prove(self.build(band, cell))
            rates.append((proof.measurement.l_ref, time.process_time() - start))
        said = ", ".join(f"{tokens / 1e6:.2f}M {1e6 * s / tokens:.2f}" for tokens, s in rates)
        (least, first), (most, last) = rates[1], rates[-1]
        slope = (last / most) / (first / least)
        return [
            Figure(f"{cell[0]}/{cell[1]}: seconds per 1M tokens", said, "reported", holds=True),
            at_most(f"{cell[0]}/{cell[1]}: cost per token, 4M over 128K", slope, 1.5, "x"),
        ]

    def memory(self) -> Figure:
        """Peak memory of validating one 1M task in a process of its own."""
        done = subprocess.run([sys.executable, "-c", MEMORY_TASK, self.env], capture_output=True, text=True, check=True)
        return at_most("1m: peak memory", int(done.stdout) / 1024, 200, "MiB")

    def start_up(self) -> list[Figure]:
        """What the command costs over a bare interpreter."""
        bare = self.command("-c", "pass")
        helped = self.command("-m", "skillhorizon", "--help") - bare
        listed = self.command("-m", "skillhorizon", "list-envs") - bare
        return [
            at_most("shz --help over python -c pass", 1000 * helped, 60, "ms"),
            at_most("shz list-envs over python -c pass", 1000 * listed, 100, "ms"),
        ]

    def command(self, *arguments: str) -> float:
        """Return the least time of a whole process, in seconds."""
        line = [sys.executable, *arguments]
        return timed(lambda: subprocess.run(line, capture_output=True, check=True), 4 * self.rounds)


def main() -> int:
    """Measure, print, and say by the exit code whether every bound holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env", default="financeops")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cells", type=int, default=3, help="how many family/variant cells, spread over all")
    asked = parser.parse_args()
    bench = Bench(asked.env, asked.rounds)
    cells = bench.scale.cells[:: max(1, len(bench.scale.cells) // asked.cells)][: asked.cells]
    figures = bench.start_up()
    for cell in cells:
        figures += bench.validation(cell)
    figures += bench.linearity(cells[0])
    figures.append(bench.memory())
    for figure in figures:
        print(f"{'pass' if figure.holds else 'FAIL'}  {figure.name:<70} {figure.value:<34} {figure.bound}")
    print(f"peak memory of this run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    raise SystemExit(main())
