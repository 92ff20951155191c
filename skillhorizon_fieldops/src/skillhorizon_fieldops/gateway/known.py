"""Finding what a call names: unknown ids, waves that are not, and the end of all waves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_fieldops.gateway.answers import unknown
from skillhorizon_fieldops.rows import Batch, Condition, Crew, Device, Programme, Service, Zone

if TYPE_CHECKING:
    from skillhorizon import Call

_SECTION = "SELECT 1 FROM service WHERE section = ? LIMIT 1"
_PART = "SELECT pack FROM batch WHERE part = ? LIMIT 1"
_MODEL = "SELECT 1 FROM manual WHERE model = ? LIMIT 1"


def programme(call: Call) -> Programme:
    """Return what is fixed for the whole task."""
    return call.world.built(Programme, "programme")


def sweep(call: Call) -> int:
    """Return the number of the sweep wave, W + 1."""
    return programme(call).waves + 1


def still_open(call: Call) -> int:
    """Return the open wave (R1).

    Raises:
        Rejection: wave_closed, once the sweep is closed.
    """
    if call.world.clock > sweep(call):
        message = "the sweep is closed, so nothing can be reserved, booked, isolated or relieved any more"
        call.reject("wave_closed", message, object=str(sweep(call)))
    return call.world.clock


def known_wave(call: Call, wave: int) -> int:
    """Return a wave that a call names, the sweep included.

    Raises:
        Rejection: unknown_object.
    """
    last = sweep(call)
    if wave > last:
        unknown(call, "wave", str(wave), f"waves are 1 to {last - 1}, the sweep is {last}")
    return wave


def known_device(call: Call, device: str) -> Device:
    """Return a device that a call names.

    Raises:
        Rejection: unknown_object.
    """
    found = call.world.get(Device, device)
    if found is None:
        unknown(call, "device", device, "list_devices names all of them")
    return found


def condition_of(call: Call, device: str) -> Condition:
    """Return how a device stands."""
    return call.world.built(Condition, device)


def known_zone(call: Call, zone: str) -> Zone:
    """Return a zone.

    Raises:
        Rejection: unknown_object.
    """
    found = call.world.get(Zone, zone)
    if found is None:
        unknown(call, "zone", zone, "list_devices names each device's zone")
    return found


def known_service(call: Call, service: str) -> Service:
    """Return a service.

    Raises:
        Rejection: unknown_object.
    """
    found = call.world.get(Service, service)
    if found is None:
        unknown(call, "service", service, "list_services names all of them")
    return found


def known_crew(call: Call, crew: str) -> Crew:
    """Return a crew.

    Raises:
        Rejection: unknown_object.
    """
    found = call.world.get(Crew, crew)
    if found is None:
        unknown(call, "crew", crew, "list_crews names those of a class")
    return found


def known_batch(call: Call, batch: str) -> Batch:
    """Return a batch that a call names.

    Raises:
        Rejection: unknown_object.
    """
    found = call.world.get(Batch, batch)
    if found is None:
        unknown(call, "batch", batch, "list_batches names those of a part")
    return found


def known_part(call: Call, part: str) -> int:
    """Return how many units of a part a pack holds.

    Raises:
        Rejection: unknown_object.
    """
    found = call.world.sql(_PART, part)
    if not found:
        unknown(call, "part", part, "get_manual names the parts that fit")
    return int(found[0][0])


def known_section(call: Call, section: str) -> str:
    """Return a section's id.

    Raises:
        Rejection: unknown_object.
    """
    if not call.world.sql(_SECTION, section):
        unknown(call, "section", section, "get_brief names all of them")
    return section


def known_model(call: Call, model: str) -> str:
    """Return a model's id.

    Raises:
        Rejection: unknown_object.
    """
    if not call.world.sql(_MODEL, model):
        unknown(call, "model", model, "get_device names a device's model")
    return model
