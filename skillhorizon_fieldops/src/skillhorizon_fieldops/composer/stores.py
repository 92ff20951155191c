"""Batches of parts, so large that first-expiring-first-out never lacks a part (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon_fieldops.composer.catalogue import ARRESTER
from skillhorizon_fieldops.composer.estate import names
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.plan import AnyUpdate, BatchRecall
from skillhorizon_fieldops.rows import Batch, Fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Rng
    from skillhorizon_fieldops.composer.catalogue import Catalogue
    from skillhorizon_fieldops.composer.estate import Estate
    from skillhorizon_fieldops.composer.kit import Kit

_PACKS, _ARRESTER_PACK = (1, 2, 4, 5), 2
_UNUSED_LINE = 4
_FEW_DEVICES = 60
_TRAP_BPS = 7_000
_QUARANTINED, _SHORT = "quarantined", "short-dated"
_DEAD = ("expired", _QUARANTINED)
_LASTING = 2
"""Batches expire this many waves after W at the earliest."""


@attrs.frozen(kw_only=True)
class Lot:
    """A batch before it has its id."""

    part: str
    expiry_wave: int
    pack: int
    opening: int
    status: str = "released"


@attrs.frozen(kw_only=True)
class Stores:
    """What the stores of a task depend on.

    Attributes:
        config: the configuration.
        lines: part -> (units of the card, whether a paired device's) of every line that the true repairs take.
        recalls: how many batches are recalled.
    """

    config: FieldConfig
    lines: dict[str, list[tuple[int, bool]]]
    recalls: int


def cases_per_batch(config: FieldConfig) -> int:
    """Return k, how many cases an arrester batch serves at most."""
    return 2 if config.devices < _FEW_DEVICES else 3


def stores(
    config: FieldConfig, work: tuple[Estate, Kit, Catalogue], fits: Sequence[Fit], updates: Sequence[AnyUpdate]
) -> Stores:
    """Find what lines the true repairs take."""
    estate, kit, catalogue = work
    lines: dict[str, list[tuple[int, bool]]] = {fit.part: [] for fit in fits}
    for index, device_class in enumerate(estate.network.classes):
        card = kit.card(catalogue, index)
        if card.family is not None:
            part = regular(fits, card.family, device_class, kit.revs[index])
            lines[part].append((card.qty, index in kit.partners))
    recalls = sum(isinstance(update, BatchRecall) for update in updates)
    return Stores(config=config, lines=lines, recalls=recalls)


def regular(fits: Sequence[Fit], family: str, device_class: str, hw_rev: int) -> str:
    """Return the part that fits a device without derating it."""
    return next(
        fit.part
        for fit in fits
        if (fit.family, fit.device_class, fit.derate_bp) == (family, device_class, 0)
        and fit.rev_lo <= hw_rev <= fit.rev_hi
    )


def batches(rng: Rng, stores: Stores, fits: Sequence[Fit]) -> tuple[Batch, ...]:
    """Draw all batches, by id."""
    arrester = next(fit.part for fit in fits if fit.family == ARRESTER)
    lots: list[Lot] = []
    for part in sorted(stores.lines):
        draws = rng.stream(part)
        if part == arrester:
            lots += _arresters(stores, part)
            lots += _trap(draws, stores.config, lots[-1], _DEAD)
        else:
            lots += _stock(draws, stores, part)
            lots += _trap(draws, stores.config, lots[-1], (*_DEAD, _SHORT))
    rows = [
        Batch(name, lot.part, lot.expiry_wave, lot.pack, lot.opening, lot.opening, 0, 0, 0, lot.status)
        for name, lot in zip(names(rng.stream("ids"), "B", len(lots)), lots, strict=True)
    ]
    return tuple(sorted(rows, key=lambda batch: batch.batch))


def _stock(rng: Rng, stores: Stores, part: str) -> list[Lot]:
    """Draw three or four batches of a part: all but the last hold the need, the last what second members take."""
    pack, count = rng.choice(_PACKS), rng.integer(3, 4)
    first, last = holdings(stores.lines[part], pack, (count, stores.config.slack))
    sizes = [first * (n + 1) // (count - 1) - first * n // (count - 1) for n in range(count - 1)]
    return [
        Lot(part=part, expiry_wave=stores.config.waves + _LASTING + n, pack=pack, opening=_packed(size, pack))
        for n, size in enumerate([*sizes, last])
    ]


def holdings(lines: Sequence[tuple[int, bool]], pack: int, terms: tuple[int, int]) -> tuple[int, int]:
    """Return the units of all batches but the last together, and of the last, before rounding up to packs.

    Args:
        lines: (units of the card, whether a paired device's).
        pack: units withdrawn together.
        terms: number of batches, slack in basis points.

    >>> holdings([(4, True)] * 3 + [(4, False)] * 7, 1, (3, 3_000))
    (58, 20)
    """
    count, slack = terms
    taken = [(_packed(units, pack), paired) for units, paired in lines]
    largest = max((units for units, _ in taken), default=_packed(_UNUSED_LINE, pack))
    need = max(sum(units for units, _ in taken), 2 * largest)
    pairs = sum(units for units, paired in taken if paired)
    return _over(need, slack) + (count - 1) * (largest - 1), _over(pairs, slack) + largest


def _arresters(stores: Stores, part: str) -> list[Lot]:
    cases, waves = cases_per_batch(stores.config), stores.config.waves
    count = arrester_batches(len(stores.lines[part]), stores.recalls, (cases, stores.config.slack))
    return [
        Lot(part=part, expiry_wave=waves + _LASTING + n // 2, pack=_ARRESTER_PACK, opening=_ARRESTER_PACK * cases)
        for n in range(count)
    ]


def arrester_batches(users: int, recalls: int, terms: tuple[int, int]) -> int:
    """Return how many arrester batches serve all users and what recalls undo; `terms` are k and the slack.

    >>> arrester_batches(26, 2, (3, 3_000))
    15
    """
    cases, slack = terms
    return -(-(10_000 + slack) * (users + cases * recalls) // (10_000 * cases)) + 1


def _trap(rng: Rng, config: FieldConfig, like: Lot, kinds: Sequence[str]) -> list[Lot]:
    """Draw for most parts a batch that is expired, quarantined or short-dated."""
    if not rng.chance(_TRAP_BPS):
        return []
    kind, opening = rng.choice(kinds), like.pack * rng.integer(1, 3)
    if kind == _QUARANTINED:
        return [attrs.evolve(like, expiry_wave=rng.integer(1, config.sweep), opening=opening, status=kind)]
    expiry = rng.integer(1, config.waves) if kind == _SHORT else 0
    return [attrs.evolve(like, expiry_wave=expiry, opening=opening)]


def _packed(units: int, pack: int) -> int:
    return -(-units // pack) * pack


def _over(units: int, slack: int) -> int:
    return -(-units * (10_000 + slack) // 10_000)
