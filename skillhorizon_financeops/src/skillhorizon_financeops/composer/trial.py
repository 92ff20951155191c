"""Whether a source tells right from wrong: every single wrong choice must change its records or citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.composer.contracts import neighbours
from skillhorizon_financeops.composer.headers import POLICIES
from skillhorizon_financeops.rows import Contract
from skillhorizon_financeops.truth import Book, Chosen, Reading, counted, scaled

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import Source

Order = Sequence[Reading]
"""The rows of one order, in order of position."""
Selection = Mapping[str, Chosen]
Beside = Mapping[str, Sequence[Contract]]
"""contract id -> the contracts of the spans beside it."""


@attrs.frozen(slots=False)
class Trial:
    """What may be chosen wrongly of a source.

    Attributes:
        contract: the governing one.
        policy, other: the source's policy and the one it does not have.
        neighbours: the contracts of the spans beside the governing one, of sales only.
        overlays: the entries of the overlays that cover the source's day.
    """

    contract: Contract
    policy: str
    other: str
    neighbours: Sequence[Contract]
    overlays: Sequence[Mapping[str, str]]

    def right(self, orders: Iterable[Order]) -> dict[str, Chosen]:
        """Return the true selection of a source of these orders."""
        return counted(self.policy, self.contract.codes, chain.from_iterable(orders))

    def told(self, orders: Sequence[Order]) -> Selection | None:
        """Return the true selection if the other policy, a neighbouring contract and the map below an overlay all show.

        Args:
            orders: in order of position.
        """
        several = [rows for rows in orders if len(rows) > 1]
        if not several:
            return None
        right = self.right(orders)
        shown = (
            self._overlays_used(right)
            and self._shows(several, right, (self.other, self.contract))
            and all(self._misread(orders, right, wrong) for wrong in self.neighbours)
        )
        return right if shown else None

    def _overlays_used(self, right: Selection) -> bool:
        """Whether an alias that counts stands in each overlay."""
        if not self.overlays:
            return True
        used = [alias for _, alias, _, _ in right.values()]
        return not any(entries.keys().isdisjoint(used) for entries in self.overlays)

    def _misread(self, orders: Iterable[Order], right: Selection, wrong: Contract) -> bool:
        """Whether a neighbouring contract shows; one of the same codes reads the same rows, in other amounts."""
        if wrong.codes != self.contract.codes:
            return self._shows(orders, right, (self.policy, wrong))
        for _, _, amount, _ in right.values():  # noqa: SIM110  # a loop costs half of `any`, as the first amount mostly tells
            if scaled(self.contract, amount) != scaled(wrong, amount):
                return True
        return False

    def _shows(self, orders: Iterable[Order], right: Selection, wrong: tuple[str, Contract]) -> bool:
        """Whether orders give other records when read by a wrong policy or contract."""
        policy, contract = wrong
        for rows in orders:
            order = rows[0][0]
            chosen, other = right.get(order), counted(policy, contract.codes, rows).get(order)
            if chosen is None or other is None:
                if chosen is not other:
                    return True
            elif chosen[1] != other[1] or scaled(self.contract, chosen[2]) != scaled(contract, other[2]):
                return True
        return False


def beside(book: Book) -> Beside:
    """Return the neighbours of each of a book's contracts."""
    return {
        each.contract_id: neighbours(of_format, each) for of_format in book.contracts.values() for each in of_format
    }


def trial(book: Book, source: Source, beside: Beside) -> Trial:
    """Return what may be chosen wrongly of a source under a book's facts."""
    contract, day = book.contract(source.format, source.day), source.day
    return Trial(
        contract,
        source.conflict_policy,
        POLICIES[source.conflict_policy == POLICIES[0]],
        beside[contract.contract_id] if source.kind == "sales" else (),
        [
            each.entries
            for each in book.maps[source.identity_source_id]
            if each.rank and each.from_day <= day <= each.to_day
        ],
    )
