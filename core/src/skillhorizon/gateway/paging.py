"""Pages of long lists: rows as JSON arrays under one `columns`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from skillhorizon.gateway.marks import Number, Text
from skillhorizon.model.outcome import Rejection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon.gateway.call import Call
    from skillhorizon.model.canonical import Json

PAGE = 20
Limit = Annotated[int, Number(low=1, high=PAGE, doc="rows a page, at most 20")]
Cursor = Annotated[str, Text(max=80, doc="`next` of the page before")]


def page(
    rows: Sequence[Sequence[Any]], columns: Sequence[str], *, limit: int | None = None, cursor: str | None = None
) -> dict[str, Json]:
    """Return one page of rows: {"columns", "rows", "next"}; `next` is None on the last page.

    Raises:
        Rejection: BAD_CURSOR, when the cursor is not one that a page gave.
    """
    start, size = start_of(cursor), limit or PAGE
    end = start + size
    return {
        "columns": list(columns),
        "rows": [list(row) for row in rows[start:end]],
        "next": str(end) if end < len(rows) else None,
    }


def query_page(
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

    Raises:
        Rejection: BAD_CURSOR, when the cursor is not one that a page gave.
    """
    given = {name: value for name, value in chosen.items() if value is not None}
    conditions = " AND ".join(f"{name} = ?" for name in given) or "1"
    ordered = f"{text} WHERE {conditions} ORDER BY {order}"
    return sql_page(call, ordered, [*given.values()], columns, limit=limit, cursor=cursor)


def sql_page(
    call: Call,
    text: str,
    params: Sequence[str | int],
    columns: Sequence[str],
    *,
    limit: int | None,
    cursor: str | None,
) -> dict[str, Json]:
    """Return a page of an ordered statement's rows; only those of the page are read.

    Raises:
        Rejection: BAD_CURSOR, when the cursor is not one that a page gave.
    """
    start, size = start_of(cursor), limit or PAGE
    rows = call.world.sql(f"{text} LIMIT ? OFFSET ?", *params, size + 1, start)
    return {
        "columns": list(columns),
        "rows": [list(row) for row in rows[:size]],
        "next": str(start + size) if len(rows) > size else None,
    }


def start_of(cursor: str | None) -> int:
    """Return the position that a cursor stands for.

    Raises:
        Rejection: BAD_CURSOR, when the cursor is not one that a page gave.
    """
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):  # noqa: PLR2004  # far above any list
        message = f"the cursor {cursor!r} came from no page; give `next` of a page, or none"
        raise Rejection("BAD_CURSOR", message, object=cursor)
    return int(cursor)
