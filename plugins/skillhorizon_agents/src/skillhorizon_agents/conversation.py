"""What passes between the loop and a model, in no provider's words."""

from __future__ import annotations

from typing import Any

import attrs

from skillhorizon import Json, Usage


@attrs.frozen(eq=False)
class Said:
    """What the user says: the task, or a prompt in between."""

    text: str


@attrs.frozen(kw_only=True)
class Asked:
    """One call that a model asked for; `arguments` is None when `text`, what it wrote, is no JSON object."""

    id: str
    name: str
    arguments: dict[str, Any] | None
    text: str


@attrs.frozen(kw_only=True, eq=False)
class Answer:
    """A model's turn.

    Attributes:
        text: what it said.
        calls: what it asked for, in order.
        usage: what the provider reports for it.
        raw: the provider's own items, to be sent back as they came; None when they can be made from the rest.
        model: the model's name as the provider reports it.
        stop: why it ended, in the provider's word.
    """

    text: str
    calls: tuple[Asked, ...]
    usage: Usage
    raw: Json = None
    model: str = ""
    stop: str = ""


@attrs.frozen
class Result:
    """What one call was answered with."""

    id: str
    name: str
    text: str


@attrs.frozen(eq=False)
class Results:
    """The results of a turn's calls, in order; `said` follows them in the same message, if anything."""

    results: tuple[Result, ...]
    said: str = ""


Item = Said | Answer | Results
"""One entry of a conversation; compared by identity, since each is made once."""


@attrs.frozen
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    doc: str
    schema: dict[str, Json]


@attrs.frozen(kw_only=True, eq=False)
class Request:
    """One request: the whole conversation, and how to answer it.

    Attributes:
        system: who the model is and how it works.
        items: the conversation so far.
        tools: what may be called.
        calls: whether calls may be answered with; a summary may not call.
        output: the most tokens to write.
        effort: of reasoning: low, medium, high, or '' to leave it to the provider.
        temperature, top_p: as decimals; None leaves them to the provider.
    """

    system: str
    items: tuple[Item, ...]
    tools: tuple[ToolSpec, ...]
    calls: bool = True
    output: int = 8192
    effort: str = ""
    temperature: float | None = None
    top_p: float | None = None
