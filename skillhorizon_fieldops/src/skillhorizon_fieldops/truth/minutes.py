"""How long work takes (R4)."""

from __future__ import annotations

STORED_BP, RESEAT_MIN, SHIFT = 1_500, 20, 480
"""What a stored point adds, the base of a reseat, and the minutes of a crew's block."""


def minutes(base_min: int, access_bp: int, *, stored: bool) -> int:
    """Return the minutes at one device.

    >>> minutes(45, 800, stored=True)
    56
    """
    return -(-base_min * (10_000 + access_bp + STORED_BP * stored) // 10_000)
