"""What a wave took (R9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterable

Line = tuple[str, int, int, int, int]
"""part, issued, consumed, returned, scrapped, in units."""


@attrs.frozen(kw_only=True)
class Issue:
    """A reservation that counts: it was neither replaced nor left unused.

    Attributes:
        part: what was withdrawn.
        issued: units withdrawn.
        consumed: units that work took.
        scrapped: whether its batch was recalled when the rest went back.
    """

    part: str
    issued: int
    consumed: int
    scrapped: bool

    @property
    def rest(self) -> int:
        """Units that work left."""
        return self.issued - self.consumed


@attrs.frozen
class Account:
    """One line per part, by part, and the crews' minutes."""

    lines: tuple[Line, ...]
    crew_minutes: int

    @property
    def empty(self) -> bool:
        """Whether nothing was issued or worked."""
        return not self.lines and not self.crew_minutes


def account(issues: Iterable[Issue], minutes: Iterable[int]) -> Account:
    """Add up a wave: the reservations made in it, and the booked minutes of the bookings first used in it.

    >>> used = Issue(part="PT04", issued=4, consumed=3, scrapped=False)
    >>> account([used, Issue(part="PT04", issued=4, consumed=0, scrapped=True)], [76])
    Account(lines=(('PT04', 8, 3, 1, 4),), crew_minutes=76)
    """
    sums: dict[str, tuple[int, int, int, int]] = {}
    for issue in issues:
        issued, consumed, returned, scrapped = sums.get(issue.part, (0, 0, 0, 0))
        back, gone = (0, issue.rest) if issue.scrapped else (issue.rest, 0)
        sums[issue.part] = issued + issue.issued, consumed + issue.consumed, returned + back, scrapped + gone
    return Account(tuple((part, *amounts) for part, amounts in sorted(sums.items())), sum(minutes))
