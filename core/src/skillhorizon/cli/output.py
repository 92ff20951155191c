"""What commands print: tables or exactly one JSON document on stdout, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import monotonic
from typing import IO, Any, TypeVar

import click

from skillhorizon.cli.faults import say

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
QUIET_SECONDS = 2.0
"""Work that takes no longer shows no progress."""


def json_option(command: F) -> F:
    """Add `--json` to a command; the parameter is called `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of a table.")(command)


def emit(document: Any) -> None:
    """Print one JSON document: the only thing that goes to stdout under `--json`."""
    from skillhorizon.model.canonical import dumps  # noqa: PLC0415  # orjson and attrs; plain tables need neither

    click.echo(dumps(document))


def show(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str], *, as_json: bool, empty: str = "") -> None:
    """Print rows as a table of the named columns, or all of their keys as JSON.

    Args:
        rows: one mapping per line; under `as_json` they are printed as they are.
        columns: key -> heading, in order.
        as_json: whether to print one JSON list instead.
        empty: what to say when there are no rows.
    """
    if as_json:
        emit(list(rows))
    elif rows:
        table(list(columns.values()), [[row.get(key) for key in columns] for row in rows])
    elif empty:
        click.echo(empty)


def table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print an aligned table; numbers stand to the right."""
    for line in lines(headings, rows):
        click.echo(line)


def lines(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """Return the lines of an aligned table.

    >>> print(*lines(["band", "tasks"], [["64k", 10], ["128k", 5]]), sep="\\n")
    band  tasks
    64k      10
    128k      5
    """
    body = [list(row) for row in rows]
    right = [bool(body) and all(_is_number(row[i]) for row in body) for i in range(len(headings))]
    cells = [list(headings), *([_cell(value) for value in row] for row in body)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    return [_line(row, widths, right) for row in cells]


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    placed = [text.rjust(w) if r else text.ljust(w) for text, w, r in zip(row, widths, right, strict=True)]
    return "  ".join(placed).rstrip()


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(value: Any) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3f}"
        case _:
            return str(value)


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "task"), counted(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def warn(text: str) -> None:
    """Write a warning of one paragraph on stderr."""
    say(text, "warning")


class Progress:
    """A progress bar on stderr: from the third second on, and only where stderr is a terminal.

    >>> with Progress("tasks", 2) as bar:
    ...     bar.advance()
    """

    def __init__(
        self, label: str, total: int, *, stream: IO[str] | None = None, clock: Callable[[], float] = monotonic
    ) -> None:
        self._label, self._total, self._clock = label, total, clock
        self._stream = stream or sys.stderr
        self._done, self._start, self._drawn = 0, clock(), False

    def advance(self, by: int = 1, note: str = "") -> None:
        """Count `by` more of the total, and draw."""
        self._done += by
        if self._stream.isatty() and self._clock() - self._start >= QUIET_SECONDS:
            self._draw(note)

    def over(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items and count each when its work is done."""
        for item in items:
            yield item
            self.advance()

    def clear(self) -> None:
        """Take the bar away, for a line on stdout or for good; the next `advance` draws it again."""
        if self._drawn:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
            self._drawn = False

    def _draw(self, note: str) -> None:
        filled = 30 * self._done // max(1, self._total)
        bar = "#" * filled + "." * (30 - filled)
        self._stream.write(f"\r\x1b[2K{self._label} [{bar}] {self._done}/{self._total} {note}")
        self._stream.flush()
        self._drawn = True

    def __enter__(self) -> Progress:
        """Return the bar itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        self.clear()
