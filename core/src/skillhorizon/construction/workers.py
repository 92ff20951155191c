"""Running independent jobs on all cores; a killed worker loses nothing that was done."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_all_start_methods, get_context, parent_process, resource_tracker
from typing import TYPE_CHECKING, Generic, TypeVar

import attrs

from skillhorizon.errors import SkillHorizonError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from multiprocessing.context import BaseContext

J = TypeVar("J")
R = TypeVar("R")


class WorkerLost(SkillHorizonError):
    """A worker process died on a job twice, the second time alone."""


@attrs.frozen
class Done(Generic[J, R]):
    """One finished job: its result, or the error it raised."""

    job: J
    result: R | None
    error: Exception | None


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def run_all(
    work: Callable[[J], R], jobs: Sequence[J], *, workers: int = 0, fresh: bool = False
) -> Generator[Done[J, R], None, None]:
    """Run jobs in processes of their own making and yield each as it is done.

    Args:
        work: an importable function; it and the jobs are pickled.
        jobs: what to do, started in this order.
        workers: processes at once; 0 is one per core; with 1 everything runs in this process.
        fresh: give every job a process that has done nothing before.

    Yields:
        Done jobs, in the order in which they end. A worker that dies takes nothing with it: the jobs under way run
        again, alone; one that kills its worker then too is `WorkerLost`.
    """
    if workers == 1 and not fresh:
        yield from (_here(work, job) for job in jobs)
        return
    waiting = deque(jobs)
    if fresh:
        yield from _apart(work, waiting, workers or cores())
    while waiting:
        suspects: list[J] = []
        yield from _together(work, waiting, workers or cores(), suspects)
        for job in suspects:
            yield _alone(work, job)


def _here(work: Callable[[J], R], job: J) -> Done[J, R]:
    try:
        return Done(job, work(job), None)
    except Exception as error:  # whatever a job raises is its result
        return Done(job, None, error)


def _pool(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=_context(), initializer=_follow_parent)


_WARM = "skillhorizon.construction.warm"


def _context() -> BaseContext:
    """Return how workers start: forked from a server that has loaded what they need, where there is one."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([_WARM])
    return context


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they inherit that, and none dies of it before it can ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its own start would end the holding
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _follow_parent() -> None:
    """Leave Ctrl-C to the parent, which alone knows what is done, and end with it however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    """Wait for the parent's death: a worker without one would go on writing what another command starts anew."""
    connection.wait([sentinel])
    os._exit(1)


def _apart(work: Callable[[J], R], waiting: deque[J], workers: int) -> Iterator[Done[J, R]]:
    """Run every job in a pool of its own: one pool that renews its workers after each job may wait for ever."""
    running: dict[Future[R], tuple[J, ProcessPoolExecutor]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job, pool = waiting.popleft(), _pool(1)
                running[_submitted(pool, work, job)] = job, pool
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                job, pool = running.pop(future)
                _stop(pool)
                done = _outcome(future, job)
                yield _alone(work, job) if isinstance(done.error, BrokenProcessPool) else done
    finally:
        for _, pool in running.values():
            _stop(pool)


def _together(work: Callable[[J], R], waiting: deque[J], workers: int, suspects: list[J]) -> Iterator[Done[J, R]]:
    """Run waiting jobs until none is left or a worker dies; then name what was under way."""
    pool = _pool(workers)
    running: dict[Future[R], J] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.popleft()
                running[_submitted(pool, work, job)] = job
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                done = _outcome(future, running.pop(future))
                if isinstance(done.error, BrokenProcessPool):
                    suspects += [done.job, *running.values()]
                    return
                yield done
    except BrokenProcessPool:
        suspects += [*([job] if job not in running.values() else []), *running.values()]
    finally:
        _stop(pool)


def _submitted(pool: ProcessPoolExecutor, work: Callable[[J], R], job: J) -> Future[R]:
    with _interrupts_held():
        return pool.submit(work, job)


def _outcome(future: Future[R], job: J) -> Done[J, R]:
    error = future.exception()
    if error is None:
        return Done(job, future.result(), None)
    return Done(job, None, error if isinstance(error, Exception) else RuntimeError(str(error)))


def _alone(work: Callable[[J], R], job: J) -> Done[J, R]:
    pool = _pool(1)
    try:
        done = _outcome(_submitted(pool, work, job), job)
    finally:
        _stop(pool)
    if isinstance(done.error, BrokenProcessPool):
        lost = WorkerLost(
            f"the worker process died twice on {job}; is memory short? Start the same command again to try it once more"
        )
        return Done(job, None, lost)
    return done


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the pool; what is still running has no reader any more and is ended at once."""
    if pool._pending_work_items:  # the executor has no public way to end a job
        for process in list((pool._processes or {}).values()):
            process.terminate()
    pool.shutdown(cancel_futures=True)
