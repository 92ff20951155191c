"""Updates that append rows to sources: to some so that their selection changes, to one so that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import Rng
from skillhorizon_financeops.composer.desk import Found, Search
from skillhorizon_financeops.composer.feeds import accounts_of
from skillhorizon_financeops.composer.orders import NUMBERS, RAW_HIGH, RAW_LOW, cells, code_of, order_ids
from skillhorizon_financeops.plan import SourceAmended
from skillhorizon_financeops.rows import COLUMNS, Source, SourceRow
from skillhorizon_financeops.truth import Package, covering, scaled

if TYPE_CHECKING:
    from collections.abc import Mapping

_OTHER_ALIAS_BPS = 2_000
_LATEST = (("correction", 50), ("order", 30), ("withdrawn", 20))
_PAYMENT = (500, 20_000)
_STAGES_BACK = 8


@attrs.frozen(kw_only=True)
class _Feed:
    """A source about to be amended."""

    rng: Rng
    source: Source
    package: Package
    rows: tuple[SourceRow, ...]
    aliases: tuple[str, ...]

    @property
    def orders(self) -> list[str]:
        """Its order ids, sorted."""
        return sorted({row.cells[self.column("order")] for row in self.rows})

    def column(self, name: str) -> int:
        """Return the position of a column in the source's format."""
        return COLUMNS[self.source.format].index(name)

    def row(self, kind: str, values: Mapping[str, str | int]) -> SourceRow:
        """Return the row appended next, with the code that means `kind`."""
        full = {"code": code_of(self.package.contract.codes, kind), "ref": "", **values}
        named = tuple(full[name] for name in COLUMNS["FR"])
        version = max(row.added_version for row in self.rows) + 1
        return SourceRow(self.source.source_id, len(self.rows) + 1, version, cells(self.source.format, named))

    def next_revision(self, order: str) -> int:
        """Return the revision after an order's greatest."""
        order_at, rev_at = self.column("order"), self.column("rev")
        return 1 + max(int(row.cells[rev_at]) for row in self.rows if row.cells[order_at] == order)


def source_amended(search: Search) -> Found | None:
    """List a + 1 sources: as many as asked whose selection changes, and at least one where it does not."""
    if not search.count <= min(search.config.breadth, len(search.window)):
        return None
    affected = search.rng.sample(search.window, search.count)
    same = _others(search, affected)
    if not same:
        return None
    rows = [_changing(_feed(search, s)) for s in affected] + [_idle(_feed(search, s)) for s in same]
    update = SourceAmended(
        id=search.id,
        trigger=search.trigger,
        stage=search.stage,
        decoy=search.decoy,
        sources=tuple(sorted((*affected, *same))),
        rows=tuple(sorted(rows, key=lambda row: row.source_id)),
    )
    return Found(update, tuple(sorted(affected)), tuple(same))


def _others(search: Search, affected: list[str]) -> list[str]:
    """Draw the listed sources whose selection stays."""
    free = [source_id for source_id in search.recent(_STAGES_BACK) if source_id not in affected]
    return search.rng.sample(free, min(search.config.breadth + 1 - len(affected), len(free)))


def _feed(search: Search, source_id: str) -> _Feed:
    source, book = search.replay.sources[source_id], search.replay.book
    return _Feed(
        rng=search.rng,
        source=source,
        package=search.replay.package(source_id),
        rows=book.rows[source_id],
        aliases=tuple(sorted(accounts_of(covering(book, source)))),
    )


def _changing(feed: _Feed) -> SourceRow:
    """Return a row that changes the selection: a new order, or under latest_revision one that counts."""
    kind = "order" if feed.source.conflict_policy == "first" else feed.rng.weighted(_LATEST)
    if kind == "withdrawn" and len(feed.package.selection) > 1:
        order = feed.rng.choice(sorted(feed.package.selection))
        party = feed.package.selection[order][1]
        return feed.row("withdrawn", {"order": order, "rev": feed.next_revision(order), "party": party, "amt": 0})
    return _correction(feed) if kind == "correction" else _order(feed)


def _correction(feed: _Feed) -> SourceRow:
    order = feed.rng.choice(sorted(feed.package.selection))
    _, party, amount, ref = feed.package.selection[order]
    if feed.rng.chance(_OTHER_ALIAS_BPS):
        party = feed.rng.choice([alias for alias in feed.aliases if alias != party])
    revision, other = feed.next_revision(order), _other_amount(feed, amount)
    return feed.row("correction", {"order": order, "rev": revision, "party": party, "amt": other, "ref": ref})


def _other_amount(feed: _Feed, amount: int) -> int:
    """Draw a raw amount of the same sign that makes another amount in minor units."""
    contract = feed.package.contract
    while True:
        drawn = _amount(feed) * (-1 if amount < 0 else 1)
        if scaled(contract, drawn) != scaled(contract, amount):
            return drawn


def _amount(feed: _Feed) -> int:
    return feed.rng.integer(*_PAYMENT) if feed.source.kind == "remittance" else feed.rng.integer(RAW_LOW, RAW_HIGH)


def _order(feed: _Feed) -> SourceRow:
    letter = "Q" if feed.source.kind == "remittance" else "O"
    order = f"{order_ids(letter, feed.source.source_id)}{NUMBERS[1 + int(feed.orders[-1][-2:])]}"
    return feed.row("sale", {"order": order, "rev": 1, "party": feed.rng.choice(feed.aliases), "amt": _amount(feed)})


def _idle(feed: _Feed) -> SourceRow:
    """Return a row on a known order that changes nothing: metadata, or under `first` also a correction."""
    order = feed.rng.choice(feed.orders)
    first = feed.source.conflict_policy == "first"
    kind = feed.rng.choice(("correction", "metadata")) if first else "metadata"
    revision, party = feed.next_revision(order), feed.rng.choice(feed.aliases)
    return feed.row(kind, {"order": order, "rev": revision, "party": party, "amt": _amount(feed)})
