"""The first pass: every source's rows, stage by stage, each remittance paying what is open before any update."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from skillhorizon_financeops.composer.orders import numbered
from skillhorizon_financeops.composer.receipts import Desk, receipts
from skillhorizon_financeops.composer.sales import sales_orders
from skillhorizon_financeops.composer.trial import Order, Selection, Trial, beside, trial
from skillhorizon_financeops.truth import Book, Replay, package

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_financeops.composer.shape import Shape
    from skillhorizon_financeops.rows import Source

ATTEMPTS = 25
Draw = Callable[[int], list[Order]]
"""number of rows -> orders."""


def fill(rng: Rng, particulars: Shape, replay: Replay, stages: int) -> None:
    """Draw the rows of all sources into the replay's book, opening its stages one by one."""
    book = replay.book
    around = beside(book)
    for stage in range(1, stages + 1):
        for source in replay.of_stage(stage):
            draws, tried = rng.stream(source.source_id), trial(book, source, around)
            drawer = _drawer(draws, particulars, replay, (source, tried))
            orders, right = _settled(draws, tried, drawer, particulars.rows)
            replay.supply(source, numbered(source, orders), package(book, source, tried.contract, right))
        replay.open_stage()


def _settled(rng: Rng, tried: Trial, draw: Draw, rows: int) -> tuple[list[Order], Selection]:
    """Return the first orders that tell right from wrong, or at last that include one; and what counts of them."""
    included: tuple[list[Order], Selection] | None = None
    for _ in range(ATTEMPTS):
        orders = draw(rows + rng.integer(-1, 1))
        right = tried.told(orders)
        if right:
            return orders, right
        included = included or _including(tried, orders)
    if included is None:
        orders = draw(1)
        included = orders, tried.right(orders)
    return included


def _including(tried: Trial, orders: list[Order]) -> tuple[list[Order], Selection] | None:
    right = tried.right(orders)
    return (orders, right) if right else None


def _drawer(rng: Rng, particulars: Shape, replay: Replay, place: tuple[Source, Trial]) -> Draw:
    source, tried = place
    code = {kind: code for code, kind in tried.contract.codes.items()}
    accounts = accounts_of(replay.book, source)
    if source.kind == "remittance" and source.lockbox is not None:
        listed = replay.items(source.lockbox, source.stage)
        reach = _reachable(replay.book, accounts, source.day)
        desk = Desk(source, tried.contract, code, reach, listed, particulars)
        return lambda rows: receipts(rng, desk, rows)
    aliases = sorted(accounts)
    return lambda rows: sales_orders(rng, source, code, aliases, rows)


def accounts_of(book: Book, source: Source) -> dict[str, str]:
    """Return the account of each alias of the source's register on its day (R4)."""
    accounts: dict[str, str] = {}
    for each in reversed(book.maps[source.identity_source_id]):
        if each.from_day <= source.day <= each.to_day:
            accounts.update(each.entries)
    return accounts


def _reachable(book: Book, accounts: Mapping[str, str], day: int) -> Mapping[str, Sequence[str]]:
    """Return entity -> the aliases that resolve to it on a day (R4), sorted."""
    out: dict[str, list[str]] = {}
    for alias in sorted(accounts):
        out.setdefault(book.value(accounts[alias], day).entity, []).append(alias)
    return out
