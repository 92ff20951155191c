"""The journal of an execution: one record per call, as canonical JSON lines (architecture, section 5)."""

from __future__ import annotations

from typing import Any

import attrs
import orjson

from skillhorizon.model.canonical import Json, dumps_bytes
from skillhorizon.model.outcome import Outcome


@attrs.frozen(slots=False)
class Record:
    """One call of an execution.

    Attributes:
        index: the call's number, from 1.
        turn: the turn it was made in, from 1.
        tool: the tool's name.
        arguments_text: canonical JSON of the arguments; `null` when they had none.
        observation: the exact text that the caller received.
        outcome: how it ended.
        charged: calls charged to the budget, 0 or 1.
        clock: minutes after the call.
        made: artifact versions made.
        ended: artifact versions ended, as (reference, how, cause).
        fired: ids of the updates that fired.
    """

    index: int
    turn: int
    tool: str
    arguments_text: str
    observation: str
    outcome: Outcome
    charged: int
    clock: int
    made: tuple[str, ...] = ()
    ended: tuple[tuple[str, str, str], ...] = ()
    fired: tuple[str, ...] = ()

    @property
    def call_text(self) -> str:
        """The call as canonical JSON: {"arguments": ..., "tool": ...}; what L_ref counts beside the observation."""
        return f'{{"arguments":{self.arguments_text},"tool":"{self.tool}"}}'

    def line(self) -> bytes:
        """Return the record as one canonical JSON line, without its end."""
        return dumps_bytes(
            {
                "index": self.index,
                "turn": self.turn,
                "tool": self.tool,
                "arguments": orjson.Fragment(self.arguments_text),
                "observation": self.observation,
                "outcome": self.outcome,
                "charged": self.charged,
                "made": self.made,
                "ended": self.ended,
                "fired": self.fired,
                "clock": self.clock,
            }
        )


def record_of(line: dict[str, Any]) -> Record:
    """Return the record that a parsed journal line holds.

    Raises:
        KeyError, TypeError, ValueError: when the line is no record.
    """
    fields = dict(line)
    arguments: Json = fields.pop("arguments")
    return Record(
        **{
            **fields,
            "arguments_text": dumps_bytes(arguments).decode(),
            "outcome": Outcome(fields["outcome"]),
            "made": tuple(fields["made"]),
            "ended": tuple((ref, how, cause) for ref, how, cause in fields["ended"]),
            "fired": tuple(fields["fired"]),
        }
    )
