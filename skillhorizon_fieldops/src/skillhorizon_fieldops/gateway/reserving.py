"""Reserving parts for diagnosed devices (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, dumps, operation
from skillhorizon_fieldops.gateway.answers import done, name_once
from skillhorizon_fieldops.gateway.arguments import Line, Lines
from skillhorizon_fieldops.gateway.diagnosing import stands
from skillhorizon_fieldops.gateway.known import condition_of, known_batch, known_device, still_open
from skillhorizon_fieldops.keys import RELEASED, batch_key
from skillhorizon_fieldops.returns import HELD, UNSETTLED, put_back
from skillhorizon_fieldops.rows import Batch, Card, Device, Fit, Reservation
from skillhorizon_fieldops.rules import withdrawn

if TYPE_CHECKING:
    from collections.abc import Collection

_OF_DEVICE = "SELECT version, status, batch FROM reservation WHERE device = ? AND status IN ('held', 'unsettled')"
_FIRST_EXPIRING = """
    SELECT batch FROM batch
    WHERE part = ? AND status = 'released' AND expiry_wave >= ? AND free >= ?
        AND batch NOT IN (SELECT value FROM json_each(?))
    ORDER BY expiry_wave, batch LIMIT 1"""
_WITHDRAW = "UPDATE batch SET free = free - ?, held = held + ? WHERE batch = ?"


@operation(makes="RSV:{lines.device}", repeat=False)
def reserve_parts(call: Call, lines: Lines) -> dict[str, Json]:
    """Reserve the parts that the work on up to twelve devices needs: [{device, batch, qty}], served in order."""
    still_open(call)
    devices = [known_device(call, line.device) for line in lines]
    for line in lines:
        known_batch(call, line.batch)
    name_once(call, (line.device for line in lines))
    return done(call, *[_reserved(call, device, line) for device, line in zip(devices, lines, strict=True)])


def _reserved(call: Call, device: Device, line: Line) -> str:
    same = stands(call, f"RSV:{device.device}", {"batch": line.batch, "qty": line.qty})
    row = None if same is None else call.world.get(Reservation, device.device, same.version)
    if same is not None and row is not None and row.status == HELD:
        return same.ref
    diagnosis = call.ledger.require(f"DGN:{device.device}", "not_current")
    _return_unused(call, device)
    batch = call.world.built(Batch, line.batch)
    _check_part(call, device, diagnosis, batch, line)
    units = withdrawn(line.qty, batch.pack)
    _check_batch(call, device, batch, units)
    return _withdrawn(call, device, diagnosis, line, (batch, units)).ref


def _return_unused(call: Call, device: Device) -> None:
    """Return what an unused reservation holds before another replaces it.

    Raises:
        Rejection: unsettled, when the device has units to settle.
    """
    for version, status, _ in call.world.sql(_OF_DEVICE, device.device):
        if status == UNSETTLED:
            message = f"{device.device} has consumed units of RSV:{device.device}@{version}; settle_parts them first"
            call.reject("unsettled", message, object=device.device)
        found = call.world.get(Reservation, device.device, version)
        if found is not None:
            put_back(call.world, found)


def _check_part(call: Call, device: Device, diagnosis: Artifact, batch: Batch, line: Line) -> None:
    """Check that the part and the quantity are those of the card (R3).

    Raises:
        Rejection: part_does_not_fit, quantity_mismatch.
    """
    card = call.world.get(Card, device.model, diagnosis.content["fault"])
    fit = None
    if card is not None and card.family is not None:
        fit = call.world.get(Fit, card.family, device.device_class, batch.part)
    if card is None or fit is None or not fit.rev_lo <= device.hw_rev <= fit.rev_hi:
        message = (
            f"part {batch.part} of batch {batch.batch} is not what the work on {device.device} takes; reserve a part "
            "of its card's family that fits its class and hw_rev, and nothing where the card has no family (R3)"
        )
        call.reject("part_does_not_fit", message, object=device.device)
    if line.qty != card.qty:
        message = f"the card of {device.device}'s diagnosis does not ask for {line.qty} units; give its quantity (R3)"
        call.reject("quantity_mismatch", message, object=device.device)


def _check_batch(call: Call, device: Device, batch: Batch, units: int) -> None:
    """Check that the batch is the usable one that expires first (R3).

    Raises:
        Rejection: batch_unusable, pair_batch, stock_short, not_first_expiring.
    """
    wave, name = call.world.clock, batch.batch
    if batch.status != RELEASED or batch.expiry_wave < wave:
        message = f"batch {name} is quarantined or expired; reserve from one that is released and not expired (R3)"
        call.reject("batch_unusable", message, object=name)
    taken = partners_batches(call, device)
    if name in taken:
        message = f"batch {name} is installed in or reserved for the pair partner of {device.device}; use another (R3)"
        call.reject("pair_batch", message, object=name)
    if batch.free < units:
        message = f"batch {name} does not have the whole packs for {device.device} free; reserve from another (R3)"
        call.reject("stock_short", message, object=name)
    first = call.world.sql(_FIRST_EXPIRING, batch.part, wave, units, dumps(sorted(taken)))
    if first[0][0] != name:
        message = f"of the usable batches of part {batch.part}, {name} does not expire first; reserve the first (R3)"
        call.reject("not_first_expiring", message, object=name)


def partners_batches(call: Call, device: Device) -> Collection[str]:
    """Return the batches installed in or reserved for a device's pair partner."""
    if device.pair is None:
        return ()
    installed = condition_of(call, device.pair).batch
    reserved = {batch for _, status, batch in call.world.sql(_OF_DEVICE, device.pair) if status == HELD}
    return reserved if installed is None else reserved | {installed}


def _withdrawn(call: Call, device: Device, diagnosis: Artifact, line: Line, taken: tuple[Batch, int]) -> Artifact:
    batch, units = taken
    call.world.sql(_WITHDRAW, units, units, batch.batch)
    wave = call.world.clock
    made = call.ledger.produce(
        f"RSV:{device.device}",
        {"part": batch.part, "batch": batch.batch, "qty": line.qty, "withdrawn": units},
        cites={"diagnosis": diagnosis.ref, "batch": (batch_key(batch.batch), RELEASED)},
        period=wave,
    )
    row = Reservation(device.device, made.version, wave, batch.part, batch.batch, units, 0, 0, 0, HELD)
    call.world.insert(row)
    return made
