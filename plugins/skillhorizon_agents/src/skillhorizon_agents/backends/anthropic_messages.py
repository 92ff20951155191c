"""Anthropic's messages."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import orjson

from skillhorizon import Usage, UsageError
from skillhorizon_agents.backends.door import Door
from skillhorizon_agents.backends.openai_door import NO_KEY
from skillhorizon_agents.backends.wire import Written, asked, body, number, read
from skillhorizon_agents.conversation import Answer, Results, Said
from skillhorizon_agents.schemas import messages_tool

if TYPE_CHECKING:
    from skillhorizon_agents.conversation import Item, Request
    from skillhorizon_agents.settings import Settings

OWN = "https://api.anthropic.com"
_CACHED = {"type": "ephemeral"}
_EFFORTLESS = "none"


class MessagesBackend:
    """A model behind `/v1/messages`."""

    provider = "anthropic"

    def __init__(self, model: str, settings: Settings) -> None:
        self._model = model
        self._door = anthropic_door(model, settings)
        self._written = Written(_bytes)

    async def ask(self, request: Request) -> Answer:
        """Make one request; see `Backend`."""
        return answer_of(await self._door.post("/v1/messages", messages_body(request, self._model, self._written)))

    async def preflight(self) -> None:
        """Look for the model; see `Backend`."""
        await self._door.look("/v1/models")

    async def close(self) -> None:
        """Free the connections."""
        await self._door.close()


def anthropic_door(model: str, settings: Settings) -> Door:
    """Return a client of Anthropic, or of what speaks its language elsewhere.

    Raises:
        UsageError: when Anthropic itself is asked without a key.
    """
    import anthropic  # noqa: PLC0415  # half a second; only who asks it pays

    place = settings.base_url or os.environ.get("ANTHROPIC_BASE_URL") or OWN
    key = os.environ.get("ANTHROPIC_API_KEY")
    if not key and place.rstrip("/") == OWN:
        raise UsageError(
            "ANTHROPIC_API_KEY is not set; set it to your key, or name another server by --agent-option base-url=URL"
        )
    client = anthropic.AsyncAnthropic(api_key=key or NO_KEY, base_url=place, timeout=settings.timeout, max_retries=0)
    return Door(anthropic, client, model, place)


def messages_body(request: Request, model: str, written: Written) -> bytes:
    """Return the body of a request; system and last message carry the marks for the provider's cache."""
    fields: dict[str, Any] = {
        "model": model,
        "max_tokens": request.output,
        "system": [{"type": "text", "text": request.system, "cache_control": _CACHED}],
    }
    if request.effort == _EFFORTLESS:
        fields["thinking"] = {"type": "disabled"}
    elif request.effort:
        fields |= {"thinking": {"type": "adaptive"}, "output_config": {"effort": request.effort}}
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if request.top_p is not None:
        fields["top_p"] = request.top_p
    if request.tools:
        fields["tools"] = [messages_tool(spec) for spec in request.tools]
    if request.tools and not request.calls:
        fields["tool_choice"] = {"type": "none"}
    *before, last = request.items
    return body(fields, "messages", [*map(written, before), orjson.dumps(_marked(_message(last)))])


def _bytes(item: Item) -> bytes:
    """Return a message; nothing for an answer without content, which the provider does not take back."""
    message = _message(item)
    return orjson.dumps(message) if message["content"] else b""


def _message(item: Item) -> dict[str, Any]:
    match item:
        case Said(text=text):
            return {"role": "user", "content": [_text(text)]}
        case Answer():
            return {"role": "assistant", "content": _content(item)}
        case Results(results=results, said=said):
            told = [{"type": "tool_result", "tool_use_id": r.id, "content": r.text} for r in results]
            return {"role": "user", "content": [*told, *([_text(said)] if said else [])]}


def _content(answer: Answer) -> list[Any]:
    if isinstance(answer.raw, list):
        return [part for part in answer.raw if part.get("type") != "text" or str(part.get("text") or "").strip()]
    calls = [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments or {"malformed": c.text}}
        for c in answer.calls
    ]
    return [*([_text(answer.text)] if answer.text.strip() else []), *calls]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _marked(message: dict[str, Any]) -> dict[str, Any]:
    *before, last = message["content"]
    if last["type"] not in ("text", "tool_result"):
        return message
    return {**message, "content": [*before, {**last, "cache_control": _CACHED}]}


def answer_of(said: Any) -> Answer:
    """Return the answer that a parsed body holds.

    Raises:
        Transient: when it holds none.
    """
    content = [part for part in read(said, "content") if isinstance(part, dict)]
    calls = [part for part in content if part.get("type") == "tool_use"]
    return Answer(
        text="".join(str(part.get("text") or "") for part in content if part.get("type") == "text"),
        calls=tuple(asked(read(part, "id"), read(part, "name"), part.get("input")) for part in calls),
        usage=_usage(said.get("usage")),
        raw=content,
        model=str(said.get("model") or ""),
        stop=str(said.get("stop_reason") or ""),
    )


def _usage(said: Any) -> Usage:
    """Return what an answer cost; Anthropic counts what its cache gave and took beside the input."""
    cached = number(said, "cache_read_input_tokens")
    fresh = number(said, "input_tokens") + number(said, "cache_creation_input_tokens")
    return Usage(requests=1, input=fresh + cached, cached=cached, output=number(said, "output_tokens"))
