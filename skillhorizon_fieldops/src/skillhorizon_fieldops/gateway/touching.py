"""Touching a device: whatever happens at it makes tests that stand on it out of date (R7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon_fieldops.keys import touch_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillhorizon import Call

_TOUCH = "UPDATE condition SET touches = touches + 1 WHERE device = ? RETURNING touches"


def touch(call: Call, devices: Iterable[str]) -> None:
    """Count a touch of each device; tests of it and of those that it feeds end (R7)."""
    for device in devices:
        ((touches,),) = call.world.sql(_TOUCH, device)
        call.ledger.changed(touch_key(device), str(touches))
