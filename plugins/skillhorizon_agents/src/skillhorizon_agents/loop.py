"""The loop: ask the model, keep what it says, make its calls, until the execution ends (protocol, section 2)."""

from __future__ import annotations

from itertools import zip_longest
from time import monotonic_ns
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import RunStopped, Terminal, Usage
from skillhorizon_agents import checkpoint as turns
from skillhorizon_agents import notes, prompts
from skillhorizon_agents.backend import Backend, ContextOverflow, Denied
from skillhorizon_agents.context import Window, compaction_of
from skillhorizon_agents.conversation import Request
from skillhorizon_agents.limiter import Limiter
from skillhorizon_agents.replies import Live, Recalled, Replies
from skillhorizon_agents.schemas import specs

if TYPE_CHECKING:
    from skillhorizon import Execution
    from skillhorizon_agents.checkpoint import Checkpoint
    from skillhorizon_agents.conversation import Answer
    from skillhorizon_agents.settings import Settings


@attrs.define
class Line:
    """The line to a model: its backend, the provider's limiter, and whether it has ever answered."""

    backend: Backend
    limiter: Limiter
    answered: bool = False


class Loop:
    """One execution's conversation.

    Attributes:
        usage: what the model used, earlier processes included.
    """

    def __init__(
        self, execution: Execution, line: Line, settings: Settings, checkpoint: Checkpoint, policy: str
    ) -> None:
        self._execution, self._line, self._settings, self._checkpoint = execution, line, settings, checkpoint
        own = notes.SPECS if settings.notes else ()
        self._tools = tuple(sorted((*specs(execution.tools.values()), *own), key=lambda spec: spec.name))
        self._system = system_prompt(execution, notebook=settings.notes)
        self._window = Window(self._system, execution.instruction, self._tools, policy, settings)
        self._replies = Replies(notebook=settings.notes)
        self._start, self._charged = monotonic_ns(), execution.session.charged
        self.usage = Usage()

    async def run(self) -> None:
        """Work until the execution ends.

        Raises:
            RunStopped: when the whole run must stop; the checkpoint goes on from there.
            Fault: when the provider failed for good; the same.
        """
        self._recall()
        while not self._execution.ended:
            self._execution.meter.check()
            try:
                await self._turn()
            except ContextOverflow:
                self._end(Terminal.CONTEXT_OVERFLOW)

    async def _turn(self) -> None:
        if self._window.full:
            await self._compact()
            return
        if self._window.overflows:
            self._end(Terminal.CONTEXT_OVERFLOW)
            return
        if self._late():
            self._end(Terminal.TIME_LIMIT)
            return
        answer = await self._asked(self._request())
        self._keep(turns.answer_entry(answer, self._execution.session.index, self._milliseconds()))
        self._take(answer)

    def _take(self, answer: Answer) -> None:
        """Make a turn's calls, and take it up."""
        self._window.measured(answer.usage.input)
        before = self._execution.session.index
        reply = self._replies.to(answer, Live(self._execution))
        self._window.add(answer, reply, _calls(before, self._execution.session.index))
        self._count(Usage())

    async def _compact(self) -> None:
        summary, used = "", Usage(compactions=1)
        if self._window.policy == "summary":
            answer = await self._asked(self._request(prompts.text("summary"), calls=False))
            summary, used = answer.text, answer.usage + used
        self.usage += Usage(compactions=1)
        done = self._window.compaction(summary)
        entry = {"compaction": attrs.asdict(done), "usage": attrs.asdict(used)}
        self._keep({**entry, "index": self._execution.session.index, "ms": self._milliseconds()})
        self._window.compact(done)

    def _request(self, prompt: str = "", *, calls: bool = True) -> Request:
        settings = self._settings
        return Request(
            system=self._system,
            items=self._window.items(prompt),
            tools=self._tools,
            calls=calls,
            output=settings.output,
            effort="" if settings.effort == "default" else settings.effort,
            temperature=settings.temperature,
            top_p=settings.top_p,
        )

    async def _asked(self, request: Request) -> Answer:
        """Ask until there is an answer, and account for it."""
        line = self._line
        try:
            answer, retries = await line.limiter.ask(lambda: line.backend.ask(request))
        except Denied as fault:
            if fault.key or not line.answered:
                raise RunStopped(_stopped(fault)) from fault
            raise
        line.answered = True
        answer = attrs.evolve(answer, usage=answer.usage + Usage(retries=retries))
        self.usage += answer.usage
        self._count(answer.usage)
        return answer

    def _count(self, used: Usage) -> None:
        """Tell the run's meter what was used and charged since the last time; what came before it knows."""
        charged = self._execution.session.charged
        self._execution.meter.add(used, charged - self._charged)
        self._charged = charged

    def _keep(self, entry: dict[str, Any]) -> None:
        self._checkpoint.append(entry)
        self._execution.watch.keep()

    def _late(self) -> bool:
        limit = self._settings.time_limit
        return limit is not None and self._milliseconds() >= limit * 1000

    def _end(self, kind: Terminal) -> None:
        index = self._execution.session.index
        self._keep({"end": str(kind), "index": index, "ms": self._milliseconds()})
        self._execution.stop(kind)

    def _milliseconds(self) -> int:
        return (monotonic_ns() - self._start) // 1_000_000

    def _recall(self) -> None:
        """Take up what an earlier process left; the calls of the last answer are made now."""
        entries = [entry for entry in self._checkpoint.entries if "index" in entry]
        if not entries:
            return
        self._start -= entries[-1]["ms"] * 1_000_000
        for entry, following in zip_longest(entries, entries[1:]):
            self.usage += Usage(**entry.get("usage", {}))
            if "end" in entry:
                self._execution.stop(Terminal(entry["end"]))
            elif "compaction" in entry:
                self._window.compact(compaction_of(entry["compaction"]))
            elif following is None:
                self._take(turns.answer_of(entry))
            else:
                self._recall_turn(turns.answer_of(entry), entry["index"], following["index"])

    def _recall_turn(self, answer: Answer, before: int, after: int) -> None:
        self._window.measured(answer.usage.input)
        reply = self._replies.to(answer, Recalled(self._execution.recalled[before:after]))
        self._window.add(answer, reply, _calls(before, after))


def system_prompt(execution: Execution, *, notebook: bool) -> str:
    """Return who the model is and how it works; skills, where there are any, by name and description."""
    parts = [prompts.text("system")]
    listing = execution.skills
    if listing:
        told = "\n".join(f"- {name}: {description}" for name, description in listing)
        parts.append(prompts.text("skills").replace("{skills}", told))
    if notebook:
        parts.append(prompts.text("notes"))
    return "\n\n".join(parts)


def _calls(before: int, after: int) -> tuple[int, int] | None:
    return (before + 1, after) if after > before else None


def _stopped(fault: Denied) -> str:
    return (
        f"{fault}; put that right (what a model does not take is left out, as by --agent-option effort=default) and "
        "give the same command again"
    )
