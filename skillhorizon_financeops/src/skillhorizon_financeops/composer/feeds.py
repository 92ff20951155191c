"""The first pass: every source's rows, stage by stage, each remittance paying what is open before any update."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from skillhorizon_financeops.composer.receipts import Desk, receipt_rows
from skillhorizon_financeops.composer.sales import sales_rows
from skillhorizon_financeops.composer.trial import tells
from skillhorizon_financeops.rows import Source, SourceRow
from skillhorizon_financeops.truth import Book, Replay, select

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_financeops.composer.shape import Shape

ATTEMPTS = 25
Draw = Callable[[int], tuple[SourceRow, ...]]
"""number of rows -> rows."""


def fill(rng: Rng, particulars: Shape, replay: Replay, stages: int) -> None:
    """Draw the rows of all sources into the replay's book, opening its stages one by one."""
    for stage in range(1, stages + 1):
        for source in replay.of_stage(stage):
            draws = rng.stream(source.source_id)
            _settle(draws, replay.book, source, _drawer(draws, particulars, replay, source), particulars.rows)
        replay.open_stage()


def _settle(rng: Rng, book: Book, source: Source, draw: Draw, rows: int) -> None:
    """Keep the first rows that tell right from wrong; after all attempts, rows that at least include an order."""
    included: tuple[SourceRow, ...] = ()
    for _ in range(ATTEMPTS):
        book.rows[source.source_id] = draw(rows + rng.integer(-1, 1))
        if tells(book, source):
            return
        included = included or _including(book, source)
    book.rows[source.source_id] = included or draw(1)


def _including(book: Book, source: Source) -> tuple[SourceRow, ...]:
    rows = book.rows[source.source_id]
    codes = book.contract(source.format, source.day).codes
    return rows if select(source.format, source.conflict_policy, codes, rows) else ()


def _drawer(rng: Rng, particulars: Shape, replay: Replay, source: Source) -> Draw:
    book = replay.book
    contract = book.contract(source.format, source.day)
    if source.kind == "remittance" and source.lockbox is not None:
        listed = replay.items(source.lockbox, source.stage)
        reach = reachable(book, source)
        desk = Desk(source=source, contract=contract, reach=reach, listed=listed, shape=particulars)
        return lambda count: receipt_rows(rng, desk, count)
    aliases = sorted(accounts_of(book, source))
    return lambda count: sales_rows(rng, source, contract, aliases, count)


def accounts_of(book: Book, source: Source) -> dict[str, str]:
    """Return the account of each alias of the source's register on its day (R4)."""
    accounts: dict[str, str] = {}
    for each in reversed(book.maps[source.identity_source_id]):
        if each.from_day <= source.day <= each.to_day:
            accounts.update(each.entries)
    return accounts


def reachable(book: Book, source: Source) -> Mapping[str, Sequence[str]]:
    """Return entity -> the aliases of the source's register that resolve to it on its day (R4), sorted."""
    accounts = accounts_of(book, source)
    out: dict[str, list[str]] = {}
    for alias in sorted(accounts):
        out.setdefault(book.value(accounts[alias], source.day).entity, []).append(alias)
    return out
