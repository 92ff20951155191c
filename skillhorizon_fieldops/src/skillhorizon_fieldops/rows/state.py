"""How everything stands: what operations and updates leave besides artifacts."""

from __future__ import annotations

import attrs

from skillhorizon import table


@table("programme", key=("name",))
@attrs.frozen
class Programme:
    """What is fixed for the whole task: one row named `programme`; `permits` may be open at once (R5)."""

    name: str
    scenario: str
    waves: int
    permits: int
    relief: int


@table("condition", key=("device",))
@attrs.frozen
class Condition:
    """How a device stands: works done on it, the fault last repaired, its installed part, and its touches (R7).

    `diagnosed` is the fault of its current diagnosis. No family: no installed part, and no derating.
    """

    device: str
    works: int
    repaired: str | None
    diagnosed: str | None
    part: str | None
    batch: str | None
    family: str | None
    derate_bp: int
    touches: int


@table("isolation", key=("device",), indexes=(("zone",),))
@attrs.frozen
class Isolation:
    """A device that is isolated now, and the permit version that isolates it."""

    device: str
    zone: str
    permit: str


@table("permit", key=("zone", "version"))
@attrs.frozen
class Permit:
    """Where the permit PRM:zone@version holds; `safe` is 1 when its points are all that are required (R5)."""

    zone: str
    version: int
    wave: int
    block: str
    safe: int


@table("reservation", key=("device", "version"), indexes=(("wave",), ("status",)))
@attrs.frozen
class Reservation:
    """Units of RSV:device@version: held, then unsettled, then settled; void when replaced or left unused (R3, R9)."""

    device: str
    version: int
    wave: int
    part: str
    batch: str
    issued: int
    consumed: int
    returned: int
    scrapped: int
    status: str


@table("booking", key=("job", "version"), indexes=(("wave", "status"),))
@attrs.frozen
class Booking:
    """Minutes of BKG:job@version: booked, then used at the first work, or returned when it ended unused (R4)."""

    job: str
    version: int
    crew: str
    wave: int
    block: str
    minutes: int
    status: str


@table("holding", key=("device", "job", "version"), indexes=(("job", "version"),))
@attrs.frozen
class Holding:
    """A device that the booking BKG:job@version holds; `used` is 1 once it was worked under it."""

    device: str
    job: str
    version: int
    used: int


@table("certificate", key=("device", "version"))
@attrs.frozen
class Certificate:
    """The procedure edition in force when CRT:device@version was made (R8)."""

    device: str
    version: int
    in_force: int


@table("demand_change", key=("service", "since"))
@attrs.frozen
class DemandChange:
    """A service's demand after the call `since`."""

    service: str
    since: int
    demand: int


@table("relief", key=("number",))
@attrs.frozen
class Relief:
    """One granted unit of relief, overdraft included: overtime of a crew's block, or an expedited batch."""

    number: int
    kind: str
    crew: str | None
    wave: int | None
    block: str | None
    part: str | None
    batch: str | None
