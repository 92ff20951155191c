"""What is true: an independent replay of the business rules over a plan's facts and updates.

It shares nothing with the tools' rules or the skills' scripts, so that tests can hold the three against each other.
"""

from skillhorizon_financeops.truth.answers import answers, known_at
from skillhorizon_financeops.truth.book import Book
from skillhorizon_financeops.truth.packages import (
    Chosen,
    Governing,
    Package,
    Reading,
    Resolved,
    counted,
    covering,
    governing,
    package,
    read_package,
    readings,
    scaled,
    select,
)
from skillhorizon_financeops.truth.receivables import OpenItem, OpenItems, match_receipts
from skillhorizon_financeops.truth.replay import Effect, Replay

__all__ = [
    "Book",
    "Chosen",
    "Effect",
    "Governing",
    "OpenItem",
    "OpenItems",
    "Package",
    "Reading",
    "Replay",
    "Resolved",
    "answers",
    "counted",
    "covering",
    "governing",
    "known_at",
    "match_receipts",
    "package",
    "read_package",
    "readings",
    "scaled",
    "select",
]
