"""OpenAI's chat completions, as OpenAI, vLLM, llama.cpp, Ollama and gateways speak them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from skillhorizon_agents.backends.openai_door import openai_door
from skillhorizon_agents.backends.wire import Written, arguments_text, asked, body, joined, read, usage
from skillhorizon_agents.conversation import Answer, Results, Said
from skillhorizon_agents.schemas import chat_tool

if TYPE_CHECKING:
    from skillhorizon_agents.conversation import Asked, Item, Request
    from skillhorizon_agents.settings import Settings

USAGE = {
    "input": ("prompt_tokens",),
    "cached": ("prompt_tokens_details", "cached_tokens"),
    "output": ("completion_tokens",),
    "reasoning": ("completion_tokens_details", "reasoning_tokens"),
}


class ChatBackend:
    """A model behind `/chat/completions`."""

    provider = "openai"

    def __init__(self, model: str, settings: Settings) -> None:
        self._model, self._settings = model, settings
        self._door = openai_door(model, settings)
        self._written = Written(message)

    async def ask(self, request: Request) -> Answer:
        """Make one request; see `Backend`."""
        return answer_of(
            await self._door.post("/chat/completions", chat_body(request, self._model, self._settings, self._written))
        )

    async def preflight(self) -> None:
        """Look for the model; see `Backend`."""
        await self._door.look("/models")

    async def close(self) -> None:
        """Free the connections."""
        await self._door.close()


def chat_body(request: Request, model: str, settings: Settings, written: Written) -> bytes:
    """Return the body of a request."""
    fields: dict[str, Any] = {"model": model, settings.output_field: request.output}
    if request.effort:
        fields["reasoning_effort"] = request.effort
    if request.temperature is not None:
        fields["temperature"] = request.temperature
    if request.top_p is not None:
        fields["top_p"] = request.top_p
    if request.tools:
        fields["tools"] = [chat_tool(spec) for spec in request.tools]
    if request.tools and not request.calls:
        fields["tool_choice"] = "none"
    system = orjson.dumps({"role": "system", "content": request.system})
    return body(fields, "messages", [system, *map(written, request.items)])


def message(item: Item) -> bytes:
    """Return an item as messages, with commas between them."""
    match item:
        case Said(text=text):
            return joined([{"role": "user", "content": text}])
        case Answer():
            return joined([assistant(item)])
        case Results(results=results, said=said):
            told = [{"role": "tool", "tool_call_id": result.id, "content": result.text} for result in results]
            return joined([*told, *([{"role": "user", "content": said}] if said else [])])


def assistant(answer: Answer) -> dict[str, Any]:
    """Return an answer as it is sent back."""
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.calls:
        message["tool_calls"] = [_call(call) for call in answer.calls]
    return message


def _call(call: Asked) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments_text(call)}}


def answer_of(said: Any) -> Answer:
    """Return the answer that a parsed body holds.

    Raises:
        Transient: when it holds none.
    """
    choice = read(said, "choices", 0)
    message = read(choice, "message")
    calls = [_asked(number, call) for number, call in enumerate(message.get("tool_calls") or ())]
    return Answer(
        text=str(message.get("content") or ""),
        calls=tuple(calls),
        usage=usage(said.get("usage"), USAGE),
        model=str(said.get("model") or ""),
        stop=str(choice.get("finish_reason") or ""),
    )


def _asked(number: int, call: Any) -> Asked:
    function = read(call, "function")
    return asked(call.get("id") or f"call_{number}", read(function, "name"), function.get("arguments") or "")
