"""Anthropic's messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_agents.testing.formats.reading import dumped, echoed, listed, member, offer, said
from skillhorizon_agents.testing.talk import Ask, Breach, Conversation, Heard, Item, Offer, Reply, Spoke, Tokens, Told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATH = "/messages"
_SEEN_ONLY = ("cache_control",)


def read(body: Mapping[str, Any], _path: str = PATH) -> Conversation:
    """Return what a body says.

    Raises:
        Breach: when it is no request of the messages format.
    """
    member(body, "model", str, "body")
    limit = member(body, "max_tokens", int, "body")
    offers = tuple(_offers(body))
    system = said(body.get("system", ""), "body.system")
    items = tuple(_items(body))
    thinking = (body.get("thinking") or {}).get("type") in ("enabled", "adaptive")
    texts = [system, *(dumped([each.name, each.schema]) for each in offers)]
    texts += [dumped(_unmarked(message)) for message in body["messages"]]
    return Conversation(
        system=system,
        items=items,
        offers=offers,
        texts=tuple(texts),
        output=limit,
        private=thinking,
        stream=bool(body.get("stream")),
        calls=(body.get("tool_choice") or {}).get("type") != "none",
    )


def _unmarked(message: Mapping[str, Any]) -> Any:
    """Return a message without marks that no model reads."""
    content = message["content"]
    if not isinstance(content, list):
        return content
    return [{name: value for name, value in block.items() if name not in _SEEN_ONLY} for block in content]


def _offers(body: Mapping[str, Any]) -> Iterator[Offer]:
    if "tools" not in body:
        return
    for where, tool in listed(body, "tools", "body"):
        if tool.get("type", "custom") == "custom":
            yield offer(tool.get("name"), tool.get("input_schema"), where)


def _items(body: Mapping[str, Any]) -> Iterator[Item]:
    role = "assistant"
    for where, message in listed(body, "messages", "body"):
        if message.get("role") == "system":  # reminders that newer clients put between turns
            continue
        if message.get("role") not in ("user", "assistant"):
            raise Breach(f"{where}.role is {message.get('role')!r}")
        if message["role"] == role and role == "assistant":
            raise Breach(f"{where} follows another assistant message, or begins the conversation")
        role = message["role"]
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not blocks:
            raise Breach(f"{where}.content is empty")
        inside = list(listed({"content": blocks}, "content", where))
        yield from [_spoke(inside)] if role == "assistant" else _user(inside)


def _spoke(blocks: list[tuple[str, dict[str, Any]]]) -> Spoke:
    text, asks, private = "", [], []
    for where, block in blocks:
        match block.get("type"):
            case "text":
                text += member(block, "text", str, where)
            case "thinking":
                private.append(member(block, "signature", str, where))
            case "tool_use":
                given = member(block, "input", dict, where)
                asks.append(Ask(member(block, "id", str, where), member(block, "name", str, where), dumped(given)))
            case other:
                raise Breach(f"{where}.type is {other!r} in an assistant message")
    return Spoke(text, tuple(asks), tuple(private))


def _user(blocks: list[tuple[str, dict[str, Any]]]) -> Iterator[Item]:
    """Yield results, then what is said; results stand first in their message."""
    results: list[tuple[str, str]] = []
    told: list[str] = []
    for where, block in blocks:
        if block.get("type") == "tool_result":
            if told:
                raise Breach(f"{where} is a tool_result behind text; results stand first in their message")
            text = said(block.get("content", ""), f"{where}.content")
            results.append((member(block, "tool_use_id", str, where), text))
        elif block.get("type") == "text":
            told.append(member(block, "text", str, where))
        else:
            raise Breach(f"{where}.type is {block.get('type')!r} in a user message")
    if results:
        yield Heard(tuple(results))
    if told:
        yield Told("\n".join(told))


def write(reply: Reply, tokens: Tokens, model: str) -> dict[str, Any]:
    """Return a whole answer."""
    stop = "tool_use" if reply.asks else "end_turn"
    return {**_head(reply, model, tokens), "content": _blocks(reply), "stop_reason": stop}


def stream(reply: Reply, tokens: Tokens, model: str) -> Iterator[tuple[str, Any]]:
    """Yield the events of a streamed answer, (type, data) each."""
    head = {**_head(reply, model, tokens), "content": [], "stop_reason": None}
    yield "message_start", {"type": "message_start", "message": head}
    for at, block in enumerate(_blocks(reply)):
        empty, delta = _parts(block)
        yield "content_block_start", {"type": "content_block_start", "index": at, "content_block": empty}
        yield "content_block_delta", {"type": "content_block_delta", "index": at, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": at}
    ending = {"stop_reason": "tool_use" if reply.asks else "end_turn", "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": ending, "usage": {"output_tokens": tokens.output}}
    yield "message_stop", {"type": "message_stop"}


def _parts(block: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a block as it starts, and what then comes."""
    if block["type"] == "tool_use":
        return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": dumped(block["input"])}
    if block["type"] == "thinking":
        return {**block, "signature": ""}, {"type": "signature_delta", "signature": block["signature"]}
    return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    if reply.private:
        made.append({"type": "thinking", "thinking": "", "signature": reply.private})
    if reply.text:
        made.append({"type": "text", "text": reply.text})
    made.extend(
        {"type": "tool_use", "id": ask.id, "name": ask.name, "input": echoed(ask.arguments)} for ask in reply.asks
    )
    return made


def _head(reply: Reply, model: str, tokens: Tokens) -> dict[str, Any]:
    used = {
        "input_tokens": tokens.input - tokens.cached,
        "cache_read_input_tokens": tokens.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": tokens.output,
    }
    about = {"id": f"msg_{reply.turn}", "type": "message", "role": "assistant", "model": model}
    return {**about, "stop_sequence": None, "usage": used}


def fault(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the body of an error."""
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "api_error")  # noqa: PLR2004
    told = f"prompt is too long: {message}" if code == "context_length_exceeded" else message
    return {"type": "error", "error": {"type": kind, "message": told}}
