"""Open items and matching (R6), kept per lockbox and entity: receipts of one entity never touch another's items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from skillhorizon_financeops.truth.packages import rounded

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Line, OnAccount, Record, SourceTruth
    from skillhorizon_financeops.rows import Contract, OpeningItem, Source

OpenItem = tuple[int, str, int, int, int]
"""due, item, amount, open, day: so that items sort as receipts take them."""
OpenItems = Mapping[str, tuple[OpenItem, ...]]
"""entity -> its open items in ascending (due, item)."""
Receipt = tuple[str, str, int, str]
"""payment, entity, amount, ref."""
TERM_DAYS = 150


def opening_items(items: Iterable[OpeningItem]) -> dict[str, OpenItems]:
    """Return each lockbox's items before the first stage."""
    boxes: dict[str, dict[str, tuple[OpenItem, ...]]] = {}
    for item in items:
        box = boxes.setdefault(item.lockbox, {})
        held = (*box.get(item.entity, ()), (item.due, item.item, item.amount, item.amount, item.day))
        box[item.entity] = tuple(sorted(held))
    return dict(boxes)


def _taken(items: Sequence[OpenItem], ref: str) -> Sequence[OpenItem]:
    """Return an entity's items as a receipt takes them: what it refers to, if that is listed, comes first."""
    for at, item in enumerate(items if ref else ()):
        if item[1] == ref:
            return (item, *items[:at], *items[at + 1 :])
    return items


def _forgiven(contract: Contract, day: int, item: OpenItem, rest: int) -> tuple[int, int]:
    """Return discount and writeoff of what a receipt leaves open of an item."""
    _, _, amount, _, item_day = item
    days, bps, tolerance = contract.disc_days or 0, contract.disc_bps or 0, contract.tol or 0
    if day <= item_day + days and rest <= rounded(amount * bps, 10_000):
        return rest, 0
    return (0, rest) if rest <= tolerance else (0, 0)


def match_receipts(
    contract: Contract, day: int, receipts: Iterable[Receipt], listed: OpenItems
) -> tuple[tuple[Line, ...], tuple[OnAccount, ...]]:
    """Match receipts, in ascending payment id, to the listed items (R6)."""
    left: dict[str, int] = {}
    lines: list[Line] = []
    on_account: list[OnAccount] = []
    for payment, entity, amount, ref in sorted(receipts):
        cash = amount
        for item in _taken(listed.get(entity, ()), ref):
            if cash <= 0:
                break
            name, was = item[1], left.get(item[1], item[3])
            if was > 0:
                applied = min(cash, was)
                cash -= applied
                rest = was - applied
                given = _forgiven(contract, day, item, rest) if rest and not cash else (0, 0)
                left[name] = rest - sum(given)
                lines.append((payment, name, applied, *given))
        if cash > 0:
            on_account.append((payment, entity, cash))
    return tuple(sorted(lines)), tuple(on_account)


def carried(listed: OpenItems, paid: SourceTruth, source: Source, sales: Iterable[Record]) -> OpenItems:
    """Return the next stage's list: less the lines that the stage paid, plus its sales of positive amount (R6)."""
    settled: dict[str, int] = {}
    for _, item, applied, discount, writeoff in paid.lines or ():
        settled[item] = settled.get(item, 0) + applied + discount + writeoff
    out = dict(listed)
    for entity in dict.fromkeys([record[2] for record in paid.records]):
        rest = _less(out.pop(entity, ()), settled)
        if rest:
            out[entity] = rest
    for order, _, entity, minor in sales:
        if minor > 0:
            owed: OpenItem = (source.day + TERM_DAYS, order, minor, minor, source.day)
            held = out.get(entity, ())
            out[entity] = (*held, owed) if not held or held[-1] < owed else tuple(sorted((*held, owed)))
    return out


def _less(items: tuple[OpenItem, ...], settled: Mapping[str, int]) -> tuple[OpenItem, ...]:
    """Return what stays open of an entity's items."""
    rest: list[OpenItem] = []
    for item in items:
        taken = settled.get(item[1], 0)
        if not taken:
            rest.append(item)
        elif item[3] > taken:
            rest.append((*item[:3], item[3] - taken, item[4]))
    return tuple(rest)
