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
    from skillhorizon_financeops.rows import IdentityMap, Source

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
            replay.supply(source, numbered(source, orders), package(book, source, tried.governing, right))
        replay.open_stage()


def _settled(rng: Rng, tried: Trial, draw: Draw, rows: int) -> tuple[list[Order], Selection]:
    """Return the first orders that tell right from wrong, or at last that include one; and what counts of them."""
    failed: list[list[Order]] = []
    for _ in range(ATTEMPTS):
        orders = draw(rows + rng.integer(-1, 1))
        right = tried.told(orders)
        if right:
            return orders, right
        failed.append(orders)
    for orders in failed:
        included = tried.right(orders)
        if included:
            return orders, included
    orders = draw(1)
    return orders, tried.right(orders)


def _drawer(rng: Rng, particulars: Shape, replay: Replay, place: tuple[Source, Trial]) -> Draw:
    source, tried = place
    accounts = accounts_of(tried.maps)
    if source.kind == "remittance" and source.lockbox is not None:
        listed = replay.items(source.lockbox, source.stage)
        reach = _reachable(replay.book, accounts, source.day)
        payable = [(entity, item) for entity in sorted(reach) for item in listed.get(entity, ())]
        desk = Desk(source, tried.contract, tried.code, reach, listed, payable, particulars)
        return lambda rows: receipts(rng, desk, rows)
    aliases = sorted(accounts)
    return lambda rows: sales_orders(rng, source, tried.code, aliases, rows)


def accounts_of(maps: Sequence[IdentityMap]) -> Mapping[str, str]:
    """Return the account of each alias in maps, of which the first that holds it governs (R4)."""
    if len(maps) == 1:
        return maps[0].entries
    accounts: dict[str, str] = {}
    for each in reversed(maps):
        accounts.update(each.entries)
    return accounts


def _reachable(book: Book, accounts: Mapping[str, str], day: int) -> Mapping[str, Sequence[str]]:
    """Return entity -> the aliases that resolve to it on a day (R4), sorted."""
    out: dict[str, list[str]] = {}
    for alias in sorted(accounts):
        out.setdefault(book.value(accounts[alias], day).entity, []).append(alias)
    return out
