"""Notices: the briefs they affect, acknowledged; corrective posts released where the winner stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillhorizon import Json
    from skillhorizon_socialops.policy.desk import Desk
    from skillhorizon_socialops.policy.memory import News


def respond(desk: Desk, news: News) -> None:
    """Name the briefs that a notice affects; release the corrective post of a correction that changed no winner.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when the corrected brief has no current report.
    """
    if news.id not in desk.acknowledged:
        found = desk.client.script("update-response", "impact.py", surroundings(desk, news))
        desk.do("acknowledge_update", notice_id=news.id, affected_briefs=found["affected_briefs"])
        desk.acknowledged.add(news.id)
    if news.kind == "conversion_correction":
        release(desk, news.notice["brief"], news.notice["post"])


def release(desk: Desk, brief: str, post: str) -> None:
    """Release a corrective post if the deployment of its brief stands."""
    desk.ref("rp", brief)
    if f"dp:{brief}" in desk.current and desk.scheduled(post):
        desk.do("release_post", brief_id=brief, post_id=post)
        desk.mark(post, "released")


def surroundings(desk: Desk, news: News) -> dict[str, Json]:
    """Describe what a notice names, and what the waiting briefs use of its kind, as `impact.py` takes it."""
    notice = news.notice
    briefs: list[Json] = []
    if news.kind == "retention_change":
        briefs = [[each, [*desk.brief(each).audiences], True] for each in news.waiting]
    elif news.kind == "rights_withdrawal":
        briefs = [[each, [*assets], True] for each, assets in news.waiting.items()]
    named = next(notice[name] for name in ("brief", "audience", "asset") if name in notice)
    return {"kind": news.kind, "refs": [named], "briefs": briefs}
