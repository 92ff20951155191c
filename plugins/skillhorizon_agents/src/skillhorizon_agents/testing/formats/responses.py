"""OpenAI's responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_agents.testing.formats.chat import fault
from skillhorizon_agents.testing.formats.reading import dumped, listed, member, offer, said
from skillhorizon_agents.testing.talk import Ask, Breach, Conversation, Heard, Item, Offer, Reply, Spoke, Tokens, Told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["PATH", "fault", "read", "stream", "write"]

PATH = "/responses"
_TEXT = ("input_text", "output_text", "text")
_ENCRYPTED = "reasoning.encrypted_content"


def read(body: Mapping[str, Any], _path: str = PATH) -> Conversation:
    """Return what a body says.

    Raises:
        Breach: when it is no request of the responses format.
    """
    member(body, "model", str, "body")
    offers = tuple(_offers(body))
    system = body.get("instructions") or ""
    texts = [system, *(dumped([each.name, each.schema]) for each in offers)]
    if isinstance(body.get("input"), str):
        items: tuple[Item, ...] = (Told(body["input"]),)
        texts.append(body["input"])
    else:
        items = tuple(_items(body))
        texts += map(dumped, body["input"])
    return Conversation(
        system=system,
        items=items,
        offers=offers,
        texts=tuple(texts),
        output=body.get("max_output_tokens"),
        private=_ENCRYPTED in (body.get("include") or ()),
        stream=bool(body.get("stream")),
        calls=body.get("tool_choice") != "none",
    )


def _offers(body: Mapping[str, Any]) -> Iterator[Offer]:
    if "tools" not in body:
        return
    for where, tool in listed(body, "tools", "body"):
        if tool.get("type") == "namespace":
            for inner, each in listed(tool, "tools", where):
                if each.get("type") == "function":
                    yield offer(each.get("name"), each.get("parameters"), inner, tool.get("name", ""))
        elif tool.get("type") == "function":
            yield offer(tool.get("name"), tool.get("parameters"), where)


def _items(body: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the conversation; what one reply said in several items is one, and so are its results."""
    pending: list[Item] = []
    for where, given in listed(body, "input", "body"):
        item = _item(given, where)
        if item is None:
            continue
        if pending and _joins(pending[-1], item):
            pending[-1] = _joined(pending[-1], item)
        else:
            pending.append(item)
    yield from pending


def _item(given: Mapping[str, Any], where: str) -> Item | None:
    match given.get("type", "message"):
        case "message":
            text = said(given.get("content"), f"{where}.content", _TEXT)
            role = given.get("role")
            return Spoke(text) if role == "assistant" else Told(text) if role == "user" else None
        case "reasoning":
            return Spoke("", (), (str(given.get("encrypted_content") or ""),))
        case "function_call":
            name, arguments = member(given, "name", str, where), member(given, "arguments", str, where)
            return Spoke("", (Ask(member(given, "call_id", str, where), name, arguments),))
        case "function_call_output":
            return Heard(((member(given, "call_id", str, where), said(given.get("output"), where, _TEXT)),))
        case other:
            raise Breach(f"{where}.type is {other!r}")


def _joins(before: Item, item: Item) -> bool:
    return isinstance(before, (Spoke, Heard)) and type(before) is type(item)


def _joined(before: Item, item: Item) -> Item:
    if isinstance(before, Heard) and isinstance(item, Heard):
        return Heard((*before.results, *item.results))
    if isinstance(before, Spoke) and isinstance(item, Spoke):
        return Spoke(before.text + item.text, (*before.asks, *item.asks), (*before.private, *item.private))
    raise AssertionError("only items of one kind are joined")


def _output(reply: Reply, groups: Mapping[str, str]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    if reply.private:
        made.append({"type": "reasoning", "id": f"rs_{reply.turn}", "summary": [], "encrypted_content": reply.private})
    if reply.text or not reply.asks:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        head = {"type": "message", "id": f"msg_{reply.turn}", "role": "assistant", "status": "completed"}
        made.append({**head, "content": content})
    for ask in reply.asks:
        call = {"type": "function_call", "id": f"fc_{ask.id}", "call_id": ask.id, "name": ask.name}
        group = {"namespace": groups[ask.name]} if groups.get(ask.name) else {}
        made.append({**call, "arguments": ask.arguments, "status": "completed", **group})
    return made


def write(reply: Reply, tokens: Tokens, model: str, groups: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return a whole answer; `groups` says into which group the client put a tool."""
    output = _output(reply, groups or {})
    return {**_head(reply, model), "status": "completed", "output": output, "usage": _usage(tokens)}


def stream(
    reply: Reply, tokens: Tokens, model: str, groups: Mapping[str, str] | None = None
) -> Iterator[tuple[str, Any]]:
    """Yield the events of a streamed answer, (type, data) each."""
    head = {**_head(reply, model), "status": "in_progress", "output": []}
    yield "response.created", {"type": "response.created", "response": head}
    for at, item in enumerate(_output(reply, groups or {})):
        for kind in ("response.output_item.added", "response.output_item.done"):
            yield kind, {"type": kind, "output_index": at, "item": item}
    whole = write(reply, tokens, model, groups)
    yield "response.completed", {"type": "response.completed", "response": whole}


def _head(reply: Reply, model: str) -> dict[str, Any]:
    about = {"id": f"resp_{reply.turn}", "object": "response", "created_at": 1, "model": model, "error": None}
    return {**about, "incomplete_details": None, "parallel_tool_calls": True, "tools": [], "tool_choice": "auto"}


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "input_tokens": tokens.input,
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": tokens.input + tokens.output,
    }
