"""Truth through time: stages open, updates bring facts, and only what a fact touches is worked again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, assert_never

import attrs

from skillhorizon_financeops.plan import (
    AccountReassigned,
    AnyUpdate,
    Change,
    ContractSuperseded,
    MapSuperseded,
    SourceAmended,
    SourceTruth,
    Total,
)
from skillhorizon_financeops.truth.packages import Package, read_package, totals_of
from skillhorizon_financeops.truth.receivables import OpenItems, Receipt, carried, match_receipts, opening_items

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import OpeningItem, Source, SourceRow
    from skillhorizon_financeops.truth.book import Book


@attrs.frozen
class Effect:
    """What one update changed among opened sources.

    `evidence`: source -> changes of its net, for the sources affected by it directly (R12); `moved`: every source
    whose truth changed, through open items too, in order of id.
    """

    evidence: Mapping[str, tuple[Change, ...]]
    moved: tuple[str, ...]


class Replay:
    """The truth of all opened sources under the book's facts (R1-R7); `history` keeps what was true before."""

    def __init__(self, book: Book, sources: Sequence[Source], openings: Iterable[OpeningItem]) -> None:
        self.book, self.stage, self.notices = book, 0, 0
        self.sources = {source.source_id: source for source in sources}
        self.packages: dict[str, Package] = {}
        self.truths: dict[str, SourceTruth] = {}
        self.history: dict[str, list[tuple[int, SourceTruth]]] = {}
        self._stages: dict[int, list[Source]] = {}
        for source in sources:
            self._stages.setdefault(source.stage, []).append(source)
        self._days = sorted([(source.day, source.source_id) for source in sources])
        self._lists = {box: [listed] for box, listed in opening_items(openings).items()}
        self._pairs = {(s.lockbox, s.stage, s.kind): s for s in sources if s.lockbox}
        self._before: Replay | None = None

    def again(self) -> Replay:
        """Return a replay of the same facts from the start, which learns on its own.

        What is worked out here is not worked out there again, as long as it comes of the same; so this one must have
        opened every stage, and have learnt nothing.
        """
        twin = copy(self)
        twin.book, twin.stage, twin.packages, twin.truths, twin.history = self.book.copy(), 0, {**self.packages}, {}, {}
        twin._lists = {box: lists[:1] for box, lists in self._lists.items()}
        twin._before = self
        return twin

    def items(self, lockbox: str, stage: int) -> OpenItems:
        """Return the open items of a lockbox at an opened stage, or the one about to open (R6)."""
        return self._lists[lockbox][stage - 1]

    def of_stage(self, stage: int) -> Sequence[Source]:
        """Return the headers of a stage's sources, in order of id."""
        return self._stages[stage]

    def supply(self, source: Source, rows: tuple[SourceRow, ...], package: Package) -> None:
        """Give a source the rows that it has from the start, and their reading."""
        self.book.rows[source.source_id] = rows
        self.packages[source.source_id] = package

    def package(self, source_id: str) -> Package:
        """Return the source's reading, made when it is first asked for or a fact has touched it."""
        found = self.packages.get(source_id)
        if found is None:
            found = self.packages[source_id] = read_package(self.book, self.sources[source_id])
        return found

    def open_stage(self) -> None:
        """Open the next stage: its sources' truth under what is known now."""
        self.stage += 1
        for source in self._stages[self.stage]:
            name, truth = source.source_id, self._truth(source)
            self.truths[name], self.history[name] = truth, [(self.notices, truth)]
            if source.kind == "remittance" and source.lockbox is not None:
                self._lists[source.lockbox].append(self._after(source.lockbox, self.stage))

    def learn(self, update: AnyUpdate) -> Effect:
        """Add an update's facts and work again what they touch, in opened stages."""
        touched = self._touched(update)
        before = {source_id: self.packages.pop(source_id) for source_id in touched}
        self.book.learn(update)
        self.notices += 1
        opened = [source_id for source_id in sorted(touched) if self.sources[source_id].stage <= self.stage]
        direct = [s for s in opened if self.package(s).differs_in_basis(before[s])]
        old = {source_id: self.truths[source_id].totals for source_id in direct}
        moved = self._rework(direct)
        return Effect({s: _change(old[s], self.truths[s].totals) for s in direct}, tuple(sorted(moved)))

    def _touched(self, update: AnyUpdate) -> list[str]:
        """Return the sources read so far that an update's facts may concern."""
        match update:
            case MapSuperseded():
                overlay = update.overlay
                days = self._between(overlay.from_day, overlay.to_day)
                return [s for s in days if self.sources[s].identity_source_id == overlay.identity_source_id]
            case AccountReassigned():
                value = update.value
                days = self._between(value.from_day, value.to_day)
                return [s for s in days if any(c[2] == value.account for c in self.packages[s].citations)]
            case ContractSuperseded():
                contract = update.contract
                days = self._between(contract.from_day, contract.to_day)
                return [s for s in days if self.sources[s].format == contract.format]
            case SourceAmended():
                return [s for s in update.sources if s in self.packages]
            case _:
                assert_never(update)

    def _between(self, first: int, last: int) -> list[str]:
        low, high = bisect_left(self._days, (first, "")), bisect_right(self._days, (last, "~"))
        return [source_id for _, source_id in self._days[low:high] if source_id in self.packages]

    def _rework(self, direct: Sequence[str]) -> set[str]:
        moved = set()
        dirty: dict[str, list[int]] = {}
        for source in (self.sources[source_id] for source_id in direct):
            if source.lockbox is not None:
                dirty.setdefault(source.lockbox, []).append(source.stage)
            if source.kind == "sales" and self._set(source.source_id, self._truth(source)):
                moved.add(source.source_id)
        for lockbox, stages in sorted(dirty.items()):
            moved |= self._recarry(lockbox, stages)
        return moved

    def _recarry(self, lockbox: str, dirty: Sequence[int]) -> set[str]:
        """Match again from the first touched stage until the lists are as they were."""
        moved = set()
        for stage in range(min(dirty), self.stage + 1):
            remittance = self._pairs[lockbox, stage, "remittance"]
            if self._set(remittance.source_id, self._truth(remittance)):
                moved.add(remittance.source_id)
            if not self._carry(lockbox, stage) and stage >= max(dirty):
                break
        return moved

    def _carry(self, lockbox: str, stage: int) -> bool:
        """Work out again the list that follows a stage; say whether it changed."""
        lists, after = self._lists[lockbox], self._after(lockbox, stage)
        changed, lists[stage] = lists[stage] != after, after
        return changed

    def _after(self, lockbox: str, stage: int) -> OpenItems:
        sales, remittance = self._pairs[lockbox, stage, "sales"], self._pairs[lockbox, stage, "remittance"]
        listed, before = self._lists[lockbox][stage - 1], self._before
        paid, sold = self.truths[remittance.source_id], self.truths[sales.source_id]
        if (
            before is not None
            and listed is before._lists[lockbox][stage - 1]
            and paid is before.truths[remittance.source_id]
            and sold is before.truths[sales.source_id]
        ):
            return before._lists[lockbox][stage]
        return carried(listed, paid, sales, sold.records)

    def _set(self, source_id: str, truth: SourceTruth) -> bool:
        if self.truths[source_id] == truth:
            return False
        self.truths[source_id] = truth
        self.history[source_id].append((self.notices, truth))
        return True

    def _truth(self, source: Source) -> SourceTruth:
        """Return a source's truth: what was worked out before, when it comes of the same reading and list."""
        name, before = source.source_id, self._before
        package = self.package(name)
        if source.kind == "sales" or source.lockbox is None:
            same, listed = True, None
        else:
            listed = self.items(source.lockbox, source.stage)
            same = before is None or listed == before.items(source.lockbox, source.stage)
        if same and before is not None and package is before.packages[name]:
            return before.truths[name]
        return _worked(source, package, listed)


def _worked(source: Source, package: Package, listed: OpenItems | None) -> SourceTruth:
    """Work out a source's truth from its reading and, for a remittance, the list that it pays (R5-R7)."""
    if listed is None:
        lines = on_account = None
        totals = totals_of([(entity, minor) for _, _, entity, minor in package.records])
    else:
        lines, on_account = match_receipts(package.contract, source.day, _receipts(package), listed)
        given = _forgiven(lines)
        totals = totals_of([(e, -minor - given.get(order, 0)) for order, _, e, minor in package.records])
    return SourceTruth(
        contract_id=package.contract.contract_id,
        identity_source_id=source.identity_source_id,
        conflict_policy=source.conflict_policy,
        records=package.records,
        citations=package.citations,
        lines=lines,
        on_account=on_account,
        totals=totals,
    )


def _receipts(package: Package) -> list[Receipt]:
    return [(order, entity, minor, package.selection[order][3]) for order, _, entity, minor in package.records]


def _forgiven(lines: Iterable[tuple[str, str, int, int, int]]) -> dict[str, int]:
    out: dict[str, int] = {}
    for payment, _, _, discount, writeoff in lines:
        out[payment] = out.get(payment, 0) + discount + writeoff
    return out


def _change(before: Sequence[Total], after: Sequence[Total]) -> tuple[Change, ...]:
    """Return by entity what is added to the net, zeros omitted (R12)."""
    net = {entity: amount for entity, _, amount in after}
    for entity, _, amount in before:
        net[entity] = net.get(entity, 0) - amount
    return tuple(sorted((entity, amount) for entity, amount in net.items() if amount))
