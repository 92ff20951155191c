"""What a brief takes from earlier ones: the rows of depends_on, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon import Call
    from skillhorizon_socialops.rows import Brief

_ROWS = "SELECT role, upstream FROM depends_on WHERE brief_id = ? ORDER BY number"


def depends_on(call: Call, brief: Brief) -> list[tuple[str, str]]:
    """Return a brief's rows (role, upstream) in their order."""
    return call.world.sql(_ROWS, brief.brief_id)


def upstream_of(call: Call, brief: Brief, role: str) -> list[str]:
    """Return the briefs that a brief names in a role, row by row."""
    return [upstream for each, upstream in depends_on(call, brief) if each == role]
