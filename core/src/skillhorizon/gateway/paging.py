"""Pages of long lists: rows as JSON arrays under one `columns`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from skillhorizon.gateway.shapes import Number, Text
from skillhorizon.model.outcome import Rejection

if TYPE_CHECKING:
    from collections.abc import Sequence

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
