"""The configuration of one FieldOps task, and the numbers that follow from it alone."""

from __future__ import annotations

import attrs

from skillhorizon import one_of, whole

RESTORATION, MODERNISATION = SCENARIOS = ("restoration", "modernisation")
RADIAL, RING, LAYERED = PROFILES = ("radial", "ring", "layered")
UPDATES = ("none", "default", "more")
CLASSES = ("head", "mid", "edge")
BLOCKS = ("E", "L")
LEAST_SERVICES, MOST_SERVICES = 6, 4_000
LEAST_RATIO, MOST_RATIO = 10_500, 19_000
MOST_SLACK = 100_000
PERMIT_LIMIT = 6
"""Permits that may be open at once (R5)."""
SECTION_SIZE = 12
_SERVICES_PER_WAVE, _LEAST_WAVES = 16, 3
_DEVICES_PER_RELIEF, _LEAST_RELIEF = 25, 2
_PER_WAVE = {"none": 0, "default": 1, "more": 2}


@attrs.frozen
class FieldConfig:
    """What fixes a task besides its seed.

    Attributes:
        scenario: restoration or modernisation.
        profile: radial, ring or layered: how devices feed each other.
        services: S, 6 to 4,000.
        device_ratio: devices per service in basis points, 10,500 to 19,000.
        slack: crew minutes and parts over need, in basis points.
        updates: `none`, `default` (one a wave) or `more` (two a wave).

    Raises:
        ConfigError: for a value outside its rule.

    >>> config = FieldConfig("restoration", "radial", 204, 17_000)
    >>> config.devices, config.waves, config.sections, config.relief
    (346, 13, 17, 14)
    """

    scenario: str = attrs.field(validator=one_of(SCENARIOS))
    profile: str = attrs.field(validator=one_of(PROFILES))
    services: int = attrs.field(validator=whole(LEAST_SERVICES, MOST_SERVICES))
    device_ratio: int = attrs.field(validator=whole(LEAST_RATIO, MOST_RATIO))
    slack: int = attrs.field(default=3_000, validator=whole(0, MOST_SLACK))
    updates: str = attrs.field(default="default", validator=one_of(UPDATES))

    @property
    def restoration(self) -> bool:
        """Whether faults are found from six readings a metric, and every device is a zone of its own."""
        return self.scenario == RESTORATION

    @property
    def devices(self) -> int:
        """D, the number of devices."""
        return self.services * self.device_ratio // 10_000

    @property
    def waves(self) -> int:
        """W, the number of planned waves; the sweep is wave W + 1."""
        return max(_LEAST_WAVES, -(-self.services // _SERVICES_PER_WAVE))

    @property
    def sweep(self) -> int:
        """The number of the sweep wave."""
        return self.waves + 1

    @property
    def sections(self) -> int:
        """The number of sections, of twelve services each."""
        return -(-self.services // SECTION_SIZE)

    @property
    def relief(self) -> int:
        """Units of relief within budget; more is overdraft."""
        return max(_LEAST_RELIEF, -(-self.devices // _DEVICES_PER_RELIEF))

    @property
    def updates_per_wave(self) -> int:
        """How many updates have their trigger in each wave."""
        return _PER_WAVE[self.updates]
