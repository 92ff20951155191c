"""One source read truly: selection, amounts, entities, totals (R2-R5, R7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

import attrs

from skillhorizon_financeops.plan import Citation, Record, Total
from skillhorizon_financeops.rows import COLUMNS, Contract, IdentityMap, Source, SourceRow

if TYPE_CHECKING:
    from skillhorizon_financeops.truth.book import Book

Reading = tuple[str, int, str, str, int, str]
"""order, revision, code, alias, raw amount, ref of a row; ref is "" outside FR."""
Chosen = tuple[int, str, int, str]
"""position, alias, raw amount, ref of the row selected for an order."""
Resolved = tuple[str, str, int, str]
"""map id, account, rank, entity of an alias."""
Governing = tuple[Contract, Sequence[IdentityMap]]
"""What governs a source: its contract, and the maps that cover its day, greatest rank first."""
_FIELDS = {
    name: itemgetter(*map(order.index, ("order", "rev", "code", "party", "amt"))) for name, order in COLUMNS.items()
}
_REF = COLUMNS["FR"].index("ref")
_COUNTS = frozenset({"sale", "correction"})


@attrs.frozen(slots=False)
class Package:
    """A source as it should be normalized: the selection behind it, records by order, citations by alias."""

    contract: Contract
    selection: Mapping[str, Chosen]
    records: tuple[Record, ...]
    citations: tuple[Citation, ...]

    def differs_in_basis(self, other: Package) -> bool:
        """Whether selection or a governing record differs (R12)."""
        return (
            self.contract.contract_id != other.contract.contract_id
            or self.citations != other.citations
            or self.selection != other.selection
        )


def readings(source_format: str, rows: Iterable[SourceRow]) -> list[Reading]:
    """Return what the rows of a source say, whatever the order of their columns."""
    fields, cash = _FIELDS[source_format], source_format == "FR"
    return [(*fields(row.cells), row.cells[_REF] if cash else "") for row in rows]


def select(source_format: str, policy: str, codes: Mapping[str, str], rows: Iterable[SourceRow]) -> dict[str, Chosen]:
    """Return the row that counts for each included order (R2); `rows` all of a source, in ascending position."""
    return counted(policy, codes, readings(source_format, rows))


def counted(policy: str, codes: Mapping[str, str], rows: Iterable[Reading]) -> dict[str, Chosen]:
    """Return the row that counts for each included order (R2); `rows` all of a source, in ascending position."""
    return _first(codes, rows) if policy == "first" else _latest(codes, rows)


def _first(codes: Mapping[str, str], rows: Iterable[Reading]) -> dict[str, Chosen]:
    seen: set[str] = set()
    out: dict[str, Chosen] = {}
    for pos, (order, _, code, party, amount, ref) in enumerate(rows, start=1):
        if order not in seen:
            seen.add(order)
            if codes[code] in _COUNTS:
                out[order] = pos, party, amount, ref
    return out


def _latest(codes: Mapping[str, str], rows: Iterable[Reading]) -> dict[str, Chosen]:
    revisions: dict[str, int] = {}
    out: dict[str, Chosen] = {}
    withdrawn: list[str] = []
    for pos, (order, revision, code, party, amount, ref) in enumerate(rows, start=1):
        kind = codes[code]
        if kind in _COUNTS:
            if revision > revisions.get(order, 0):
                revisions[order] = revision
                out[order] = pos, party, amount, ref
        elif kind == "withdrawn":
            withdrawn.append(order)
    for order in withdrawn:
        out.pop(order, None)
    return out


def rounded(x: int, d: int) -> int:
    """Return x / d, halves away from zero."""
    half = (2 * abs(x) + d) // (2 * d)
    return -half if x < 0 else half


def scaled(contract: Contract, amount: int) -> int:
    """Return a raw amount in minor units under a contract (R3)."""
    gross = contract.sign * amount * contract.num
    if contract.den != 1:
        gross = rounded(gross, contract.den)
    return gross if contract.basis == "net" else rounded(gross * 10_000, 10_000 + contract.tax_bps)


def covering(book: Book, source: Source) -> list[IdentityMap]:
    """Return the maps of a source's register that cover its day, greatest rank first."""
    day = source.day
    return [each for each in book.maps[source.identity_source_id] if each.from_day <= day <= each.to_day]


def governing(book: Book, source: Source) -> Governing:
    """Return what governs a source on its day (R1)."""
    return book.contract(source.format, source.day), covering(book, source)


def _through(book: Book, maps: Sequence[IdentityMap], aliases: Iterable[str], day: int) -> dict[str, Resolved]:
    """Return what aliases resolve to: each through the first of the maps that holds it; without those in none."""
    out: dict[str, Resolved] = {}
    for alias in aliases:
        for each in maps:
            account = each.entries.get(alias)
            if account is not None:
                value = book.value(account, day)
                out[alias] = each.map_id, account, value.rank, value.entity
                break
    return out


def read_package(book: Book, source: Source) -> Package:
    """Read a source under the book's facts (R2-R5).

    Raises:
        LookupError: when a selected row's alias stands in no map that covers the day.
    """
    found = governing(book, source)
    rows = book.rows[source.source_id]
    return package(book, source, found, select(source.format, source.conflict_policy, found[0].codes, rows))


def package(book: Book, source: Source, governing: Governing, selection: Mapping[str, Chosen]) -> Package:
    """Make a source's package of what counts of its rows under what governs it (R3-R5).

    Raises:
        LookupError: when a selected row's alias stands in no map that covers the day.
    """
    contract, maps = governing
    resolved = _resolved(book, source, maps, selection.values())
    records = [(order, c[1], resolved[c[1]][3], scaled(contract, c[2])) for order, c in selection.items()]
    citations = [(alias, *resolved[alias][:3]) for alias in sorted(resolved)]
    return Package(contract, selection, tuple(sorted(records)), tuple(citations))


def _resolved(
    book: Book, source: Source, maps: Sequence[IdentityMap], selected: Iterable[Chosen]
) -> dict[str, Resolved]:
    aliases = {chosen[1]: None for chosen in selected}
    out = _through(book, maps, aliases, source.day)
    for alias in aliases if len(out) < len(aliases) else ():
        if alias not in out:
            raise LookupError(f"no map of {source.identity_source_id} holds {alias} on day {source.day}")
    return out


def totals_of(amounts: Sequence[tuple[str, int]]) -> tuple[Total, ...]:
    """Return count and sum by entity from (entity, minor) pairs (R7)."""
    totals: dict[str, Total] = {}
    for entity, minor in amounts:
        held = totals.get(entity)
        totals[entity] = (entity, 1, minor) if held is None else (entity, held[1] + 1, held[2] + minor)
    return tuple(sorted(totals.values()))
