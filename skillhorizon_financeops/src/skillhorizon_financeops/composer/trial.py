"""Whether a source tells right from wrong: every single wrong choice must change its records or citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from skillhorizon_financeops.composer.contracts import neighbours
from skillhorizon_financeops.composer.headers import POLICIES
from skillhorizon_financeops.truth import Book, select
from skillhorizon_financeops.truth.packages import Chosen, scaled

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import Contract, Source, SourceRow

Codes = Mapping[str, str]
Selection = Mapping[str, Chosen]


def tells(book: Book, source: Source) -> bool:
    """Whether the other policy, a neighbouring sales contract and the map below an overlay would all show."""
    contract = book.contract(source.format, source.day)
    rows = book.rows[source.source_id]
    right = select(source.format, source.conflict_policy, contract.codes, rows)
    other = POLICIES[source.conflict_policy == POLICIES[0]]
    return (
        bool(right)
        and _overlays_used(book, source, right)
        and _differ(contract, right, contract, select(source.format, other, contract.codes, rows))
        and all(
            _differ(contract, right, wrong, _read(source, wrong.codes, rows, (contract.codes, right)))
            for wrong in (neighbours(book.contracts[source.format], contract) if source.kind == "sales" else ())
        )
    )


def _read(source: Source, codes: Codes, rows: Sequence[SourceRow], known: tuple[Codes, Selection]) -> Selection:
    """Return a source's selection under other codes; equal ones select what is known."""
    return known[1] if codes == known[0] else select(source.format, source.conflict_policy, codes, rows)


def _differ(one: Contract, right: Selection, two: Contract, wrong: Selection) -> bool:
    """Whether two readings give other records; one and the same selection does not under one contract."""
    if one is two and right == wrong:
        return False
    return right.keys() != wrong.keys() or any(
        chosen[1] != wrong[order][1] or scaled(one, chosen[2]) != scaled(two, wrong[order][2])
        for order, chosen in right.items()
    )


def _overlays_used(book: Book, source: Source, right: Selection) -> bool:
    """Whether an alias that counts stands in each overlay that covers the source's day."""
    overlays = [
        overlay
        for overlay in book.maps[source.identity_source_id]
        if overlay.rank and overlay.from_day <= source.day <= overlay.to_day
    ]
    return all(any(chosen[1] in overlay.entries for chosen in right.values()) for overlay in overlays)
