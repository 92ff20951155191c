"""Rows of sales sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_financeops.composer.orders import RAW_HIGH, RAW_LOW, Cells, numbered, order_id, skeleton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Rng
    from skillhorizon_financeops.rows import Contract, Source, SourceRow

_REFUND_BPS, _SAME_ALIAS_BPS = 800, 7_000


def sales_rows(
    rng: Rng, source: Source, contract: Contract, aliases: Sequence[str], count: int
) -> tuple[SourceRow, ...]:
    """Draw about 5 orders per 8 rows; no refunds for a lockbox, whose orders become open items."""
    code = {kind: code for code, kind in contract.codes.items()}
    rows: list[Cells] = []
    for number, entries in enumerate(skeleton(rng, count), start=1):
        sign = -1 if source.lockbox is None and rng.chance(_REFUND_BPS) else 1
        alias = rng.choice(aliases)
        order = order_id("O", source.source_id, number)
        for kind, revision in entries:
            party = alias if kind == "sale" else _party(rng, kind, alias, aliases)
            amount = 0 if kind == "withdrawn" else sign * rng.integer(RAW_LOW, RAW_HIGH)
            rows.append((order, revision, code[kind], party, amount))
    return numbered(source, rows)


def _party(rng: Rng, kind: str, alias: str, aliases: Sequence[str]) -> str:
    if kind == "metadata" or (kind == "correction" and not rng.chance(_SAME_ALIAS_BPS)):
        return rng.choice([other for other in aliases if other != alias])
    return alias
