"""A model that writes skills for a task which another will carry out."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import ExecutionEnded, Usage, dumps, validate_library
from skillhorizon_agents import checkpoint as turns
from skillhorizon_agents import prompts
from skillhorizon_agents.checkpoint import Checkpoint
from skillhorizon_agents.conversation import Request, Result, Results, Said, ToolSpec
from skillhorizon_agents.schemas import specs

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon import Execution
    from skillhorizon_agents.conversation import Answer, Asked, Item
    from skillhorizon_agents.loop import Line
    from skillhorizon_agents.settings import Settings

WRITE, DONE = "write_skill_file", "done"
MOST_TURNS, MOST_FILES, LONGEST = 60, 60, 60_000
_PATH = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*/(?:SKILL\.md|scripts/[A-Za-z0-9_-]+\.py|references/[A-Za-z0-9_.-]+)")
_TOOLS = (
    ToolSpec(DONE, "Say that the skills are complete.", {"type": "object", "properties": {}, "required": []}),
    ToolSpec(
        WRITE,
        "Write one file of a skill, in place of an earlier one.",
        {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "such as NAME/SKILL.md or NAME/scripts/FILE.py"},
                "text": {"type": "string", "description": f"the whole file; at most {LONGEST} characters"},
            },
            "required": ["path", "text"],
        },
    ),
)


class Creator:
    """Writes a pack of skills into a folder.

    Every answer is kept beside the folder before it is acted on; a creator that was stopped acts on what was kept
    again, in a fresh session that answers as the first one did.
    """

    def __init__(self, execution: Execution, line: Line, settings: Settings, folder: Path) -> None:
        self._execution, self._line, self._settings, self._folder = execution, line, settings, folder
        self._part = folder.with_name(f".{folder.name}.part")
        self._kept = Checkpoint.open(folder)
        self._files: dict[str, str] = {}
        self._done = False
        own = specs(tool for tool in execution.tools.values() if tool.name != "finish")
        self._tools = tuple(sorted((*own, *_TOOLS), key=lambda spec: spec.name))

    async def run(self) -> None:
        """Write the pack; the folder stands when it is complete, with the skills that are valid."""
        items: list[Item] = [Said(self._execution.instruction)]
        earlier = list(self._kept.entries)
        for number in range(MOST_TURNS):
            answer = turns.answer_of(earlier[number]) if number < len(earlier) else await self._asked(tuple(items))
            if not answer.calls:
                break
            items += [answer, Results(tuple(Result(c.id, c.name, self._made(c)) for c in answer.calls))]
            if self._done:
                break
        self._write()
        self._drop_faulty()
        self._part.replace(self._folder)

    async def _asked(self, items: tuple[Item, ...]) -> Answer:
        self._execution.meter.check()
        settings, line = self._settings, self._line
        request = Request(
            system=prompts.text("creator"),
            items=items,
            tools=self._tools,
            output=settings.output,
            effort="" if settings.effort == "default" else settings.effort,
            temperature=settings.temperature,
            top_p=settings.top_p,
        )
        answer, retries = await line.limiter.ask(lambda: line.backend.ask(request))
        line.answered = True
        answer = attrs.evolve(answer, usage=answer.usage + Usage(retries=retries))
        self._execution.meter.add(answer.usage)
        self._kept.append(turns.answer_entry(answer, 0, 0))
        return answer

    def _made(self, call: Asked) -> str:
        """Return what a call is answered."""
        if call.name == WRITE:
            return self._written(call.arguments or {})
        if call.name == DONE:
            return self._checked()
        try:
            return self._execution.call(call.name, call.arguments).text
        except ExecutionEnded:
            return _refused("the session has ended; write the skills and call done")

    def _written(self, given: dict[str, Any]) -> str:
        path, text = given.get("path"), given.get("text")
        if not isinstance(path, str) or not _PATH.fullmatch(path):
            return _refused("path: say NAME/SKILL.md, NAME/scripts/FILE.py or NAME/references/FILE")
        if not isinstance(text, str) or len(text) > LONGEST:
            return _refused(f"text: give a text of at most {LONGEST} characters")
        if path not in self._files and len(self._files) >= MOST_FILES:
            return _refused(f"there are {MOST_FILES} files already; replace one")
        self._files[path] = text
        return dumps({"written": path})

    def _checked(self) -> str:
        """Say what is wrong with the skills, or that they are complete."""
        self._write()
        faults = [f"{name}: {fault}" for name, found in validate_library(self._part).items() for fault in found]
        if faults:
            return _refused("; ".join(faults)[:4_000])
        self._done = True
        return dumps({"done": True})

    def _write(self) -> None:
        shutil.rmtree(self._part, ignore_errors=True)
        self._part.mkdir(parents=True)
        for path, text in sorted(self._files.items()):
            file = self._part / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def _drop_faulty(self) -> None:
        for name, faults in validate_library(self._part).items():
            if faults:
                shutil.rmtree(self._part / name)


def _refused(message: str) -> str:
    return dumps({"error": {"code": "MALFORMED", "message": message, "details": {}}})
