"""FinanceOps with a leak: its list of sources names those of stages that have not opened, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import page
from skillhorizon_financeops.environment import environment as sound

if TYPE_CHECKING:
    from skillhorizon import Call

_COLUMNS = ("source_id", "kind", "format", "day")
_SOURCES = "SELECT source_id, kind, format, day FROM source ORDER BY source_id"


def _leaking(body: Any) -> Any:
    def list_sources(call: Call, **arguments: Any) -> Any:
        if any(value is not None for value in arguments.values()):
            return body(call, **arguments)
        return page(call.world.sql(_SOURCES), _COLUMNS)

    return list_sources


def _with_leak() -> Any:
    tools = [
        attrs.evolve(tool, body=_leaking(tool.body)) if tool.name == "list_sources" else tool for tool in sound.tools
    ]
    return attrs.evolve(sound, tools=tuple(tools))


environment = _with_leak()
