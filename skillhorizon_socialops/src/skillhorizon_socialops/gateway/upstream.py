"""What a brief takes from earlier ones: the rows of depends_on, in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_socialops.rows import DependsOn

if TYPE_CHECKING:
    from skillhorizon import Call
    from skillhorizon_socialops.rows import Brief


def depends_on(call: Call, brief: Brief) -> list[DependsOn]:
    """Return a brief's rows in their order."""
    return call.world.select(DependsOn, brief_id=brief.brief_id)


def upstream_of(call: Call, brief: Brief, role: str) -> list[str]:
    """Return the briefs that a brief names in a role, row by row."""
    return [row.upstream for row in depends_on(call, brief) if row.role == role]
