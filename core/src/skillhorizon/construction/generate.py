"""Generating suites: planned seeds, calibrated knobs, proven tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from skillhorizon.construction.calibration import calibrate
from skillhorizon.construction.components import choose
from skillhorizon.construction.files import make_folder, write_whole
from skillhorizon.construction.garbage import uncollected
from skillhorizon.construction.lock import locked
from skillhorizon.construction.proof import Proof, prove
from skillhorizon.construction.suites import check_options, entry_of, started, task_path, write_suite
from skillhorizon.construction.tasks import read_task, task_of, task_text
from skillhorizon.construction.workers import run_all
from skillhorizon.construction.workshop import Built, Workshop
from skillhorizon.environment import OWN, Scale
from skillhorizon.errors import ProofFailed, SkillHorizonError, UsageError
from skillhorizon.model.canonical import Json
from skillhorizon.model.rng import Rng
from skillhorizon.model.task import Cell, Entry, Suite, Task
from skillhorizon.model.workload import band as band_of

MOST_SEEDS = 5
SPLITS = ("dev", "eval")
Progress = Callable[[Entry, Task], None]


@attrs.frozen(kw_only=True)
class Order:
    """What to generate: options as `shz generate` takes them; `options` are the environment's own, such as slack."""

    environment: str
    bands: tuple[str, ...]
    per_band: int
    split: str = "dev"
    seed: int = 0
    policy: str = OWN
    skills: str = OWN
    options: Mapping[str, Json] = attrs.Factory(dict)

    def as_json(self) -> dict[str, Json]:
        """Return the options as plain JSON: what a continued suite must agree on."""
        return {**attrs.asdict(self), "bands": list(self.bands)}


@attrs.frozen(kw_only=True)
class Planned:
    """One task to make: its id, cell and number within the cell."""

    order: Order
    id: str
    cell: Cell
    number: int


def planned(order: Order) -> list[Planned]:
    """Return the tasks of an order, round-robin over family and variant in every band.

    Raises:
        UsageError: when a band or split is unknown, or a count is not positive.
    """
    if order.per_band < 1:
        raise UsageError(f"--per-band is {order.per_band}; at least 1 task per band is made")
    if order.split not in SPLITS:
        raise UsageError(f"there is no split {order.split!r}; the splits are {', '.join(SPLITS)}")
    scale = choose(order.environment, policy=order.policy, skills=order.skills).environment.scale
    out = []
    for name in (band_of(name).name for name in order.bands):
        cells = scale.cells_of(name)
        for i in range(order.per_band):
            family, variant = cells[i % len(cells)]
            number = i // len(cells) + 1
            task_id = f"{order.environment}-{name}-{family}-{variant}-{number:02d}"
            out.append(
                Planned(order=order, id=task_id, cell=Cell(band=name, family=family, variant=variant), number=number)
            )
    return out


def generate(order: Order, out: str | Path, *, workers: int = 1, progress: Progress | None = None) -> Suite:
    """Generate a suite into a folder, or go on with one that was interrupted.

    Args:
        order: what to make.
        out: the folder.
        workers: processes at once; 1 is this process itself, 0 one per core.
        progress: told of every task written.

    Raises:
        UsageError: when the folder holds a suite with other options, or another process works on it.
        ConfigError: when an option breaks a rule of the environment; nothing is written.
        ProofFailed: when a task cannot be proven or fitted into its band; what was written stays.
        StorageError: when the folder cannot be written.
    """
    folder = Path(out)
    plans = planned(order)
    components = choose(order.environment, policy=order.policy, skills=order.skills)
    _check_configs(components.environment.scale, plans)
    make_folder(folder)
    with locked(folder):
        known = started(folder)
        if known is not None:
            check_options(folder, known, order.as_json())
        else:
            write_suite(folder, order.environment, components.version, order.as_json(), [])
        entries = _made(folder, plans, workers, progress)
        made = [entries[plan.id] for plan in plans]
        return write_suite(folder, order.environment, components.version, order.as_json(), made)


def _made(folder: Path, plans: Sequence[Planned], workers: int, progress: Progress | None) -> dict[str, Entry]:
    """Make the tasks that the folder lacks and return all by id."""
    entries = {plan.id: entry_of(read_task(path)) for plan in plans if (path := task_path(folder, plan.id)).exists()}
    todo = [plan for plan in plans if plan.id not in entries]
    for done in run_all(make_task, todo, workers=min(workers, len(todo)) if workers else 0):
        if done.error is not None or done.result is None:
            raise _named(done.job, done.error)
        write_whole(task_path(folder, done.job.id), task_text(done.result))
        entries[done.job.id] = entry_of(done.result)
        if progress is not None:
            progress(entries[done.job.id], done.result)
    return entries


def _check_configs(scale: Scale[Any], plans: Sequence[Planned]) -> None:
    for plan in plans:
        where = (plan.cell.band, plan.cell.family, plan.cell.variant)
        scale.config(*where, scale.bounds(*where)[0], plan.order.options)


def _named(plan: Planned, error: Exception | None) -> Exception:
    if isinstance(error, SkillHorizonError):
        return type(error)(f"task {plan.id}: {error}")
    return ProofFailed(f"task {plan.id} cannot be made: {type(error).__name__}: {error}")


def make_task(plan: Planned) -> Task:
    """Make one task: the first planned seed whose calibration ends inside the band.

    Raises:
        ProofFailed: when none of the seeds does.
    """
    order = plan.order
    shop = Workshop(choose(order.environment, policy=order.policy, skills=order.skills))
    for attempt in range(MOST_SEEDS):
        path = (order.environment, order.split, order.seed, plan.cell.band, plan.cell.family, plan.cell.variant)
        rng = Rng("seed", *path, plan.number, attempt)
        seed = rng.integer(0, 2**31 - 1)
        made = _fitted(shop, plan, seed, rng)
        if made is not None:
            return made
    raise ProofFailed(f"no workload of {MOST_SEEDS} seeds falls into band {plan.cell.band}; check the scale's bounds")


def _fitted(shop: Workshop, plan: Planned, seed: int, rng: Rng) -> Task | None:
    scale, cell = shop.components.environment.scale, plan.cell
    where = (cell.band, cell.family, cell.variant)
    proofs: dict[int, Proof] = {}

    def build(knob: int) -> Built:
        config = scale.config(*where, knob, plan.order.options)
        return shop.build(config, split=plan.order.split, seed=seed)

    @uncollected()
    def measure(knob: int) -> int:
        built = build(knob)
        proofs[knob] = prove(built)
        built.close()
        return proofs[knob].measurement.l_ref

    target = aimed(scale.reach(*where), cell.band, rng)
    probe = calibrate(measure, scale.bounds(*where), target, band_of(cell.band), step=scale.step(*where))
    if probe is None or scale.accept(cell.band, proofs[probe.knob].measurement.work) is not None:
        return None
    built = build(probe.knob)
    made = task_of(built, proofs[probe.knob], task_id=plan.id, split=plan.order.split, seed=seed, cell=cell)
    built.close()
    return made


def aimed(reach: tuple[int, int], band: str, rng: Rng) -> int:
    """Draw an L_ref to aim at from the part of the band that is reached, less 4 % at each end."""
    bounds = band_of(band)
    low, high = max(reach[0], bounds.low + 1), min(reach[1], bounds.high)
    margin = (high - low) * 4 // 100
    return rng.integer(low + margin, high - margin)
