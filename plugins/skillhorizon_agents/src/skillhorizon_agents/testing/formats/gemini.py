"""Google's generateContent, as far as Gemini CLI speaks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_agents.testing.formats.reading import dumped, echoed, listed, member, offer
from skillhorizon_agents.testing.talk import Ask, Conversation, Heard, Item, Offer, Reply, Spoke, Tokens, Told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATH = ":streamGenerateContent"


def read(body: Mapping[str, Any], path: str = PATH) -> Conversation:
    """Return what a body says; `path` says whether the answer is streamed.

    Raises:
        Breach: when it is no request of this format.
    """
    offers = tuple(_offers(body))
    system = _words((body.get("systemInstruction") or {}).get("parts") or [])
    texts = [system, *(dumped([each.name, each.schema]) for each in offers), *map(dumped, body.get("contents") or [])]
    return Conversation(
        system=system,
        items=tuple(_items(body)),
        offers=offers,
        texts=tuple(texts),
        stream=PATH in path,
        form=_form(body.get("generationConfig") or {}),
    )


def _form(settings: Mapping[str, Any]) -> Mapping[str, Any] | None:
    given = settings.get("responseJsonSchema") or settings.get("responseSchema")
    return given if isinstance(given, dict) else None


def _offers(body: Mapping[str, Any]) -> Iterator[Offer]:
    for group in body.get("tools") or ():
        for tool in group.get("functionDeclarations") or ():
            schema = tool.get("parametersJsonSchema") or {"type": "object"}
            yield offer(tool.get("name"), schema, "body.tools")


def _items(body: Mapping[str, Any]) -> Iterator[Item]:
    for where, content in listed(body, "contents", "body"):
        parts = member(content, "parts", list, where)
        if content.get("role") == "model":
            asks = [part["functionCall"] for part in parts if "functionCall" in part]
            made = [Ask(ask.get("id") or "", ask["name"], dumped(ask.get("args") or {})) for ask in asks]
            yield Spoke(_words(parts), tuple(made))
            continue
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if answers:
            yield Heard(tuple((each.get("id") or "", dumped(each["response"])) for each in answers))
        elif words := _words(parts):
            yield Told(words)


def _words(parts: list[Any]) -> str:
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and "text" in part)


def write(reply: Reply, tokens: Tokens, model: str) -> dict[str, Any]:
    """Return a whole answer."""
    parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text or not reply.asks else []
    for ask in reply.asks:
        call = {"id": ask.id, "name": ask.name, "args": echoed(ask.arguments)}
        parts.append({"functionCall": call})
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    used = {
        "promptTokenCount": tokens.input,
        "candidatesTokenCount": tokens.output,
        "totalTokenCount": tokens.input + tokens.output,
    }
    return {"candidates": [candidate], "usageMetadata": used, "modelVersion": model}


def stream(reply: Reply, tokens: Tokens, model: str) -> Iterator[tuple[str, Any]]:
    """Yield the events of a streamed answer, ('', data) each."""
    yield "", write(reply, tokens, model)


def fault(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the body of an error."""
    return {"error": {"code": status, "message": message, "status": code or "INVALID_ARGUMENT"}}
