"""Executions of agents that wait for a model: many at once on one event loop, in this process."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from skillhorizon.construction.workers import Done
from skillhorizon.evaluation.creating import Creations
from skillhorizon.evaluation.executing import Job, attend
from skillhorizon.evaluation.result import Result

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from skillhorizon.evaluation.agents import Attending
    from skillhorizon.evaluation.limits import Meter

AT_ONCE = 8
"""Executions at once unless the user says otherwise: a model's turn takes a thousand times as long as a tool's."""

Finished = Done[Job, Result]
Tasks = set[asyncio.Task[Finished]]


def attend_all(
    agent: Attending, jobs: Sequence[Job], meter: Meter, *, at_once: int = 0
) -> Generator[Finished, None, None]:
    """Execute jobs and yield each as it is done.

    When one stops the whole run, the others stop before their next request; what they had is kept, and the reason comes
    last. Whoever stops reading cancels what is under way.
    """
    waiting = deque(jobs)
    running: Tasks = set()
    stopped: list[Finished] = []
    creations = Creations()
    with asyncio.Runner() as loop:
        try:
            while running or (waiting and not stopped):
                while waiting and not stopped and len(running) < (at_once or AT_ONCE):
                    running.add(loop.get_loop().create_task(_done(agent, waiting.popleft(), meter, creations)))
                ended, running = loop.run(_first(running))
                for done in sorted((task.result() for task in ended), key=lambda done: str(done.job)):
                    if done.error is None:
                        yield done
                    else:
                        meter.stop(str(done.error))
                        stopped.append(done)
        finally:
            loop.run(_cancelled(running))
            loop.run(_closed(agent))
    yield from stopped[:1]


async def _done(agent: Attending, job: Job, meter: Meter, creations: Creations) -> Finished:
    try:
        return Done(job, await attend(job, agent, meter, creations), None)
    except Exception as error:  # whatever a job raises is its result
        return Done(job, None, error)


async def _first(running: Tasks) -> tuple[Tasks, Tasks]:
    return await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)


async def _cancelled(running: Tasks) -> None:
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


async def _closed(agent: Attending) -> None:
    """Let the agent free its connections, which belong to this loop."""
    close = getattr(agent, "close", None)
    if close is not None:
        await close()
