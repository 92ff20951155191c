"""Reading lists and what stands in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skillhorizon import Client, Json

Fields = dict[str, Any]


def listed(client: Client, tool: str, /, **filters: Json) -> list[Fields]:
    """Return all rows of a list by column name, page after page.

    Raises:
        Refused: when the list refuses its filters.
    """
    rows: list[Fields] = []
    page = client.call(tool, **filters)
    while True:
        rows += [dict(zip(page["columns"], row, strict=True)) for row in page["rows"]]
        if page["next"] is None:
            return rows
        page = client.call(tool, **filters, cursor=page["next"])
