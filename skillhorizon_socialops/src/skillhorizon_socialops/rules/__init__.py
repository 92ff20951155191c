"""The business rules as pure functions (R3, R5, R7, and the calendar)."""

from skillhorizon_socialops.rules.calendar import (
    EVENT_HOURS,
    FIRST_LATE_HOUR,
    HOUR,
    HOUSE_HOUR,
    OBSERVED,
    RESERVE_HOURS,
    WAVE_MINUTES,
    WINDOW,
    is_reserve,
    next_start,
)
from skillhorizon_socialops.rules.loads import LOOKBACK, decayed, load
from skillhorizon_socialops.rules.plans import Split, split
from skillhorizon_socialops.rules.reports import Outcome, Thresholds, outcome, winning_rate

__all__ = [
    "EVENT_HOURS",
    "FIRST_LATE_HOUR",
    "HOUR",
    "HOUSE_HOUR",
    "LOOKBACK",
    "OBSERVED",
    "RESERVE_HOURS",
    "WAVE_MINUTES",
    "WINDOW",
    "Outcome",
    "Split",
    "Thresholds",
    "decayed",
    "is_reserve",
    "load",
    "next_start",
    "outcome",
    "split",
    "winning_rate",
]
