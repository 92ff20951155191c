"""Handing over: services commissioned, waves closed and accounted for, sections and system accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Json, listed
from skillhorizon_fieldops.policy.working import settle

if TYPE_CHECKING:
    from skillhorizon_fieldops.policy.desk import Desk


def commission(desk: Desk, service: str) -> None:
    """Work out a service's figures and commission it (R8).

    Raises:
        Refused: when a call is not accepted.
        Skipped: when a certificate or a needed commissioning is not current.
    """
    read = desk.services[service]
    certificates: list[Json] = [desk.ref("CRT", device) for device, _ in read.members]
    needs: list[Json] = [desk.ref("COM", need) for need in read.needs]
    data: dict[str, Json] = {
        "members": [[device, rated, derating(desk, device)] for device, rated in read.members],
        "demand": desk.demands[service],
        "dependents": [[other, desk.demands[other], share] for other, share in read.dependents],
        "tier": read.tier,
    }
    found = desk.client.script("commission-service", "commission.py", data)
    figures = {name: found[name] for name in ("capacity", "load", "headroom_bp")}
    answer = desk.do("commission_service", service=service, certificates=certificates, needs=needs, **figures)
    desk.offsets[service] = answer["offset"]


def derating(desk: Desk, device: str) -> int:
    """Return the derating of a device's installed part; a batch that was never listed has the device read."""
    if device not in desk.installed:
        return 0
    batch = desk.batches.get(desk.installed[device])
    if batch is None:
        installed = desk.client.call("get_device", device=device)["installed"]
        return int(installed[2]) if installed else 0
    fits = desk.fits[desk.devices[device].of_class]
    return next(int(derate) for _, _, part, _, _, derate in fits if part == batch.part)


def close(desk: Desk, wave: int) -> None:
    """Settle what is left over, close a wave, and post its account (R9).

    Raises:
        Refused: when a call is not accepted.
    """
    if desk.open_wave == wave:
        settle(desk, [*desk.rests])
        answer = desk.do("close_wave", wave=wave)
        desk.open_wave = answer["open_wave"] or desk.sweep + 1
        forget(desk, wave)
    account(desk, wave)


def forget(desk: Desk, wave: int) -> None:
    """Forget the reservations and bookings that end with a wave."""
    desk.current["RSV"].clear()
    for job, booking in desk.bookings.items():
        if booking.wave <= wave:
            desk.current["BKG"].pop(job, None)


def account(desk: Desk, wave: int) -> None:
    """Read a closed wave's ledger and post its account."""
    parts, crews = (listed(desk.client, "get_wave_ledger", wave=wave, of=of) for of in ("parts", "crews"))
    data: dict[str, Json] = {"parts": [[*row.values()] for row in parts], "crews": [[*row.values()] for row in crews]}
    found = desk.client.script("reconcile-accept", "reconcile.py", data)
    desk.do("post_account", wave=wave, lines=found["lines"], crew_minutes=found["crew_minutes"])


def accept(desk: Desk) -> None:
    """Close and account for the sweep if it was used, then accept all sections and the system (R10).

    Raises:
        Refused: when a call is not accepted.
        Skipped: when a commissioning or an account is not current.
    """
    waves = range(1, desk.waves + 1 + desk.swept)
    if desk.swept and str(desk.sweep) not in desk.current["ACC"]:
        close(desk, desk.sweep)
    for section in desk.sections:
        if section not in desk.current["SEC"]:
            mine = sorted(each for each, read in desk.services.items() if read.section == section)
            commissions: list[Json] = [desk.ref("COM", each) for each in mine]
            desk.do("accept_section", section=section, commissions=commissions)
    sections: list[Json] = [desk.ref("SEC", section) for section in desk.sections]
    accounts: list[Json] = [desk.ref("ACC", str(wave)) for wave in waves]
    desk.do("accept_system", sections=sections, accounts=accounts)
