"""What a selected row is worth, and the records of a source (R3, R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WHOLE = 10_000
"""Basis points in one."""


class Scale(Protocol):
    """How a contract reads raw amounts: times `sign` and `num`, over `den`; `tax_bps` is within a `gross` basis."""

    @property
    def num(self) -> int:
        """Numerator."""

    @property
    def den(self) -> int:
        """Denominator, positive."""

    @property
    def sign(self) -> int:
        """1 or -1."""

    @property
    def basis(self) -> str:
        """`net` or `gross`."""

    @property
    def tax_bps(self) -> int:
        """Tax in basis points."""


def rdiv(value: int, divisor: int) -> int:
    """Divide and round to the nearest integer, halves away from zero; `divisor` is positive.

    >>> [rdiv(value, 10) for value in (14, 15, -14, -15)]
    [1, 2, -1, -2]
    """
    magnitude = (2 * abs(value) + divisor) // (2 * divisor)
    return magnitude if value >= 0 else -magnitude


def minor(amount: int, contract: Scale) -> int:
    """Return a raw amount in net minor units under a contract (R3).

    >>> from skillhorizon_financeops.rows import Contract
    >>> gross = Contract("FB-3", "FB", 300, 399, 0, 1, 10, 1, "gross", 825, {}, None, None, None)
    >>> [minor(amount, gross) for amount in (118000, -20015, 123450, 45005)]
    [10901, -1849, 11404, 4158]
    """
    scaled = rdiv(contract.sign * amount * contract.num, contract.den)
    return scaled if contract.basis == "net" else rdiv(scaled * WHOLE, WHOLE + contract.tax_bps)


def records(
    chosen: Mapping[str, int],
    aliases: Sequence[str],
    amounts: Sequence[int],
    contract: Scale,
    entities: Mapping[str, str],
) -> list[tuple[str, str, str, int]]:
    """Return one (order, alias, entity, minor) per included order, by order (R5).

    Args:
        chosen: the index of the selected row by order (R2).
        aliases, amounts: of all rows, by index.
        contract: the governing contract.
        entities: entity by alias (R4).
    """
    return [(order, aliases[at], entities[aliases[at]], minor(amounts[at], contract)) for order, at in chosen.items()]
