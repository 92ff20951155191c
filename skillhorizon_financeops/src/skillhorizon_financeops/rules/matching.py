"""How receipts settle open items (R6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import attrs

from skillhorizon_financeops.rules.records import WHOLE, rdiv

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@attrs.frozen
class OpenItem:
    """An item of a lockbox's list; amounts in minor units, days as business days."""

    item: str
    entity: str
    amount: int
    open: int
    day: int
    due: int


@attrs.frozen
class Receipt:
    """A payment: its id, entity, minor units, and the item it refers to ('' for none)."""

    pay: str
    entity: str
    minor: int
    ref: str


class Terms(Protocol):
    """The cash terms of the remittance's contract: basis points, days, minor units."""

    @property
    def disc_bps(self) -> int:
        """Discount."""

    @property
    def disc_days(self) -> int:
        """Days after the item's day within which it is granted."""

    @property
    def tol(self) -> int:
        """Tolerance of a write-off."""


@attrs.frozen
class Match:
    """Lines (pay, item, applied, discount, writeoff) and on-account rows (pay, entity, amount)."""

    lines: tuple[tuple[str, str, int, int, int], ...]
    on_account: tuple[tuple[str, str, int], ...]


def match(receipts: Iterable[Receipt], items: Iterable[OpenItem], terms: Terms, day: int) -> Match:
    """Match receipts by ascending payment id with the items of their entity (R6).

    >>> from skillhorizon_financeops.rows import Contract
    >>> terms = Contract("FR-1", "FR", 0, 999, 0, 1, 1, 1, "net", 0, {}, 200, 120, 50)
    >>> items = [OpenItem("O2011", "E05", 10000, 10000, 290, 440), OpenItem("O2014", "E05", 4000, 4000, 240, 390),
    ...          OpenItem("O2019", "E05", 2000, 2000, 250, 400)]
    >>> receipts = [Receipt("Q4071", "E05", 9800, "O2011"), Receipt("Q4072", "E05", 5960, ""),
    ...             Receipt("Q4073", "E05", 700, "O2011")]
    >>> made = match(receipts, items, terms, 395)
    >>> for line in made.lines:
    ...     print(*line)
    Q4071 O2011 9800 200 0
    Q4072 O2014 4000 0 0
    Q4072 O2019 1960 0 40
    >>> made.on_account
    (('Q4073', 'E05', 700),)
    """
    state = {each.item: each for each in sorted(items, key=lambda each: (each.due, each.item))}
    lines: list[tuple[str, str, int, int, int]] = []
    rest: list[tuple[str, str, int]] = []
    for receipt in sorted(receipts, key=lambda each: each.pay):
        cash = _apply(receipt, state, terms, day, lines)
        if cash:
            rest.append((receipt.pay, receipt.entity, cash))
    return Match(tuple(lines), tuple(rest))


def _apply(
    receipt: Receipt, state: dict[str, OpenItem], terms: Terms, day: int, lines: list[tuple[str, str, int, int, int]]
) -> int:
    cash = receipt.minor
    for item in candidates(receipt, state):
        if cash <= 0:
            break
        applied = min(cash, item.open)
        cash, left = cash - applied, item.open - applied
        discount, writeoff = forgiven(item, left, terms, day) if not cash else (0, 0)
        lines.append((receipt.pay, item.item, applied, discount, writeoff))
        state[item.item] = attrs.evolve(item, open=left - discount - writeoff)
    return cash


def candidates(receipt: Receipt, state: Mapping[str, OpenItem]) -> list[OpenItem]:
    """Return the open items of a receipt's entity: the one it refers to first, then by (due, item)."""
    own = [item for item in state.values() if item.entity == receipt.entity and item.open > 0]
    return sorted(own, key=lambda item: (item.item != receipt.ref, item.due, item.item))


def forgiven(item: OpenItem, left: int, terms: Terms, day: int) -> tuple[int, int]:
    """Return (discount, write-off) of what a receipt's last cash left of an item."""
    if not left:
        return 0, 0
    if day <= item.day + terms.disc_days and left <= rdiv(item.amount * terms.disc_bps, WHOLE):
        return left, 0
    return (0, left) if left <= terms.tol else (0, 0)
