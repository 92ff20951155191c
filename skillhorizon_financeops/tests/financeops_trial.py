"""Whether the rows of a book's source tell right from wrong, for the tests of what is composed."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from skillhorizon_financeops.composer.trial import Beside, trial
from skillhorizon_financeops.truth import Book, readings

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import Source


def tells(book: Book, source: Source, around: Beside) -> bool:
    """Put a source's orders, each of which stands together, to the trial."""
    rows = readings(source.format, book.rows[source.source_id])
    orders = [list(each) for _, each in groupby(rows, key=itemgetter(0))]
    return bool(trial(book, source, around).told(orders))
