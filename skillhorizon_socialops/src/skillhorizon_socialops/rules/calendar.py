"""The calendar: T(w, h) = start(w) + 60 h, when the next wave starts, and the hours kept in reserve."""

from __future__ import annotations

HOUR = 60
WINDOW = 60
"""A post may be published from its due minute on, for so many minutes (R5)."""
WAVE_MINUTES = 2_880
"""A wave lasts at least so long."""
OBSERVED = 840
"""Conversions count until so many minutes after the last arm is due (R6)."""
HOUSE_HOUR = 43
"""House posts publish themselves at this hour."""
EVENT_HOURS = (9, 12, 20)
"""Hours at which the desk hears of changes."""
RESERVE_HOURS = (20, 21, 22, 23)
FIRST_LATE_HOUR = 44
"""From this hour on every hour is a reserve hour, until the wave closes."""


def next_start(start: int, closed_at: int) -> int:
    """Return when the next wave starts: a whole wave later, or at the next hour after a late close.

    >>> next_start(0, 2500), next_start(0, 2881), next_start(2940, 5880)
    (2880, 2940, 5880)
    """
    return max(start + WAVE_MINUTES, -(-closed_at // HOUR) * HOUR)


def is_reserve(start: int, due: int) -> bool:
    """Return whether a minute is the beginning of a reserve hour of the wave that starts at `start`.

    >>> [is_reserve(2880, 2880 + 60 * hour) for hour in (19, 20, 23, 24, 43, 44, 90)]
    [False, True, True, False, False, True, True]
    >>> is_reserve(2880, 2880 + 60 * 20 + 1)
    False
    """
    hour, minutes = divmod(due - start, HOUR)
    return not minutes and (hour in RESERVE_HOURS or hour >= FIRST_LATE_HOUR)
