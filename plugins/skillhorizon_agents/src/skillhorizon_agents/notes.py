"""A small notebook that survives compaction; it is the harness's: it costs no call and no journal tells of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import dumps
from skillhorizon_agents.conversation import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

WRITE, READ = "write_note", "read_notes"
MOST_NOTES, LONGEST = 100, 4_000
_TEXT = {"type": "string", "description": f"the note; at most {LONGEST} characters"}
_NUMBER = {"type": "integer", "description": "the number of a note to replace; without it a note is added"}
SPECS = (
    ToolSpec(READ, "Read all notes of your notebook, by number.", {"type": "object", "properties": {}, "required": []}),
    ToolSpec(
        WRITE,
        "Write a note into your notebook, or replace one; an empty text deletes it.",
        {"type": "object", "properties": {"text": _TEXT, "number": _NUMBER}, "required": ["text"]},
    ),
)
"""The notebook's tools."""


class Notebook:
    """Notes by number."""

    def __init__(self) -> None:
        self._notes: dict[int, str] = {}
        self._last = 0

    def call(self, name: str, arguments: Mapping[str, Any] | None) -> str:
        """Answer a call."""
        if name == READ:
            return dumps({"notes": [[number, text] for number, text in sorted(self._notes.items())]})
        text, number = (arguments or {}).get("text"), (arguments or {}).get("number")
        if not isinstance(text, str) or len(text) > LONGEST:
            return _refused(f"text: give a text of at most {LONGEST} characters")
        if number is not None and (type(number) is not int or number not in self._notes):
            return _refused("number: there is no such note; read_notes lists them")
        if number is None and len(self._notes) >= MOST_NOTES:
            return _refused(f"the notebook holds {MOST_NOTES} notes; replace or delete one")
        return self._written(text, number)

    def _written(self, text: str, number: int | None) -> str:
        if number is None:
            self._last += 1
            number = self._last
        if text:
            self._notes[number] = text
        else:
            self._notes.pop(number, None)
        return dumps({"number": number, "notes": len(self._notes)})


def _refused(message: str) -> str:
    return dumps({"error": {"code": "MALFORMED", "message": message, "details": {}}})
