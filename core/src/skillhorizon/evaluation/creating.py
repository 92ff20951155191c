"""Self-generated skills: before an execution its agent writes a pack in a session of its own, from the task alone."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.construction.suites import load_entry
from skillhorizon.evaluation.conditions import SELF_GENERATED, instruction_of
from skillhorizon.evaluation.execution import Execution
from skillhorizon.evaluation.opening import built_of
from skillhorizon.evaluation.packs import PACKS
from skillhorizon.model.terms import Terms
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from skillhorizon.evaluation.executing import Job
    from skillhorizon.evaluation.limits import Meter

SAMPLE_CALLS = 40
"""The calls that a creator may try in its session; nothing of it remains."""


def created_pack(terms: Terms, task: str, trial: int) -> str:
    """Return where a self-generated pack lies, seen from the run's folder: one per task, or one per trial."""
    return f"{PACKS}/{task}.{trial}" if terms.skills.endswith(":trial") else f"{PACKS}/{task}"


@attrs.define
class Creations:
    """The packs of a run that are being written: no pack is written twice."""

    _locks: dict[Path, asyncio.Lock] = attrs.Factory(dict)

    async def ensure(self, job: Job, agent: Any, meter: Meter) -> None:
        """Let the agent write the job's pack unless it is there; a pack's folder stands only when it is complete."""
        if job.label.terms.kind != SELF_GENERATED:
            return
        folder = job.run / job.label.terms.pack
        async with self._locks.setdefault(folder, asyncio.Lock()):
            if folder.is_dir():
                return
            task = load_entry(job.suite, job.entry)
            with closing(built_of(task, Terms(skills="none"))) as built:
                session = built.session(Nowhere(), budget=SAMPLE_CALLS)
                with closing(session.world):
                    text = instruction_of(task.instruction, built.components.toolbox)
                    execution = Execution(task, session, instruction=text)
                    execution.meter = meter
                    await agent.create(execution, folder)
