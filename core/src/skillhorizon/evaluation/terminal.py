"""How an execution ends (protocol, section 2)."""

from __future__ import annotations

from enum import StrEnum


class Terminal(StrEnum):
    """The terminal kinds; the first four are scored on the state reached."""

    SUBMITTED = "submitted"
    BUDGET_EXHAUSTED = "budget_exhausted"
    TIME_LIMIT = "time_limit"
    CONTEXT_OVERFLOW = "context_overflow"
    INFRASTRUCTURE_ERROR = "infrastructure_error"
    CANCELLED = "cancelled"


SCORED = (Terminal.SUBMITTED, Terminal.BUDGET_EXHAUSTED, Terminal.TIME_LIMIT, Terminal.CONTEXT_OVERFLOW)
