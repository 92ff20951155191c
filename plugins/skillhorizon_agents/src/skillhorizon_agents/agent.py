"""A language model as an agent."""

from __future__ import annotations

import asyncio
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from skillhorizon import Rng, Usage
from skillhorizon_agents import checkpoint
from skillhorizon_agents.checkpoint import SCHEMA, Checkpoint
from skillhorizon_agents.limiter import Limiter
from skillhorizon_agents.loop import Line, Loop
from skillhorizon_agents.prompts import prompts_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from skillhorizon import Execution, Measurement
    from skillhorizon_agents.backend import Backend
    from skillhorizon_agents.settings import Settings

HARNESS = "skillhorizon-agents"
_SUMMARY, _REQUEST_OUTPUT = 1_500, 250
"""Tokens that a summary and the text beside a call are taken to have, in estimates."""


class ModelAgent:
    """An agent that asks one model, turn by turn.

    Args:
        name: what it is asked for by, such as `openai/MODEL`.
        settings: how the model is asked.
        make: makes the backend; called where and when it is needed.
    """

    continues = True
    isolation = "process"

    def __init__(self, name: str, settings: Settings, make: Callable[[], Backend]) -> None:
        self.name, self.settings = name, settings
        self._make = make
        self._line: Line | None = None

    @property
    def versions(self) -> Mapping[str, str]:
        """What results depend on beside the task: harness, model, prompts, context policy."""
        return {
            "harness": f"{HARNESS} {harness_version()}",
            "model": self.name,
            "prompts": prompts_digest(),
            "context policy": "|".join(self.settings.context),
        }

    def preflight(self) -> None:
        """Look whether provider and model can be used, at no cost.

        Raises:
            UsageError: when they cannot.
        """
        asyncio.run(self._look())

    async def _look(self) -> None:
        backend = self._make()
        try:
            await backend.preflight()
        finally:
            await backend.close()

    def kept(self, files: Path, records: int | None) -> int:
        """Return after how many records of a journal an execution goes on; see `Continuing`."""
        return checkpoint.kept(files, records)

    def spent(self, files: Path, *, ended: bool = False) -> Usage:
        """Return what was paid for an execution or a pack; with `ended`, for turns alone that nothing goes on from."""
        return checkpoint.spent(files, ended=ended)

    def run(self, execution: Execution) -> None:
        """Work on one execution alone."""
        asyncio.run(self._alone(execution))

    async def _alone(self, execution: Execution) -> None:
        try:
            await self.attend(execution)
        finally:
            await self.close()

    async def attend(self, execution: Execution) -> None:
        """Work until the execution ends."""
        kept = Checkpoint.open(execution.files)
        loop = Loop(execution, self._open_line(), self.settings, kept, self._policy(execution, kept))
        try:
            await loop.run()
        finally:
            execution.usage = loop.usage

    async def create(self, execution: Execution, folder: Path) -> None:
        """Write a pack of skills for a task, of which the execution is a sample."""
        from skillhorizon_agents.creator import Creator  # noqa: PLC0415  # one condition needs it

        await Creator(execution, self._open_line(), self.settings, folder).run()

    def _open_line(self) -> Line:
        if self._line is None:
            self._line = Line(self._make(), Limiter(self.settings.retries))
        return self._line

    async def close(self) -> None:
        """Free the connections."""
        line, self._line = self._line, None
        if line is not None:
            await line.backend.close()

    def _policy(self, execution: Execution, kept: Checkpoint) -> str:
        """Return the context policy: the one that the execution was begun with, or one drawn now."""
        if kept.entries:
            return str(kept.entries[0]["policy"])
        trial = "" if execution.files is None else execution.files.name
        policy = Rng("context-policy", execution.task.id, trial).choice(self.settings.context)
        kept.append({"schema": SCHEMA, "policy": policy, "prompts": prompts_digest()})
        return policy

    def estimate(self, measurement: Measurement) -> Usage:
        """Return about what a task takes when the model makes the reference's calls, one a turn, without reasoning."""
        settings, calls = self.settings, max(measurement.calls, 1)
        each = measurement.l_ref // calls + 1
        mark = min(settings.context_limit * settings.trigger // 100, settings.context_limit - settings.output)
        size = first = 6_000
        used = Usage()
        for _ in range(calls):
            if size + each > mark and "none" not in settings.context:
                used += Usage(requests=1, input=size, output=_SUMMARY, compactions=1)
                size = first + _SUMMARY + settings.keep * each
            size += each
            used += Usage(requests=1, input=size, output=_REQUEST_OUTPUT)
        return used


def harness_version() -> str:
    """Return the installed version of this distribution."""
    try:
        return version(HARNESS)
    except PackageNotFoundError:
        return "0.0.0"
