"""Rows of remittances: receipts that pay items open when nothing has been amended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer.orders import Cells, Entry, counting, numbered, order_id, skeleton
from skillhorizon_financeops.composer.shape import Shape
from skillhorizon_financeops.rows import Contract, Source, SourceRow
from skillhorizon_financeops.truth import OpenItem, OpenItems

if TYPE_CHECKING:
    from skillhorizon import Rng

_LOOSE = (500, 60_000)


@attrs.frozen(kw_only=True)
class Desk:
    """What a remittance is drawn from: its terms, the aliases that reach each entity, the list it pays."""

    source: Source
    contract: Contract
    reach: Mapping[str, Sequence[str]]
    listed: OpenItems
    shape: Shape

    @cached_property
    def payable(self) -> list[tuple[str, OpenItem]]:
        """The (entity, item) pairs that an alias reaches, sorted."""
        return sorted((entity, item) for entity in self.reach for item in self.listed.get(entity, ()))

    @cached_property
    def codes(self) -> Mapping[str, str]:
        """The code of each kind of row."""
        return {kind: code for code, kind in self.contract.codes.items()}

    @cached_property
    def named(self) -> list[str]:
        """The listed items, sorted."""
        return sorted(item[1] for items in self.listed.values() for item in items)

    def raw(self, minor: int) -> int:
        """Return the raw amount for an amount in minor units, rounded down but not to nothing."""
        return max(1, minor * self.contract.den // self.contract.num)


def receipt_rows(rng: Rng, desk: Desk, count: int) -> tuple[SourceRow, ...]:
    """Draw receipts; each takes another item as long as there are any, then pays on account."""
    rows: list[Cells] = []
    payable = list(desk.payable)
    for number, entries in enumerate(skeleton(rng, count), start=1):
        index = counting(entries, desk.source.conflict_policy)
        entity, item = rng.choice(payable) if payable else (rng.choice(sorted(desk.reach)), None)
        if item is not None and index is not None:
            payable.remove((entity, item))
        payment = order_id("Q", desk.source.source_id, number)
        rows.extend(_rows(rng, desk, (payment, entries, index), (entity, item)))
    return numbered(desk.source, rows)


def _rows(
    rng: Rng,
    desk: Desk,
    order: tuple[str, Sequence[Entry], int | None],
    target: tuple[str, OpenItem | None],
) -> list[Cells]:
    (payment, entries, index), (entity, item) = order, target
    alias, ref = rng.choice(desk.reach[entity]), _ref(rng, desk, item)
    paid = desk.raw(_paid(rng, desk, item) if item is not None else rng.integer(*_LOOSE))
    out: list[Cells] = []
    for position, (kind, revision) in enumerate(entries):
        counts = position == index
        party = _other_alias(rng, desk, alias) if kind == "metadata" else alias
        amount = paid if counts else _noise(rng, kind, paid)
        out.append((payment, revision, desk.codes[kind], party, amount, ref if counts or rng.chance(5_000) else ""))
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
    others = len(desk.named) - (item is not None)
    if not others or not rng.chance(3_333):
        return ""
    return rng.choice([name for name in desk.named if item is None or name != item[1]])
