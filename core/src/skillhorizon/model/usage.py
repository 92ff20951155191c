"""What an agent's model used, as its provider reports it, and what that costs at the user's prices."""

from __future__ import annotations

from decimal import Decimal

import attrs

MILLION, BILLION = 1_000_000, 1_000_000_000


@attrs.frozen(kw_only=True)
class Usage:
    """Counts of requests and tokens; they add up.

    Attributes:
        requests: answered requests, those for summaries included.
        input: tokens read, cached ones included.
        cached: of these, read from the provider's cache.
        output: tokens written, reasoning included.
        reasoning: of these, spent on reasoning.
        retries: requests sent again after a rate limit or a fault.
        compactions: how often the context was compacted.
    """

    requests: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    retries: int = 0
    compactions: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return the sum.

        >>> (Usage(requests=1, input=10) + Usage(input=5, output=2)).input
        15
        """
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in FIELDS})

    def __sub__(self, other: Usage) -> Usage:
        """Return the difference."""
        return Usage(**{name: getattr(self, name) - getattr(other, name) for name in FIELDS})

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.input + self.output


FIELDS = tuple(field.name for field in attrs.fields(Usage))


@attrs.frozen(kw_only=True)
class Price:
    """A model's prices per million tokens, in the user's currency; cached input costs as other input by default."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None

    def of(self, usage: Usage) -> Decimal:
        """Return the cost of what was used.

        >>> Price(input=Decimal("2"), output=Decimal("8"), cached=Decimal("0.5")).of(
        ...     Usage(input=1_000_000, cached=400_000, output=10_000)
        ... )
        Decimal('1.48')
        """
        cached = self.input if self.cached is None else self.cached
        fresh = usage.input - usage.cached
        return (fresh * self.input + usage.cached * cached + usage.output * self.output) / MILLION

    def billionths(self, usage: Usage) -> int:
        """Return the cost of what was used in billionths of the currency, as it is stored.

        >>> Price(input=Decimal("2.5"), output=Decimal(10)).billionths(Usage(input=3))
        7500
        """
        return int((self.of(usage) * BILLION).to_integral_value())


def amount(billionths: int) -> str:
    """Return a stored cost as a decimal.

    >>> amount(7500), amount(2_000_000_000)
    ('0.0000075', '2')
    """
    return format(Decimal(billionths).scaleb(-9).normalize(), "f")
