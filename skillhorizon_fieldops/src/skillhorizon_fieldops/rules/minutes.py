"""How long work on a device takes (R4)."""

from __future__ import annotations

RESEAT = "RESEAT"
"""The work after a failed test that showed no fault: the part is put in anew."""
RESEAT_MIN = 20
"""Minutes of it before R4."""
_STORED_BP = 1_500
_WHOLE = 10_000


def work_minutes(base_min: int, access_bp: int, *, stored: bool) -> int:
    """Return the minutes of one device's work (R4).

    Args:
        base_min: of the card, or `RESEAT_MIN`.
        access_bp: the site's access, in basis points.
        stored: whether the device has a stored point.

    >>> work_minutes(45, 800, stored=True)
    56
    """
    return -(-base_min * (_WHOLE + access_bp + _STORED_BP * stored) // _WHOLE)
