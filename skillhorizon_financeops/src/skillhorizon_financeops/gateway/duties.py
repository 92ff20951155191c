"""Who may review what: preparer and reviewers of neighbouring stages are kept apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon import Artifact, Call


def conflict(call: Call, stage: int, closure: Artifact, reviewer: str) -> str | None:
    """Return the id of the artifact that keeps someone from reviewing a closure, or None."""
    if closure.content["preparer"] == reviewer:
        return closure.id
    for neighbour in (stage - 1, stage + 1):
        review = call.ledger.current(f"RVW:{neighbour}")
        if review is not None and review.content["reviewer"] == reviewer:
            return review.id
    return None
