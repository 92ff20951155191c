"""The configuration of one SocialOps task, and the numbers that follow from it alone."""

from __future__ import annotations

from typing import Any

import attrs

from skillhorizon import is_whole, one_of, outside, whole

OVERLAPPING, COOLDOWN, MIXED = SCENARIOS = ("overlapping_conversions", "cooldown_reactivation", "overlap_reactivation")
RELAY, RECALL, MERGE = PATTERNS = ("relay", "recall", "merge")
UPDATES = ("none", "default", "more")
SMALLEST, LEAST_BRIEFS, MOST_BRIEFS = 2, 5, 792
MOST_SLACK = 100_000
LEAST_ALLOWANCE = 3
_LANES = ((2, 1), (7, 2), (12, 3), (24, 4), (54, 6))
_MOST_LANES = 8
_PER_BOUNDARY = ((3, 1), (6, 2), (8, 3))
_MORE = {"none": 0, "default": 0, "more": 1}


def _briefs(config: SocialConfig, _field: Any, value: Any) -> None:
    if not is_whole(value) or (value != SMALLEST and not LEAST_BRIEFS <= value <= MOST_BRIEFS):
        raise outside("briefs", value, f"give {SMALLEST}, or a whole number from {LEAST_BRIEFS} to {MOST_BRIEFS}")
    if value == SMALLEST and (config.scenario == OVERLAPPING or config.pattern == MERGE):
        raise outside(
            "briefs", value, f"{OVERLAPPING} and {MERGE} need lanes beside each other; give {LEAST_BRIEFS} or more"
        )


@attrs.frozen
class SocialConfig:
    """What fixes a task besides its seed.

    Attributes:
        scenario: which audiences the lanes share, and whether they are lapsed.
        pattern: relay, recall or merge: which earlier briefs a brief builds on.
        briefs: n, 5 to 792; 2 for the smallest task of one lane.
        slack: audience caps and allowance over need, in basis points.
        updates: `none`, `default` (one to three a boundary between waves) or `more` (one more).

    Raises:
        ConfigError: for a value outside its rule.

    >>> config = SocialConfig("overlapping_conversions", "relay", 100)
    >>> config.lanes, config.waves, config.final, config.allowance, config.updates_per_boundary
    (8, 13, 4, 13, 3)
    """

    scenario: str = attrs.field(validator=one_of(SCENARIOS))
    pattern: str = attrs.field(validator=one_of(PATTERNS))
    briefs: int = attrs.field(validator=_briefs)
    slack: int = attrs.field(default=1_250, validator=whole(0, MOST_SLACK))
    updates: str = attrs.field(default="default", validator=one_of(UPDATES))

    @property
    def lanes(self) -> int:
        """C, the briefs of a wave."""
        return next((lanes for most, lanes in _LANES if self.briefs <= most), _MOST_LANES)

    @property
    def waves(self) -> int:
        """W, the number of waves."""
        return -(-self.briefs // self.lanes)

    @property
    def final(self) -> int:
        """F, the briefs of the final wave."""
        return self.briefs - self.lanes * (self.waves - 1)

    @property
    def allowance(self) -> int:
        """A, the reschedules within the allowance; more is overdraft."""
        return max(LEAST_ALLOWANCE, -(-self.briefs * self.slack // 10_000))

    @property
    def updates_per_boundary(self) -> int:
        """How many updates each boundary between two waves has, as long as lanes are free."""
        if self.updates == "none":
            return 0
        return next(count for most, count in _PER_BOUNDARY if self.lanes <= most) + _MORE[self.updates]
