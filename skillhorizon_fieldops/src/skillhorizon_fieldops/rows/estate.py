"""Where the work is: sites, zones, devices and the services they carry; minutes and waves are whole numbers."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from skillhorizon import table


@table("site", key=("site",))
@attrs.frozen
class Site:
    """A place where devices stand; poor access makes work there longer (R4)."""

    site: str
    region: str
    access_bp: int


@table("travel", key=("origin", "destination"))
@attrs.frozen
class Travel:
    """Minutes from one region to another."""

    origin: str
    destination: str
    minutes: int


@table("zone", key=("zone",), indexes=(("wave",),))
@attrs.frozen
class Zone:
    """Devices of one wave that are isolated together."""

    zone: str
    site: str
    wave: int


@table("window", key=("zone", "wave", "block"))
@attrs.frozen
class Window:
    """When a zone may be worked; `block` is E or L, `status` open or withdrawn."""

    zone: str
    wave: int
    block: str
    status: str


@table("device", key=("device",), indexes=(("zone",), ("wave",), ("model",)), hidden=("fault", "infant"))
@attrs.frozen
class Device:
    """A field device; `wave` is its zone's; `fault` and `infant` (first work fails, 0 or 1) are hidden."""

    device: str
    device_class: str
    model: str
    hw_rev: int
    zone: str
    wave: int
    pair: str | None
    ref_service: str | None
    rated: int
    fault: str
    infant: int


@table("reading", key=("device", "metric"))
@attrs.frozen
class Reading:
    """What a device told of one metric: six values in restoration, one in modernisation (R2)."""

    device: str
    metric: str
    samples: Sequence[int]


@table("history", key=("device", "number"))
@attrs.frozen
class History:
    """An older action at a device, `weeks` ago; it says nothing about the present fault."""

    device: str
    number: int
    weeks: int
    action: str


@table("feed", key=("point",), indexes=(("upstream",), ("downstream",)))
@attrs.frozen
class Feed:
    """A feed between two devices, with its switching point; `normal` is closed or open."""

    point: str
    upstream: str
    downstream: str
    normal: str


@table("stored_point", key=("point",), indexes=(("device",),))
@attrs.frozen
class StoredPoint:
    """A point at which a device holds stored energy."""

    point: str
    device: str


@table("service", key=("service",), indexes=(("section",), ("wave",)))
@attrs.frozen
class Service:
    """A service to hand back; `tier` is gold, silver or bronze; `demand` counts against its capacity (R8)."""

    service: str
    tier: str
    wave: int
    section: str
    demand: int


@table("member", key=("service", "device"), indexes=(("device",),))
@attrs.frozen
class Member:
    """A device that carries a service."""

    service: str
    device: str


@table("need", key=("service", "need"), indexes=(("need",),))
@attrs.frozen
class Need:
    """A service that another one needs, with the share of the needing one's demand that it carries."""

    service: str
    need: str
    share_bp: int
