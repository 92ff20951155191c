"""Executions at once on one event loop come to what they come to one after the other."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from agents_fakes import Learned, reference_calls, task_files

from skillhorizon import RunOptions, evaluate, load_task
from skillhorizon_agents.agent import ModelAgent
from skillhorizon_agents.backend import Transient
from skillhorizon_agents.limiter import Limiter
from skillhorizon_agents.settings import settings_of

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon_agents.conversation import Answer, Request

GIVEN = {"context": "summary|sliding:4|none", "context-limit": "16000", "output": "1000", "keep": "2"}
TRIALS = 6


class Waiting(Learned):
    """A model that takes its time, so that executions pass each other."""

    together = most = 0

    async def ask(self, request: Request) -> Answer:
        self.together += 1
        self.most = max(self.most, self.together)
        await asyncio.sleep(0.001 * (len(self.requests) % 4))
        self.together -= 1
        return await super().ask(request)


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("journals/*/*.gz")}


def test_eight_at_once_write_what_one_writes(finance_suite: Path, tmp_path: Path) -> None:
    learned = {load_task(file).instruction: reference_calls(file) for file in task_files(finance_suite)}
    made: dict[int, Any] = {}
    most = {}
    for at_once in (1, 8):
        model = Waiting(learned, batch=2)
        agent = ModelAgent("fake/learned", settings_of(GIVEN), lambda model=model: model)  # type: ignore[misc]
        folder = tmp_path / str(at_once)
        done = evaluate(finance_suite, agent, RunOptions(trials=TRIALS), out=folder, workers=at_once)
        told = [(r.trial, r.kind, r.score, r.charged, r.usage) for r in done.results]
        made[at_once], most[at_once] = (told, files_of(folder)), model.most
    assert made[1] == made[8]
    assert len({kind for _, kind, *_ in made[1][0]}) > 1, "the policies drawn should differ"
    assert (most[1], most[8]) == (1, TRIALS)


def test_all_requests_of_a_provider_keep_the_pause_that_one_was_asked_for() -> None:
    now, asked = [0.0], list[float]()

    async def sleep(seconds: float) -> None:
        now[0] += seconds

    async def refused_once() -> str:
        asked.append(now[0])
        if len(asked) == 1:
            raise Transient("slow down", after=30)
        return "done"

    async def both() -> None:
        limiter = Limiter(2, sleep, lambda: now[0])
        assert await limiter.ask(refused_once) == ("done", 1)
        assert await limiter.ask(refused_once) == ("done", 0)

    asyncio.run(both())
    assert asked == [0.0, 30.0, 30.0]


def test_a_provider_that_never_answers_is_given_up() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        now[0] += seconds

    async def refused() -> str:
        raise Transient("out of order")

    now = [0.0]
    with pytest.raises(Transient, match="out of order"):
        asyncio.run(Limiter(3, sleep, lambda: now[0]).ask(refused))
    assert pauses == [0.5, 1.0, 2.0]
