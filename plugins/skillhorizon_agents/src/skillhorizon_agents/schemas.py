"""Tool schemas that every provider accepts, and each wire format's way to write a tool down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_agents.conversation import ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from skillhorizon import Json, Tool

_PLAIN = ("type", "description", "enum", "items", "properties", "required", "anyOf")
"""The keywords that all providers take; what narrows further is told in words, and checked when the call comes."""
_TOLD = {
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxItems": "at most {} items",
    "minItems": "at least {} items",
}
_BOUND = 2**53 - 1


def specs(tools: Iterable[Tool]) -> tuple[ToolSpec, ...]:
    """Return tools as a model is told of them, by name."""
    made = [ToolSpec(tool.name, tool.doc, plain(tool.schema)) for tool in tools]
    return tuple(sorted(made, key=lambda spec: spec.name))


def plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in the keywords that every provider takes; limits stand in the description.

    >>> plain({"type": "string", "maxLength": 16, "description": "source id"})
    {'type': 'string', 'description': 'source id; at most 16 characters'}
    """
    made = {key: _inner(key, schema[key]) for key in _PLAIN if key in schema}
    said = [schema["description"]] if "description" in schema else []
    said += [text.format(schema[key]) for key, text in _TOLD.items() if key in schema and abs(schema[key]) < _BOUND]
    if said:
        made["description"] = "; ".join(said)
    if made.get("type") == "object" and "properties" not in made:
        made["properties"] = {}
    return made


def _inner(key: str, value: Any) -> Any:
    if key == "properties":
        return {name: plain(part) for name, part in value.items()}
    if key == "anyOf":
        return [plain(part) for part in value]
    return plain(value) if key == "items" else value


def chat_tool(spec: ToolSpec) -> dict[str, Json]:
    """Return a tool in the chat format."""
    return {"type": "function", "function": {"name": spec.name, "description": spec.doc, "parameters": spec.schema}}


def responses_tool(spec: ToolSpec) -> dict[str, Json]:
    """Return a tool in the responses format; not strict, since that forbids optional arguments."""
    return {"type": "function", "name": spec.name, "description": spec.doc, "parameters": spec.schema, "strict": False}


def messages_tool(spec: ToolSpec) -> dict[str, Json]:
    """Return a tool in the messages format."""
    return {"name": spec.name, "description": spec.doc, "input_schema": spec.schema}
