"""Outcomes of a call, and the rejection that tools raise."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon.model.canonical import Json


class Outcome(StrEnum):
    """How a call ended.

    accepted; failed: committed, but an attempted goal was refused; rejected: rolled back by a business rule; malformed:
    not a call the tool understands; not_attempted: after a failure in the same turn; internal_error: infrastructure.
    """

    ACCEPTED = "accepted"
    FAILED = "failed"
    REJECTED = "rejected"
    MALFORMED = "malformed"
    NOT_ATTEMPTED = "not_attempted"
    INTERNAL_ERROR = "internal_error"


class Rejection(Exception):
    """A business rule refuses the call; the state stays as it was.

    Args:
        code: a stable code, such as `UNKNOWN_ID`.
        message: names the object at fault and what would be accepted, never the answer.
        details: further JSON values by name.
    """

    def __init__(self, code: str, message: str, **details: Json) -> None:
        super().__init__(message)
        self.code, self.message, self.details = code, message, details
