"""Rows of remittances: receipts that pay items open when nothing has been amended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer.orders import ALONE, NUMBERS, Entry, counting, order_ids, skeleton
from skillhorizon_financeops.composer.shape import Shape
from skillhorizon_financeops.rows import Contract, Source
from skillhorizon_financeops.truth import OpenItem, OpenItems, Reading

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_financeops.composer.trial import Order

_LOOSE = (500, 60_000)


@attrs.frozen(slots=False)
class Desk:
    """What a remittance is drawn from.

    Attributes:
        source, contract: its header and terms.
        code: the code of each kind of row.
        reach: entity -> the aliases that resolve to it, sorted.
        listed: the list that it pays.
        payable: its (entity, item) pairs that an alias reaches, sorted.
        shape: the variant's shares.
    """

    source: Source
    contract: Contract
    code: Mapping[str, str]
    reach: Mapping[str, Sequence[str]]
    listed: OpenItems
    payable: Sequence[tuple[str, OpenItem]]
    shape: Shape

    @cached_property
    def named(self) -> list[str]:
        """The listed items, sorted."""
        return sorted([item[1] for items in self.listed.values() for item in items])

    def raw(self, minor: int) -> int:
        """Return the raw amount for an amount in minor units, rounded down but not to nothing."""
        return max(1, minor * self.contract.den // self.contract.num)


def receipts(rng: Rng, desk: Desk, rows: int) -> list[Order]:
    """Draw receipts of so many rows; each takes another item as long as there are any, then pays on account."""
    out: list[Order] = []
    payable, ids, policy = list(desk.payable), order_ids("Q", desk.source.source_id), desk.source.conflict_policy
    for number, entries in enumerate(skeleton(rng, rows), start=1):
        index = 0 if entries is ALONE else counting(entries, policy)
        entity, item = _target(rng, desk, payable, taken=index is not None)
        alias, ref = rng.choice(desk.reach[entity]), _ref(rng, desk, item)
        paid = desk.raw(_paid(rng, desk, item) if item is not None else rng.integer(*_LOOSE))
        right = ids + NUMBERS[number], alias, paid, ref
        if entries is ALONE:
            out.append([(right[0], 1, desk.code["sale"], alias, paid, ref)])
        else:
            out.append(_rows(rng, desk, (entries, index), right))
    return out


def _target(rng: Rng, desk: Desk, payable: list[tuple[str, OpenItem]], *, taken: bool) -> tuple[str, OpenItem | None]:
    """Draw whose item a receipt pays, which it takes from the payable ones; no item when there are none left."""
    if not payable:
        return rng.choice(sorted(desk.reach)), None
    at = rng.integer(0, len(payable) - 1)
    return payable.pop(at) if taken else payable[at]


def _rows(
    rng: Rng,
    desk: Desk,
    order: tuple[Sequence[Entry], int | None],
    right: tuple[str, str, int, str],
) -> list[Reading]:
    """Draw the rows of a receipt of several, of which the one that counts says what is right."""
    (entries, index), (payment, alias, paid, ref) = order, right
    out: list[Reading] = []
    for position, (kind, revision) in enumerate(entries):
        counts = position == index
        party = _other_alias(rng, desk, alias) if kind == "metadata" else alias
        amount = paid if counts else _noise(rng, kind, paid)
        out.append((payment, revision, desk.code[kind], party, amount, ref if counts or rng.chance(5_000) else ""))
    return out


def _other_alias(rng: Rng, desk: Desk, alias: str) -> str:
    return rng.choice([other for aliases in desk.reach.values() for other in aliases if other != alias])


def _noise(rng: Rng, kind: str, paid: int) -> int:
    """Return an amount that must not count: nothing, or something near what is paid but not equal."""
    return 0 if kind == "withdrawn" else paid + rng.integer(1, max(2, paid // 2))


def _paid(rng: Rng, desk: Desk, item: OpenItem) -> int:
    """Return what a receipt pays of an item: short within terms or tolerance, partly, over, or in full."""
    still, draw, short = item[3], rng.integer(0, 99), desk.shape.short
    if draw < short:
        return max(1, still - rng.integer(1, max(1, _leeway(desk, item))))
    if draw < short + 15:
        return max(1, still * rng.integer(20, 80) // 100)
    if draw < short + 25:
        return still + rng.integer(100, 20_000)
    return still


def _leeway(desk: Desk, item: OpenItem) -> int:
    """Return the most that may be left open: the discount within its days, else the tolerance."""
    _, _, amount, _, day = item
    terms = desk.contract
    if desk.source.day <= day + (terms.disc_days or 0):
        return (amount * (terms.disc_bps or 0)) // 10_000
    return terms.tol or 0


def _ref(rng: Rng, desk: Desk, item: OpenItem | None) -> str:
    """Return the right reference with the variant's share; of the others a third is wrong, the rest empty."""
    if item is not None and rng.chance(100 * desk.shape.refs):
        return item[1]
    others = sum(map(len, desk.listed.values())) - (item is not None)
    if not others or not rng.chance(3_333):
        return ""
    return rng.choice([name for name in desk.named if item is None or name != item[1]])
