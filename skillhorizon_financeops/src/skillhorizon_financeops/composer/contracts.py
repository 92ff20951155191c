"""Contracts: how each format is read, span after span, and what may supersede one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon_financeops.composer.reference import LAST_DAY
from skillhorizon_financeops.composer.shape import formats
from skillhorizon_financeops.rows import Contract

if TYPE_CHECKING:
    from skillhorizon import Rng
    from skillhorizon_financeops.config import FinanceConfig

SCALES = ((1, 1), (1, 10), (10, 1))
CASH_SCALES = ((1, 1), (10, 1))
TAXES = (500, 700, 825, 1000, 1900, 2000)
_WHOLE = 10_000
MEANINGS: tuple[Mapping[str, str], ...] = (
    {"10": "sale", "20": "correction", "70": "metadata", "90": "withdrawn"},
    {"10": "sale", "20": "metadata", "70": "correction", "90": "withdrawn"},
)


@attrs.frozen(kw_only=True)
class Terms:
    """What a contract says; neighbours differ in two of scale, sign, tax, meanings (in FR: scale and meanings)."""

    scale: tuple[int, int]
    sign: int
    tax: int | None
    meanings: Mapping[str, str]


def _scale(rng: Rng, config: FinanceConfig, name: str, other: object = None) -> tuple[int, int]:
    if name == "FR":
        return rng.choice([s for s in CASH_SCALES if s != other])
    if config.variant == "currencies":
        drawn = rng.integer(8_000, 14_000)
        return drawn + ((drawn, _WHOLE) == other), _WHOLE
    return rng.choice([s for s in SCALES if s != other])


def _tax(rng: Rng, other: object = 0) -> int | None:
    """Return a tax in basis points, or None for a net basis, other than the given one."""
    return rng.choice([tax for tax in (None, None, None, *TAXES) if tax != other])


def _first(rng: Rng, config: FinanceConfig, name: str) -> Terms:
    plain = name == "FR" or config.receivables
    return Terms(
        scale=_scale(rng, config, name),
        sign=1 if plain else rng.choice((1, 1, 1, -1)),
        tax=None if name == "FR" else _tax(rng),
        meanings=rng.choice(MEANINGS),
    )


def _neighbour(rng: Rng, config: FinanceConfig, name: str, terms: Terms) -> Terms:
    fields: tuple[str, ...] = ("scale", "meanings") if name == "FR" else ("scale", "tax", "meanings", "sign")
    if config.receivables:
        fields = tuple(field for field in fields if field != "sign")
    changes: dict[str, Any] = {}
    for field in rng.sample(fields, 2):
        changes[field] = _other(rng, config, name, (field, terms))
    return attrs.evolve(terms, **changes)


def _other(rng: Rng, config: FinanceConfig, name: str, change: tuple[str, Terms]) -> object:
    field, terms = change
    if field == "scale":
        return _scale(rng, config, name, terms.scale)
    if field == "tax":
        return _tax(rng, terms.tax)
    return -terms.sign if field == "sign" else MEANINGS[terms.meanings is MEANINGS[0]]


def contracts(rng: Rng, config: FinanceConfig) -> tuple[Contract, ...]:
    """Draw for each format in use the contracts that tile its days in spans of 150-350, ranks ascending."""
    return tuple(c for name in formats(config) for c in _tiles(rng.stream(name), config, name))


def _tiles(rng: Rng, config: FinanceConfig, name: str) -> list[Contract]:
    starts, horizon = [0], 100 * config.stages + 99
    while (start := starts[-1] + rng.integer(150, 350)) <= horizon:
        starts.append(start)
    ends = [*(start - 1 for start in starts[1:]), LAST_DAY]
    out, terms = [], _first(rng, config, name)
    for rank, (start, end) in enumerate(zip(starts, ends, strict=True)):
        out.append(_contract(rng, name, (start, end, rank), terms))
        terms = _neighbour(rng, config, name, terms)
    return out


def _contract(rng: Rng, name: str, place: tuple[int, int, int], terms: Terms) -> Contract:
    first, last, rank = place
    cash = name == "FR"
    return Contract(
        contract_id=f"CT-{name}.{rank}",
        format=name,
        from_day=first,
        to_day=last,
        rank=rank,
        num=terms.scale[0],
        den=terms.scale[1],
        sign=terms.sign,
        basis="net" if terms.tax is None else "gross",
        tax_bps=terms.tax or 0,
        codes=terms.meanings,
        disc_bps=rng.integer(100, 250) if cash else None,
        disc_days=rng.integer(90, 150) if cash else None,
        tol=rng.integer(20, 80) if cash else None,
    )


def superseding(rng: Rng, config: FinanceConfig, governing: Contract, rank: int) -> Contract:
    """Return a contract of other scale and basis, but the same sign and codes, for all days of `governing`."""
    net = governing.basis == "gross"
    num, den = _scale(rng, config, governing.format, (governing.num, governing.den))
    return attrs.evolve(
        governing,
        contract_id=f"CT-{governing.format}.{rank}",
        rank=rank,
        num=num,
        den=den,
        basis="net" if net else "gross",
        tax_bps=0 if net else rng.choice(TAXES),
    )


def neighbours(book_contracts: Sequence[Contract], governing: Contract) -> list[Contract]:
    """Return the contracts of the spans before and after the governing one, among those of a format."""
    return [c for c in book_contracts if abs(c.rank - governing.rank) == 1]
