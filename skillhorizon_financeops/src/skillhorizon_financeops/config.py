"""The configuration of one FinanceOps task, and the numbers that follow from it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import one_of, outside, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

FAMILIES: Mapping[str, tuple[str, str, str]] = {
    "heterogeneous-integration": ("formats", "currencies", "legacy"),
    "receivables-reconciliation": ("referenced", "discounts", "unreferenced"),
    "release-maintenance": ("supersession", "amendment", "rolling-views"),
}
"""The variants of each family, in the order in which tasks are generated."""

INTEGRATION, RECEIVABLES, MAINTENANCE = tuple(FAMILIES)
UPDATES = ("none", "default", "more")
MAX_STAGES, MAX_WIDTH, MAX_SLACK = 96, 49, 100_000
_REACH_BACK = {"supersession": 2, "amendment": 2, "rolling-views": 3}
_RELIEF_SHARE = 20


@attrs.frozen
class FinanceConfig:
    """What fixes a task besides its seed.

    Attributes:
        family: one of `FAMILIES`.
        variant: one of the family's variants.
        stages: S, an even number from 4 to 96.
        width: W, sources per stage, 2 to 49; even in receivables-reconciliation, where a lockbox owns two.
        slack: tickets and reviews over need, in basis points.
        updates: `none`, `default` (notices at stages 2, 4, .., S) or `more` (at 2, 3, .., S).

    Raises:
        ConfigError: for a value outside its rule.

    >>> FinanceConfig("release-maintenance", "rolling-views", 24, 48).tickets
    106
    """

    family: str = attrs.field(validator=one_of(FAMILIES))
    variant: str
    stages: int = attrs.field(validator=whole(4, MAX_STAGES))
    width: int = attrs.field(validator=whole(2, MAX_WIDTH))
    slack: int = attrs.field(default=500, validator=whole(0, MAX_SLACK))
    updates: str = attrs.field(default="default", validator=one_of(UPDATES))

    def __attrs_post_init__(self) -> None:
        variants = FAMILIES[self.family]
        if self.variant not in variants:
            raise outside("variant", self.variant, f"{self.family} has the variants {', '.join(variants)}")
        if self.stages % 2:
            raise outside("stages", self.stages, f"the number is even; give {self.stages - 1} or {self.stages + 1}")
        if self.receivables and self.width % 2:
            raise outside("width", self.width, f"a lockbox owns two sources; give {self.width - 1} or {self.width + 1}")

    @property
    def receivables(self) -> bool:
        """Whether remittances are matched to open items."""
        return self.family == RECEIVABLES

    @property
    def maintenance(self) -> bool:
        """Whether the last notice comes after the first release."""
        return self.family == MAINTENANCE

    @property
    def packages(self) -> int:
        """P, the number of sources."""
        return self.stages * self.width

    @property
    def notice_stages(self) -> tuple[int, ...]:
        """The stages k at whose first closing a notice fires; the last one counts as S, wherever it fires."""
        if self.updates == "none":
            return ()
        return tuple(range(2, self.stages + 1, 1 if self.updates == "more" else 2))

    @property
    def breadth(self) -> int:
        """a, the number of normalizations that a notice ends directly."""
        return min(3, 1 + self.stages // 10)

    @property
    def reach_back(self) -> int:
        """Lambda, how many stages before its own a notice may reach."""
        return min(_REACH_BACK.get(self.variant, 1), self.stages // 4)

    @property
    def tickets(self) -> int:
        """Resubmission tickets granted at the start (R11)."""
        return len(self.notice_stages) * (self.breadth + 1) + max(2, -(-self.packages * self.slack // 10_000))

    @property
    def reviews(self) -> int:
        """Reviews that each member of staff may make: enough for early reviews, even at slack 0.

        >>> FinanceConfig("heterogeneous-integration", "formats", 4, 6).reviews
        3
        """
        reviews = self.stages + len(self.notice_stages) * (self.reach_back + 1)
        return -(-reviews * (10_000 + self.slack) // 50_000) + 1

    @property
    def reliefs(self) -> int:
        """Reliefs that may be asked for, of each kind.

        >>> FinanceConfig("release-maintenance", "rolling-views", 24, 48).reliefs
        58
        """
        return max(2, -(-self.packages // _RELIEF_SHARE))
