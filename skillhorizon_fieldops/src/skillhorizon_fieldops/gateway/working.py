"""Working on an isolated device (R5)."""

from __future__ import annotations

from typing import NoReturn

import attrs

from skillhorizon import Artifact, Call, Ended, Json, operation
from skillhorizon_fieldops.gateway.answers import check_current, done, known_version
from skillhorizon_fieldops.gateway.arguments import BookingRef, CauseRef, DeviceId, PermitRef, ReservationRef
from skillhorizon_fieldops.gateway.known import condition_of, known_device
from skillhorizon_fieldops.gateway.need import booking_need
from skillhorizon_fieldops.gateway.status import passing, reseats
from skillhorizon_fieldops.gateway.touching import touch
from skillhorizon_fieldops.keys import RELEASED, batch_key
from skillhorizon_fieldops.returns import BOOKED, HELD, SETTLED, UNSETTLED, USED
from skillhorizon_fieldops.rows import (
    Booking,
    Card,
    Condition,
    Device,
    Fit,
    Holding,
    Isolation,
    Permit,
    Reservation,
)
from skillhorizon_fieldops.rules import RESEAT

_CONSUME = "UPDATE batch SET held = held - ?, consumed = consumed + ? WHERE batch = ?"


@attrs.frozen(kw_only=True)
class Inputs:
    """What work on a device is done under.

    Attributes:
        device: the device.
        before: how it stood.
        isolated: its isolation, if it has one.
        card: what its current diagnosis asks for; None without a diagnosis.
        cause, permit, booking, reservation: the versions cited.
        held: the reservation's units.
    """

    device: Device
    before: Condition
    isolated: Isolation | None
    card: Card | None
    cause: Artifact
    permit: Artifact
    booking: Artifact
    reservation: Artifact | None
    held: Reservation | None

    @property
    def reseat(self) -> bool:
        """Whether the cause is a certificate: the part is put in anew."""
        return self.cause.kind == "CRT"

    @property
    def family(self) -> str | None:
        """The family of parts that the work takes; None for RESEAT and for work without parts."""
        return None if self.reseat or self.card is None else self.card.family


@operation(makes="WRK:{device}", repeat=False)
def perform_work(
    call: Call,
    device: DeviceId,
    cause: CauseRef,
    permit: PermitRef,
    booking: BookingRef,
    reservation: ReservationRef | None = None,
) -> dict[str, Json]:
    """Work on an isolated device: the repair of its diagnosis, or RESEAT after a failing test without a fault."""
    found = known_device(call, device)
    given = _inputs(call, found, cause, permit, (booking, reservation))
    for each in (given.cause, given.permit, given.booking, given.reservation):
        if each is not None:
            check_current(call, each)
    _check_isolation(call, given)
    _check_provenance(call, given)
    _check_minutes(call, given)
    _check_cause(call, given)
    _check_parts(call, given)
    made = _made(call, given)
    rest = _consumed(call, given)
    _leave(call, given)
    return done(call, made.ref, rest=rest)


def _inputs(call: Call, device: Device, cause: str, permit: str, held: tuple[str, str | None]) -> Inputs:
    """Find what the call cites; held are the booking and the reservation.

    Raises:
        Rejection: unknown_object.
    """
    name, before = device.device, condition_of(call, device.device)
    kind = "CRT" if cause.startswith("CRT:") else "DGN"
    cited = [known_version(call, *each) for each in ((cause, kind), (permit, "PRM"), (held[0], "BKG"))]
    reservation = None if held[1] is None else known_version(call, held[1], "RSV")
    return Inputs(
        device=device,
        before=before,
        isolated=call.world.get(Isolation, name),
        card=None if before.diagnosed is None else call.world.get(Card, device.model, before.diagnosed),
        cause=cited[0],
        permit=cited[1],
        booking=cited[2],
        reservation=reservation,
        held=None if reservation is None else call.world.get(Reservation, *reservation.parts, reservation.version),
    )


def _check_isolation(call: Call, given: Inputs) -> None:
    """Check that the device is isolated and without energy (R5).

    Raises:
        Rejection: not_isolated, energy_present.
    """
    name, isolated = given.device.device, given.isolated
    if isolated is None:
        call.reject("not_isolated", f"{name} is under no open permit; issue_isolation it first (R5)", object=name)
    row = call.world.get(Permit, isolated.zone, int(isolated.permit.rpartition("@")[2]))
    if row is None or not row.safe:
        message = f"points of {isolated.permit} that R5 requires are missing, so energy is present at {name}"
        call.reject("energy_present", f"{message}; close it and isolate with all points", object=isolated.permit)


def _wrong(call: Call, ref: str, told: str) -> NoReturn:
    call.reject("wrong_provenance", f"{ref} {told} (R5)", object=ref)


def _check_provenance(call: Call, given: Inputs) -> None:
    """Check that every input is the device's own, in the permit's window, and none is needless (R5).

    Raises:
        Rejection: wrong_provenance.
    """
    name, permit, booking = given.device.device, given.permit, given.booking
    if given.isolated is None or given.isolated.permit != permit.ref:
        _wrong(call, permit.ref, f"does not isolate {name}; cite the open permit that does")
    if given.cause.subject != name:
        _wrong(call, given.cause.ref, f"is not about {name}; cite the device's own diagnosis or certificate")
    window = (permit.period, permit.content["block"])
    holding = call.world.get(Holding, name, booking.subject, booking.version)
    if holding is None or holding.used or (booking.content["wave"], booking.content["block"]) != window:
        _wrong(call, booking.ref, f"does not hold {name} unused in the permit's block; cite the booking that does")
    if given.reservation is not None and (given.reservation.subject != name or given.family is None):
        _wrong(call, given.reservation.ref, f"is not what the work on {name} takes; leave it out, or cite its own")


def _check_minutes(call: Call, given: Inputs) -> None:
    """Check at a booking's first use that it is long enough by the current diagnoses (R4, R5).

    Raises:
        Rejection: booking_too_short.
    """
    booking = given.booking
    row = call.world.get(Booking, booking.subject, booking.version)
    if row is not None and row.status == BOOKED and row.minutes < booking_need(call, row, given.device.zone):
        message = f"{booking.ref} has fewer minutes than the work and the travel of its crew take; book it anew (R4)"
        call.reject("booking_too_short", message, object=booking.ref)


def _check_cause(call: Call, given: Inputs) -> None:
    """Check that a certificate as cause is a failing one whose test showed no fault, with current work (R5).

    Raises:
        Rejection: bad_cause.
    """
    if given.reseat and (passing(given.cause) or not reseats(call, given.device.device)):
        message = f"{given.cause.ref} is no failing certificate of a test with indicator absent; cite the diagnosis"
        call.reject("bad_cause", f"{message} (R5)", object=given.cause.ref)


def _check_parts(call: Call, given: Inputs) -> None:
    """Check that work with parts has an unconsumed reservation (R5).

    Raises:
        Rejection: reservation_missing.
    """
    if given.family is not None and (given.held is None or given.held.status != HELD):
        message = f"the work on {given.device.device} takes parts; cite its unconsumed reservation (R5)"
        call.reject("reservation_missing", message, object=given.device.device)


def _made(call: Call, given: Inputs) -> Artifact:
    """Make the work's version, and change what is installed and repaired."""
    before, after = given.before, given.before if given.reseat else _repaired(call, given)
    content: dict[str, Json] = {
        "action": RESEAT if given.reseat or given.card is None else given.card.action,
        "fault": after.repaired,
        "part": after.part,
        "batch": after.batch,
        "cause": given.cause.ref,
    }
    made = call.ledger.produce(
        f"WRK:{before.device}",
        content,
        cites={} if after.batch is None else {"batch": (batch_key(after.batch), RELEASED)},
        mentions={
            "cause": given.cause.ref,
            "permit": given.permit.ref,
            "booking": given.booking.ref,
            "reservation": [] if given.reservation is None else [given.reservation.ref],
        },
        period=call.world.clock,
    )
    call.world.update(
        Condition,
        before.device,
        works=before.works + 1,
        repaired=after.repaired,
        part=after.part,
        batch=after.batch,
        family=after.family,
        derate_bp=after.derate_bp,
    )
    return made


def _repaired(call: Call, given: Inputs) -> Condition:
    """Return how the device stands after the repair of its diagnosis."""
    held, family = given.held, given.family
    bare = attrs.evolve(given.before, repaired=given.before.diagnosed, part=None, batch=None, family=None, derate_bp=0)
    if family is None or held is None:
        return bare
    fit = call.world.get(Fit, family, given.device.device_class, held.part)
    derate_bp = 0 if fit is None else fit.derate_bp
    return attrs.evolve(bare, part=held.part, batch=held.batch, family=family, derate_bp=derate_bp)


def _consumed(call: Call, given: Inputs) -> int:
    """Consume a reservation's quantity; return the units to settle, none when no pack was broken (R3)."""
    held, artifact = given.held, given.reservation
    if held is None or artifact is None:
        return 0
    qty: int = artifact.content["qty"]
    call.world.sql(_CONSUME, qty, qty, held.batch)
    rest = held.issued - qty
    status = UNSETTLED if rest else SETTLED
    call.world.update(Reservation, held.device, held.version, consumed=qty, status=status)
    if rest:
        call.ledger.freeze(artifact)
    else:
        call.ledger.end(artifact.id, how=Ended.HISTORIC)
    return rest


def _leave(call: Call, given: Inputs) -> None:
    """Use the booking, end a failing certificate that the work answers, and touch the device."""
    name, booking = given.device.device, given.booking
    call.world.update(Holding, name, booking.subject, booking.version, used=1)
    call.world.update(Booking, booking.subject, booking.version, status=USED)
    certificate = call.ledger.current(f"CRT:{name}") if given.before.works else None
    if certificate is not None and not passing(certificate):
        call.ledger.end(certificate.id, how=Ended.HISTORIC)
    touch(call, [name])
