"""What the policy keeps of what it read: devices, zones, services, cards, batches, and its own unfinished work."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from skillhorizon import Json

CLASSES = ("head", "mid", "edge")
CHUNK = 12
"""The most items that scripts and lists of operations take."""


@attrs.frozen(slots=False)
class Device:
    """A device as `get_zone` shows it; `parent` feeds it through a closed feed."""

    id: str
    zone: str
    of_class: str
    model: str
    hw_rev: int
    pair: str | None
    ref_service: str | None
    rated: int
    readings: dict[str, list[int]]
    feeds: list[list[str]]
    stored: list[str]

    @classmethod
    def of(cls, zone: str, row: dict[str, Any]) -> Device:
        """Take a device from its row."""
        names = ("class", "model", "hw_rev", "pair", "ref_service", "rated", "readings", "feeds", "stored")
        return cls(row["device"], zone, *(row[name] for name in names))

    @cached_property
    def parent(self) -> str | None:
        """Return the device that feeds it, None at the head of a tree."""
        return next((start for _, start, end, normal in self.feeds if end == self.id and normal == "closed"), None)


@attrs.frozen
class Zone:
    """A zone: its site's region and access, its windows' status by (wave, block), its devices."""

    id: str
    region: str
    access_bp: int
    wave: int
    windows: dict[tuple[int, str], str]
    devices: tuple[str, ...]

    def block(self, wave: int) -> str:
        """Return the first block whose window in a wave is open, '' for none."""
        return next((b for (w, b), status in sorted(self.windows.items()) if w == wave and status == "open"), "")


@attrs.frozen(slots=False)
class Service:
    """A service: members [device, rated], the services it needs, and its dependents [service, share]."""

    id: str
    tier: str
    section: str
    members: list[list[Any]]
    needs: list[str]
    dependents: list[list[Any]]

    @cached_property
    def carriers(self) -> frozenset[str]:
        """Return its members' devices."""
        return frozenset(device for device, _ in self.members)

    @cached_property
    def needed(self) -> frozenset[str]:
        """Return the services it needs, without their order."""
        return frozenset(self.needs)


@attrs.frozen
class Card:
    """What a fault of a model asks for; without a family no parts."""

    family: str | None
    qty: int
    base_min: int


@attrs.frozen
class Batch:
    """A batch as listed; `free` is kept up with the policy's own reservations until it is listed again."""

    id: str
    part: str
    expiry_wave: int
    pack: int
    free: int
    status: str

    def row(self) -> list[Json]:
        """Return the batch as `select_parts.py` takes it."""
        return [self.id, self.part, self.expiry_wave, self.pack, self.free, self.status]


@attrs.frozen
class Parts:
    """Units of a batch for a device: withdrawn for it, and needed by its work."""

    batch: str
    qty: int
    withdrawn: int


@attrs.frozen
class Booking:
    """A job's booking: when it is."""

    wave: int
    block: str


@attrs.frozen
class Test:
    """What a test showed, and the offset of the commissioning that it cites."""

    samples: list[list[int]]
    indicator: str
    offset: int


@attrs.frozen
class Failure:
    """A failing certificate, and what its test indicated."""

    certificate: str
    indicator: str


@attrs.define
class Permit:
    """An open permit: its version, its devices, and whether no point was found to be missing."""

    ref: str
    devices: list[str]
    safe: bool = True


@attrs.frozen
class News:
    """A notice, and what it ended: [kind, subject, version]."""

    notice: dict[str, Any]
    ended: list[tuple[str, str, str]]


def named(ref: str) -> tuple[str, str]:
    """Return kind and subject of an artifact version.

    >>> named("BKG:Z014.head@2")
    ('BKG', 'Z014.head')
    """
    kind, _, rest = ref.partition(":")
    return kind, rest.partition("@")[0]
