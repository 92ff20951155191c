"""Whether a source tells right from wrong: every single wrong choice must change its records or citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer.contracts import neighbours
from skillhorizon_financeops.composer.orders import counting
from skillhorizon_financeops.rows import Contract, IdentityMap
from skillhorizon_financeops.truth import Book, Chosen, Governing, Reading, counted, governing, scaled

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import Source

Order = Sequence[Reading]
"""The rows of one order, in order of position."""
Selection = Mapping[str, Chosen]
Around = tuple[Sequence[Contract], Mapping[str, str]]
"""The contracts of the spans beside a contract, and its code of each kind of row."""
Beside = Mapping[str, Around]
"""contract id -> what stands around it."""


@attrs.frozen(slots=False)
class Trial:
    """What may be chosen wrongly of a source.

    Attributes:
        contract: the governing one.
        code: its code of each kind of row.
        policy: the source's.
        neighbours: the contracts of the spans beside the governing one, of sales only.
        maps: those that govern its aliases, greatest rank first.
    """

    contract: Contract
    code: Mapping[str, str]
    policy: str
    neighbours: Sequence[Contract]
    maps: Sequence[IdentityMap]

    @property
    def governing(self) -> Governing:
        """What governs the source."""
        return self.contract, self.maps

    def right(self, orders: Iterable[Order]) -> dict[str, Chosen]:
        """Return the true selection of a source of these orders."""
        return counted(self.policy, self.contract.codes, chain.from_iterable(orders))

    def told(self, orders: Sequence[Order]) -> Selection | None:
        """Return the true selection if the other policy, a neighbouring contract and the map below an overlay all show.

        Args:
            orders: in order of position.
        """
        several = [rows for rows in orders if len(rows) > 1]
        if not (several and self._policies_differ(several)):
            return None
        right = self.right(orders)
        if not self._overlays_used(right):
            return None
        for wrong in self.neighbours:
            if not self._misread(orders, right, wrong):
                return None
        return right

    def _policies_differ(self, several: Iterable[Order]) -> bool:
        """Whether one of the orders gives other records by the first row than by the latest revision (R2)."""
        codes, contract = self.contract.codes, self.contract
        for rows in several:
            entries = [(codes[row[2]], row[1]) for row in rows]
            first, latest = counting(entries, "first"), counting(entries, "latest_revision")
            if first is None or latest is None:
                if first is not latest:
                    return True
            elif first != latest:
                one, two = rows[first], rows[latest]
                if one[3] != two[3] or scaled(contract, one[4]) != scaled(contract, two[4]):
                    return True
        return False

    def _overlays_used(self, right: Selection) -> bool:
        """Whether an alias that counts stands in each overlay, which are the maps above the first."""
        if len(self.maps) == 1 and not self.maps[0].rank:
            return True
        used = [alias for _, alias, _, _ in right.values()]
        return not any(each.rank and each.entries.keys().isdisjoint(used) for each in self.maps)

    def _misread(self, orders: Iterable[Order], right: Selection, wrong: Contract) -> bool:
        """Whether a neighbouring contract shows; one of the same codes reads the same rows, in other amounts."""
        if wrong.codes != self.contract.codes:
            return self._shows(orders, right, wrong)
        for _, _, amount, _ in right.values():  # noqa: SIM110  # a loop costs half of `any`, as the first amount mostly tells
            if scaled(self.contract, amount) != scaled(wrong, amount):
                return True
        return False

    def _shows(self, orders: Iterable[Order], right: Selection, wrong: Contract) -> bool:
        """Whether orders give other records when read by a contract of other codes."""
        codes, policy = wrong.codes, self.policy
        for rows in orders:
            chosen, at = right.get(rows[0][0]), counting([(codes[row[2]], row[1]) for row in rows], policy)
            if chosen is None or at is None:
                if chosen or at is not None:
                    return True
            elif chosen[1] != rows[at][3] or scaled(self.contract, chosen[2]) != scaled(wrong, rows[at][4]):
                return True
        return False


def beside(book: Book) -> Beside:
    """Return what stands around each of a book's contracts."""
    return {
        each.contract_id: (neighbours(of_format, each), {kind: code for code, kind in each.codes.items()})
        for of_format in book.contracts.values()
        for each in of_format
    }


def trial(book: Book, source: Source, beside: Beside) -> Trial:
    """Return what may be chosen wrongly of a source under a book's facts."""
    contract, maps = governing(book, source)
    neighbouring, code = beside[contract.contract_id]
    return Trial(
        contract,
        code,
        source.conflict_policy,
        neighbouring if source.kind == "sales" else (),
        maps,
    )
