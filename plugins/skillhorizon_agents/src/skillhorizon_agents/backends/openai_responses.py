"""OpenAI's responses API, without anything kept at the server: each request carries the whole conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_agents.backends.openai_door import openai_door
from skillhorizon_agents.backends.wire import Written, arguments_text, asked, body, joined, read, usage
from skillhorizon_agents.conversation import Answer, Results, Said
from skillhorizon_agents.schemas import responses_tool

if TYPE_CHECKING:
    from skillhorizon_agents.conversation import Item, Request
    from skillhorizon_agents.settings import Settings

USAGE = {
    "input": ("input_tokens",),
    "cached": ("input_tokens_details", "cached_tokens"),
    "output": ("output_tokens",),
    "reasoning": ("output_tokens_details", "reasoning_tokens"),
}


class ResponsesBackend:
    """A model behind `/responses`."""

    provider = "openai"

    def __init__(self, model: str, settings: Settings) -> None:
        self._model = model
        self._door = openai_door(model, settings)
        self._written = Written(_items)

    async def ask(self, request: Request) -> Answer:
        """Make one request; see `Backend`."""
        return answer_of(await self._door.post("/responses", responses_body(request, self._model, self._written)))

    async def preflight(self) -> None:
        """Look for the model; see `Backend`."""
        await self._door.look("/models")

    async def close(self) -> None:
        """Free the connections."""
        await self._door.close()


def responses_body(request: Request, model: str, written: Written) -> bytes:
    """Return the body of a request."""
    fields: dict[str, Any] = {
        "model": model,
        "instructions": request.system,
        "max_output_tokens": request.output,
        "store": False,
    }
    if request.effort:
        fields |= {"reasoning": {"effort": request.effort}, "include": ["reasoning.encrypted_content"]}
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if request.top_p is not None:
        fields["top_p"] = request.top_p
    if request.tools:
        fields["tools"] = [responses_tool(spec) for spec in request.tools]
    if request.tools and not request.calls:
        fields["tool_choice"] = "none"
    return body(fields, "input", map(written, request.items))


def _items(item: Item) -> bytes:
    match item:
        case Said(text=text):
            return joined([_user(text)])
        case Answer(raw=list() as raw):
            return joined(raw)
        case Answer():
            return joined(_made(item))
        case Results(results=results, said=said):
            told = [{"type": "function_call_output", "call_id": r.id, "output": r.text} for r in results]
            return joined([*told, *([_user(said)] if said else [])])


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "input_text", "text": text}]}


def _made(answer: Answer) -> list[dict[str, Any]]:
    said = [{"role": "assistant", "content": [{"type": "output_text", "text": answer.text}]}] if answer.text else []
    calls = [
        {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments_text(call)}
        for call in answer.calls
    ]
    return [*said, *calls]


def answer_of(said: Any) -> Answer:
    """Return the answer that a parsed body holds.

    Raises:
        Transient: when it holds none.
    """
    output = [item for item in read(said, "output") if isinstance(item, dict)]
    texts = [
        str(part.get("text") or "")
        for item in output
        if item.get("type") == "message"
        for part in item.get("content") or ()
        if part.get("type") == "output_text"
    ]
    calls = [item for item in output if item.get("type") == "function_call"]
    return Answer(
        text="".join(texts),
        calls=tuple(asked(read(c, "call_id"), read(c, "name"), c.get("arguments") or "") for c in calls),
        usage=usage(said.get("usage"), USAGE),
        raw=output,
        model=str(said.get("model") or ""),
        stop=str(said.get("status") or ""),
    )
