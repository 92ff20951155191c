"""What family and variant fix: rows per source, formats, shares, the mix of updates (all shares in percent)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.config import MAINTENANCE, RECEIVABLES, FinanceConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

SALES_FORMATS = ("FA", "FB", "FC", "FD")
KINDS = ("map_superseded", "account_reassigned", "contract_superseded", "source_amended")
_SMOKE_WIDTH, _SMOKE_ROWS = 2, 8


@attrs.frozen(kw_only=True)
class Shape:
    """The fixed particulars of a variant.

    Attributes:
        rows: rows per source, give or take one.
        formats: how many sales formats are in use.
        mix: weights of the four kinds of update, in the order of `KINDS`.
        decoys: share of decoys among the updates that may be one.
        old: share of sources that use an identity source released three stages earlier or more.
        refs: share of receipts that refer to the item they pay.
        short: share of receipts that pay short within terms or tolerance.
    """

    rows: int
    formats: int
    mix: tuple[int, int, int, int]
    decoys: int = 0
    old: int = 35
    refs: int = 0
    short: int = 20


_SHAPES: Mapping[str, Shape] = {
    "formats": Shape(rows=14, formats=4, mix=(40, 20, 25, 5), decoys=10),
    "currencies": Shape(rows=11, formats=3, mix=(40, 20, 25, 5), decoys=10),
    "legacy": Shape(rows=8, formats=2, mix=(40, 20, 25, 5), decoys=10, old=70),
    "referenced": Shape(rows=4, formats=2, mix=(30, 20, 0, 50), refs=80),
    "discounts": Shape(rows=5, formats=2, mix=(30, 20, 0, 50), refs=50, short=60),
    "unreferenced": Shape(rows=6, formats=2, mix=(30, 20, 0, 50), refs=10),
    "supersession": Shape(rows=4, formats=1, mix=(60, 25, 0, 5), decoys=10),
    "amendment": Shape(rows=5, formats=1, mix=(20, 0, 0, 60), decoys=20),
    "rolling-views": Shape(rows=5, formats=1, mix=(50, 30, 0, 20)),
}


def shape(config: FinanceConfig) -> Shape:
    """Return a configuration's particulars; the smallest tasks of many formats have shorter sources."""
    found = _SHAPES[config.variant]
    if config.variant == "formats" and config.width == _SMOKE_WIDTH:
        return attrs.evolve(found, rows=_SMOKE_ROWS)
    return found


def formats(config: FinanceConfig) -> tuple[str, ...]:
    """Return the formats in use; receivables also have the remittance format."""
    used = SALES_FORMATS[: shape(config).formats]
    return (*used, "FR") if config.family == RECEIVABLES else used


def view_lag(config: FinanceConfig) -> int:
    """Return g, how many stages before its due stage the source of a comparative view lies."""
    return max(2, config.stages // 3) if config.variant in {"legacy", "rolling-views"} else 2


def views_per_stage(config: FinanceConfig) -> int:
    """Return how many comparative views fall due at each stage from the third on."""
    return 2 if config.family == MAINTENANCE and config.variant == "rolling-views" and config.stages > 4 else 1  # noqa: PLR2004  # S>=6
