"""Rows of sales sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_financeops.composer.orders import ALONE, NUMBERS, RAW_HIGH, RAW_LOW, order_ids, skeleton

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon import Rng
    from skillhorizon_financeops.composer.trial import Order
    from skillhorizon_financeops.rows import Source
    from skillhorizon_financeops.truth import Reading

_REFUND_BPS, _SAME_ALIAS_BPS = 800, 7_000


def sales_orders(rng: Rng, source: Source, code: Mapping[str, str], aliases: Sequence[str], rows: int) -> list[Order]:
    """Draw about 5 orders per 8 rows; no refunds for a lockbox, whose orders become open items.

    Args:
        rng: the source's draws.
        source: whose orders they are.
        code: the code of each kind of row.
        aliases: those of the source's register on its day, sorted.
        rows: how many there are in all.
    """
    out: list[Order] = []
    refunds, ids = source.lockbox is None, order_ids("O", source.source_id)
    for number, entries in enumerate(skeleton(rng, rows), start=1):
        sign = -1 if refunds and rng.chance(_REFUND_BPS) else 1
        alias = rng.choice(aliases)
        order = ids + NUMBERS[number]
        if entries is ALONE:
            out.append([(order, 1, code["sale"], alias, sign * rng.integer(RAW_LOW, RAW_HIGH), "")])
            continue
        drawn: list[Reading] = []
        for kind, revision in entries:
            party = alias if kind == "sale" else _party(rng, kind, alias, aliases)
            amount = 0 if kind == "withdrawn" else sign * rng.integer(RAW_LOW, RAW_HIGH)
            drawn.append((order, revision, code[kind], party, amount, ""))
        out.append(drawn)
    return out


def _party(rng: Rng, kind: str, alias: str, aliases: Sequence[str]) -> str:
    if kind == "metadata" or (kind == "correction" and not rng.chance(_SAME_ALIAS_BPS)):
        return rng.choice([other for other in aliases if other != alias])
    return alias
