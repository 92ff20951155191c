"""OpenAI's chat completions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_agents.testing.formats.reading import dumped, listed, member, offer, said
from skillhorizon_agents.testing.talk import Ask, Breach, Conversation, Heard, Item, Offer, Reply, Spoke, Tokens, Told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PATH = "/chat/completions"


def read(body: Mapping[str, Any], _path: str = PATH) -> Conversation:
    """Return what a body says.

    Raises:
        Breach: when it is no request of chat completions.
    """
    member(body, "model", str, "body")
    offers = tuple(_offers(body))
    system, items = _items(body)
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    texts = [system, *(dumped([each.name, each.schema]) for each in offers), *map(dumped, body["messages"])]
    return Conversation(
        system=system,
        items=items,
        offers=offers,
        texts=tuple(texts),
        output=limit,
        stream=bool(body.get("stream")),
        calls=body.get("tool_choice") != "none",
    )


def _offers(body: Mapping[str, Any]) -> Iterator[Offer]:
    if "tools" not in body:
        return
    for where, tool in listed(body, "tools", "body"):
        if tool.get("type") != "function":
            raise Breach(f"{where}.type is {tool.get('type')!r}, not 'function'")
        about = member(tool, "function", dict, where)
        yield offer(about.get("name"), about.get("parameters"), where)


def _items(body: Mapping[str, Any]) -> tuple[str, tuple[Item, ...]]:
    system: list[str] = []
    items: list[Item] = []
    for where, message in listed(body, "messages", "body"):
        role = message.get("role")
        if role in ("system", "developer"):
            if items:
                raise Breach(f"{where} is a {role} message behind the conversation's start")
            system.append(said(message.get("content"), f"{where}.content"))
        elif role == "user":
            items.append(Told(said(message.get("content"), f"{where}.content")))
        elif role == "assistant":
            items.append(_spoke(message, where))
        elif role == "tool":
            _hear(items, message, where)
        else:
            raise Breach(f"{where}.role is {role!r}")
    return "\n".join(system), tuple(items)


def _spoke(message: Mapping[str, Any], where: str) -> Spoke:
    content = message.get("content")
    asks = tuple(_asks(message, where))
    if content is None and not asks and "content" not in message:
        raise Breach(f"{where} has neither content nor tool_calls")
    if "tool_calls" in message and not asks:
        raise Breach(f"{where}.tool_calls is empty; leave it out")
    return Spoke("" if content is None else said(content, f"{where}.content"), asks)


def _asks(message: Mapping[str, Any], where: str) -> Iterator[Ask]:
    if message.get("tool_calls") is None:
        return
    for path, call in listed(message, "tool_calls", where):
        if call.get("type") != "function":
            raise Breach(f"{path}.type is {call.get('type')!r}, not 'function'")
        about = member(call, "function", dict, path)
        name, arguments = member(about, "name", str, path), member(about, "arguments", str, path)
        yield Ask(member(call, "id", str, path), name, arguments)


def _hear(items: list[Item], message: Mapping[str, Any], where: str) -> None:
    """Add a result; those of one reply stand together."""
    result = (member(message, "tool_call_id", str, where), said(message.get("content"), f"{where}.content"))
    if items and isinstance(items[-1], Heard):
        items[-1] = Heard((*items[-1].results, result))
    else:
        items.append(Heard((result,)))


def write(reply: Reply, tokens: Tokens, model: str) -> dict[str, Any]:
    """Return a whole answer."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.asks:
        message["tool_calls"] = [_call(ask) for ask in reply.asks]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _stop(reply)}
    return {**_head(reply, model, "chat.completion"), "choices": [choice], "usage": _usage(tokens)}


def stream(reply: Reply, tokens: Tokens, model: str) -> Iterator[tuple[str, Any]]:
    """Yield the events of a streamed answer, ('', data) each."""
    calls = [{"index": at, **_call(ask)} for at, ask in enumerate(reply.asks)]
    delta: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    head = _head(reply, model, "chat.completion.chunk")
    yield "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    if calls:
        yield "", {**head, "choices": [{"index": 0, "delta": {"tool_calls": calls}, "finish_reason": None}]}
    yield "", {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": _stop(reply)}]}
    yield "", {**head, "choices": [], "usage": _usage(tokens)}
    yield "", "[DONE]"


def _head(reply: Reply, model: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{reply.turn}", "object": kind, "created": 1, "model": model}


def _call(ask: Ask) -> dict[str, Any]:
    return {"id": ask.id, "type": "function", "function": {"name": ask.name, "arguments": ask.arguments}}


def _stop(reply: Reply) -> str:
    return "tool_calls" if reply.asks else "stop"


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
    }


def fault(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the body of an error."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code or str(status)}}
