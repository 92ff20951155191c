"""Reviews, publications and the release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Skipped
from skillhorizon_financeops.policy.closings import preparer

if TYPE_CHECKING:
    from skillhorizon_financeops.policy.desk import Desk


def review_stages(desk: Desk) -> None:
    """Review each closure that has no review yet, by ascending stage (R10).

    Raises:
        Refused: when a review is not accepted or has findings.
        Skipped: when a stage was not closed, or nobody may review it.
    """
    for stage in sorted(desk.opened):
        closure = desk.client.need(f"CLS:{stage}")
        if desk.reviewed.get(stage, ("", ""))[0] == closure:
            continue
        reviewer = free_reviewer(desk, stage)
        desk.client.call("review_stage", stage=stage, closure=closure, reviewer=reviewer)
        desk.staff[reviewer] -= 1
        desk.reviewed[stage] = (closure, reviewer)


def free_reviewer(desk: Desk, stage: int) -> str:
    """Return who has the most reviews left among those without a conflict at the stage.

    Raises:
        Skipped: when nobody is left.
    """
    barred = {preparer(desk, stage)} | {valid_reviewer(desk, each) for each in (stage - 1, stage + 1)}
    free = [name for name, left in desk.staff.items() if left > 0 and name not in barred]
    if not free:
        raise Skipped(f"nobody without a conflict has capacity left to review stage {stage}")
    return min(free, key=lambda name: (-desk.staff[name], name))


def valid_reviewer(desk: Desk, stage: int) -> str:
    """Return who reviewed the present closure of a stage, '' when nobody did."""
    closure, reviewer = desk.reviewed.get(stage, ("", ""))
    return reviewer if closure and closure == desk.client.need(f"CLS:{stage}") else ""


def publish_stages(desk: Desk) -> None:
    """Publish each stage whose review is not published yet, by ascending stage.

    Raises:
        Refused: when a publication is not accepted.
        Skipped: when a stage was not reviewed.
    """
    for stage in sorted(desk.opened):
        review = desk.client.need(f"RVW:{stage}")
        if desk.published.get(stage) != review:
            desk.client.call("publish_stage", stage=stage, review=review)
            desk.published[stage] = review


def publish_release(desk: Desk) -> None:
    """Publish the closing balances of the last stage.

    Raises:
        Refused: when the release is not accepted.
        Skipped: when the last stage was not closed.
    """
    balances = desk.client.need(f"closing:{max(desk.opened)}")
    desk.client.call("publish_release", balances=balances)
