"""Where devices and services stand: the one reading of it that lists, bookings and permits share (R1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import dumps

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon import Artifact, Call, Json

REWORK, OPEN, CURRENT = "rework", "open", "current"
DEVICE_STATUS = """
    CASE
        WHEN c.works = 0 THEN 'open'
        WHEN w.id IS NULL OR json_extract(k.content_text, '$.verdict') = 'fail' OR c.derate_bp > 0
            OR c.diagnosed IS NOT c.repaired THEN 'rework'
        WHEN k.id IS NOT NULL THEN 'certified'
        WHEN t.id IS NOT NULL THEN 'tested'
        ELSE 'worked'
    END"""
DEVICE_STANDING = """
    device d JOIN condition c ON c.device = d.device
    LEFT JOIN artifact w ON w.id = 'WRK:' || d.device AND w.ended IS NULL
    LEFT JOIN artifact t ON t.id = 'TST:' || d.device AND t.ended IS NULL
    LEFT JOIN artifact k ON k.id = 'CRT:' || d.device AND k.ended IS NULL"""
SERVICE_STATUS = "CASE WHEN m.id IS NULL THEN 'open' ELSE 'current' END"
SERVICE_STANDING = "service s LEFT JOIN artifact m ON m.id = 'COM:' || s.service AND m.ended IS NULL"
_STATUS_OF = (
    f"SELECT d.device, {DEVICE_STATUS} FROM {DEVICE_STANDING} WHERE d.device IN (SELECT value FROM json_each(?))"  # noqa: S608  # fixed texts
)
_CURRENT = """
    SELECT id || '@' || version FROM artifact
    WHERE id IN (SELECT kind.value || ':' || ? FROM json_each('["DGN","RSV","BKG","WRK","TST","CRT"]') kind)
        AND ended IS NULL ORDER BY made, id"""


def statuses(call: Call, devices: Iterable[str]) -> dict[str, str]:
    """Return rework, else open, worked, tested or certified, by device (R1)."""
    return dict(call.world.sql(_STATUS_OF, dumps(sorted(devices))))


def current_of(call: Call, device: str) -> list[Json]:
    """Return the current artifacts of a device in the order in which they were made."""
    return [ref for (ref,) in call.world.sql(_CURRENT, device)]


def passing(certificate: Artifact | None) -> bool:
    """Return whether a certificate says `pass`."""
    return certificate is not None and certificate.content["verdict"] == "pass"


def reseats(call: Call, device: str) -> bool:
    """Return whether a device is open to RESEAT: with current work, its failing test showed no fault (R5)."""
    certificate = call.ledger.current(f"CRT:{device}")
    if certificate is None or passing(certificate) or call.ledger.current(f"WRK:{device}") is None:
        return False
    test = call.ledger.named(certificate.content["test"])
    return test is not None and test.content["indicator"] == "absent"
