"""The scripted model: it finds out which task a request is about, holds the request to its rules, and replies."""

from __future__ import annotations

import json
import re
from threading import Lock
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import Part, dumps, part_of
from skillhorizon_agents.testing.counting import read_tokens, refused_keyword
from skillhorizon_agents.testing.faults import Fault, Schedule
from skillhorizon_agents.testing.formats.reading import least
from skillhorizon_agents.testing.record import disagreement
from skillhorizon_agents.testing.talk import Breach, Conversation, Reply
from skillhorizon_agents.testing.transcript import Differs, Transcript
from skillhorizon_agents.testing.visible import Seen, asks_for, base_of, turns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from skillhorizon import Journal, Task
    from skillhorizon_agents.testing.rules import Rules

ASIDE = Reply(text="A task in SkillHorizon")
"""What is replied to a client's side questions, such as for a title."""
_MARK = re.compile(r"\[scripted summary after turn (\d+)\]")
_RESULT = {"content", "structuredContent", "structured_content", "isError", "is_error", "_meta"}
"""The members of a tool's result in the Model Context Protocol."""


class TooLong(Exception):
    """A request that does not fit into the model's context."""


class SchemaRefused(Exception):
    """A tool whose schema the provider does not take."""


@attrs.define
class _Role:
    """One task's part under one text, and what was said: one transcript, or with real clients one per course of events.

    The text differs by skills condition; `task` is the task's id.
    """

    task: str
    part: Part
    text: str
    transcripts: list[Transcript] = attrs.Factory(list)
    lock: Lock = attrs.Factory(Lock)


class ScriptedModel:
    """Plays the reference policies of tasks, each turn by turn from what the requests say.

    Args:
        tasks: the tasks that it knows.
        rules: what it insists on.
        faults: what goes wrong, the same for every task.
    """

    def __init__(self, tasks: Iterable[Task], rules: Rules, faults: Iterable[Fault] = ()) -> None:
        self.rules, self.schedule = rules, Schedule(tuple(faults))
        parts = [(task.id, part_of(task)) for task in tasks]
        self._roles = [_Role(task, part, text) for task, part in parts for text in dict.fromkeys(part.instructions)]

    def reply(self, conversation: Conversation) -> Reply:
        """Return the reply to a request.

        Raises:
            Breach: when the request breaks the rules.
            TooLong: when it does not fit into the context.
            SchemaRefused: when a tool's schema is not taken.
        """
        self._check_size(conversation)
        role = self._role(conversation)
        names = {} if role is None else _names(role.part, conversation)
        if role is None or not names:
            return self._aside(conversation)
        with role.lock:
            return self._in_role(role, names, conversation)

    def calls(self, instruction: str) -> list[tuple[str, str, str]]:
        """Return what a task's requests showed so far: (tool's wire name, arguments as written, result's text).

        Of several courses of events, as real clients cause them, the last one is told.
        """
        found = [role for role in self._roles if role.part.instruction == instruction and role.transcripts]
        return list(found[0].transcripts[-1].calls()) if found else []

    def verify(self, journals: Sequence[Journal]) -> None:
        """Hold what requests showed against the sessions' own records.

        Each journal must agree with a conversation about its task; and where requests repeat everything word for word,
        each conversation with a journal.

        Raises:
            Breach: when one does not, naming where they part.
        """
        shown = [(role.task, transcript) for role in self._roles for transcript in role.transcripts]
        reading = None if self.rules.strict else observation_in
        faults = {
            (at, number): disagreement(transcript.turns, journal.records, transcript.names, reading)
            for number, journal in enumerate(journals)
            for at, (task, transcript) in enumerate(shown)
            if task == journal.header.task
        }
        for number, journal in enumerate(journals):
            _check_one([fault for (_, found), fault in faults.items() if found == number], journal.header.task)
        for at, (task, _) in enumerate(shown if self.rules.strict else ()):
            _check_one([fault for (found, _), fault in faults.items() if found == at], task)

    def leave(self) -> None:
        """End the policies' threads."""
        for role in self._roles:
            for transcript in role.transcripts:
                transcript.leave()

    def _role(self, conversation: Conversation) -> _Role | None:
        told = conversation.first if self.rules.strict else "\n".join((conversation.system, conversation.first))
        for role in self._roles:
            if role.text in told or _plain(role.text) in _plain(told):
                return role
        return None

    def _aside(self, conversation: Conversation) -> Reply:
        if self.rules.strict:
            said = "holds no known task's instruction" if conversation.offers else "comes without tools"
            raise Breach(f"the request {said}; the first user message begins with it: {conversation.first[:80]!r}")
        return ASIDE if conversation.form is None else Reply(text=dumps(least(conversation.form)))

    def _check_size(self, conversation: Conversation) -> None:
        if self.rules.strict and conversation.stream:
            raise Breach("the answer is asked for as a stream")
        if self.rules.refused:
            for each in conversation.offers:
                if refused_keyword(each.schema, self.rules.refused):
                    raise SchemaRefused(f"Invalid schema for function {each.name!r}: {self.rules.refused} is not taken")
        if self.rules.context:
            size = read_tokens(conversation.texts) + (conversation.output or 0)
            if size > self.rules.context:
                raise TooLong(f"maximum context length is {self.rules.context} tokens, the request has {size}")

    def _in_role(self, role: _Role, names: Mapping[str, str], conversation: Conversation) -> Reply:
        asked = self.rules.strict and asks_for(conversation, self.rules.summary)
        seen = turns_of(conversation, self.rules.summary if asked else "", paired=self.rules.strict)
        if not self.rules.strict:
            seen = [attrs.evolve(turn, texts=tuple(map(observation_in, turn.texts)), said="") for turn in seen]
        transcript, place = self._place(role, names, conversation, seen)
        if asked:
            return Reply(text=transcript.summary(place))
        if not conversation.calls:
            raise Breach("the reply may call no tools, but no summary is asked for")
        return transcript.reply(place)

    def _place(
        self, role: _Role, names: Mapping[str, str], conversation: Conversation, seen: Sequence[Seen]
    ) -> tuple[Transcript, int]:
        """Return the transcript that a request continues, and how many of its turns the request has seen."""
        if not role.transcripts:
            role.transcripts.append(Transcript(role.part, names, self.schedule, private=conversation.private))
        strict = self.rules.strict
        for transcript in role.transcripts:
            base = base_of(seen, len(transcript.turns)) if strict else 0
            try:
                place = transcript.follow(base, seen, strict=strict, cleared=self.rules.cleared)
            except Differs as differs:
                if strict:
                    raise
                fork = differs
                forking = transcript
                continue
            if strict:
                self._check_memory(transcript, conversation, base, place)
            return transcript, place
        role.transcripts.append(forking.forked(fork.at))
        return self._place(role, names, conversation, seen)

    def _check_memory(self, transcript: Transcript, conversation: Conversation, base: int, place: int) -> None:
        """Check that whatever the request no longer shows is in an adopted summary, or was dropped as announced."""
        found = _MARK.search(conversation.first)
        if found is None:
            dropped = bool(self.rules.slid) and self.rules.slid in conversation.first
            if base and not dropped:
                raise Breach(f"the turns 1 to {base} are missing, and no summary stands in their place")
            return
        at = int(found[1])
        summary = transcript.summaries.get(at)
        if summary is None or summary not in conversation.first:
            raise Breach(f"the adopted summary of turn {at} is not, word for word, the one that was written")
        if base > at or place < at:
            raise Breach(f"the summary covers the turns 1 to {at}, the request shows {base + 1} to {place}")
        if self.rules.keep is not None and base > max(at - self.rules.keep, 0):
            raise Breach(f"{at - base} turns before the summary are kept, {self.rules.keep} must be")


def _check_one(faults: Sequence[str], task: str) -> None:
    """Check that of some comparisons one found no fault."""
    if "" not in faults:
        raise Breach(f"what was shown of {task} is not what its session answered: {'; '.join(faults) or 'no journal'}")


def _plain(text: str) -> str:
    """Return a text without what clients change in it: white space."""
    return " ".join(text.split())


def _names(part: Part, conversation: Conversation) -> dict[str, str]:
    """Return the wire names of a task's tools by their own; clients put a server's name before them."""
    found: dict[str, str] = {}
    for name in part.tools:
        offered = [each.name for each in conversation.offers if each.name == name or each.name.endswith(f"_{name}")]
        if offered:
            found[name] = min(offered, key=lambda wire: (wire != name, "skillhorizon" not in wire, wire))
    return found


def observation_in(text: str) -> str:
    """Return the observation inside what a real client made of it.

    Some put words around it, some an object, some the protocol's whole result.

    >>> observation_in('Wall time: 0.1 seconds\\nOutput:\\n{"b":1, "a":2}')
    '{"a":2,"b":1}'
    >>> observation_in('{"output":"<context>{\\\\"a\\\\":1}</context>"}')
    '{"a":1}'
    >>> observation_in('{"content":[{"type":"text","text":"{}"}]}')
    '{}'
    """
    try:
        value = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return text
    inner = _inner(value)
    return dumps(value) if inner is None else observation_in(inner)


def _inner(value: Any) -> str | None:
    """Return the text that an object wraps, or None when it is no wrapper."""
    if not isinstance(value, dict):
        return None
    if set(value) == {"output"} and isinstance(value["output"], str):
        return value["output"]
    if "content" in value and set(value) <= _RESULT and isinstance(value["content"], list):
        return "".join(part.get("text", "") for part in value["content"])
    return None
