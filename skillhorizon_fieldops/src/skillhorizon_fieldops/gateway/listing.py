"""Lists read page by page out of one statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon import Call, Json


def listed(
    call: Call,
    text: str,
    columns: Sequence[str],
    chosen: Mapping[str, str | int | None],
    *,
    order: str,
    limit: int | None,
    cursor: str | None,
) -> dict[str, Json]:
    """Return a page of a statement's rows, those that equal what is chosen.

    Args:
        call: the running call.
        text: the statement up to its conditions.
        columns: what its columns are called.
        chosen: expression -> value; None chooses all.
        order: what rows are ordered by.
        limit: rows a page.
        cursor: `next` of the page before.
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    conditions = " AND ".join(f"{name} = ?" for name in given) or "1"
    rows = call.world.sql(f"{text} WHERE {conditions} ORDER BY {order}", *given.values())
    return page(rows, columns, limit=limit, cursor=cursor)
