"""Posts published when due: arms of experiments, and deployments of winners (R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Json, Skipped
from skillhorizon_socialops.policy.packages import refreshed
from skillhorizon_socialops.policy.reading import LOOKBACK, audiences_of, exposure_of

if TYPE_CHECKING:
    from skillhorizon_socialops.policy.desk import Desk
    from skillhorizon_socialops.policy.memory import Post

LOOKS = 3


def publish(desk: Desk, post: str) -> None:
    """Publish an arm when it is due; nothing is to be done for a post that is no longer scheduled.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when the experiment is not current, or the post cannot be published in its window.
    """
    if not due(desk, post):
        return
    brief, arm = desk.posts[post].brief, desk.arm_posts(desk.posts[post].brief)[post]
    desk.ref("ex", brief)
    package = desk.package(brief, arm).ref
    audit = audited(desk, desk.posts[post])
    desk.do("publish_post", brief_id=brief, post_id=post, package=package, **audit)
    desk.mark(post, "published")
    desk.ran[brief, arm] = package


def deploy(desk: Desk, post: str) -> None:
    """Deploy the winner's package, built again where rights were withdrawn, when the post is due.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when the report is not current, or the post cannot be published in its window.
    """
    if not due(desk, post):
        return
    brief = desk.posts[post].brief
    report, arm = desk.ref("rp", brief), desk.report(brief).arm
    package = refreshed(desk, brief, arm)
    audit = audited(desk, desk.posts[post])
    desk.do("deploy_campaign", brief_id=brief, post_id=post, report=report, package=package, **audit)
    desk.mark(post, "published")


def due(desk: Desk, post: str) -> bool:
    """Whether a post is still scheduled once it is due."""
    if desk.scheduled(post):
        desk.wait(desk.posts[post].due_at)
    return desk.scheduled(post)


def audited(desk: Desk, post: Post) -> dict[str, Json]:
    """Return sources and loads of a post at the first minute at which it may be published.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when there is no such minute.
    """
    for _ in range(LOOKS):
        rows, _ = audiences_of(desk, desk.brief(post.brief).audiences)
        exposure = exposure_of(desk, [row["audience"] for row in rows])
        found = desk.client.script("load-audit", "decayed_load.py", load_data(desk, post, rows, exposure))
        check = desk.client.script(
            "due-publication", "due_check.py", due_data(desk, post, rows, exposure, found["loads"])
        )
        if check["ok"]:
            return {"sources": found["sources"], "loads": found["loads"]}
        if check["earliest"] is None or check["earliest"] <= desk.clock:
            break
        desk.wait(check["earliest"])
    raise Skipped(f"post '{post.id}' cannot be published in its window: {', '.join(check['reasons'])}")


def load_data(desk: Desk, post: Post, rows: list[dict[str, Any]], exposure: dict[str, list[Any]]) -> dict[str, Json]:
    """Describe what reached a post's audiences as `decayed_load.py` takes it."""
    audiences: list[Json] = [
        {"id": row["audience"], "retention_bp": row["retention_bp"], "publications": exposure[row["audience"]]}
        for row in rows
    ]
    return {"post_id": post.id, "as_of": desk.clock, "lookback_min": LOOKBACK, "audiences": audiences}


def due_data(
    desk: Desk, post: Post, rows: list[dict[str, Any]], exposure: dict[str, list[Any]], loads: dict[str, int]
) -> dict[str, Json]:
    """Describe a post and its audiences as `due_check.py` takes them."""
    audiences: list[Json] = [
        {
            "id": row["audience"],
            "load": loads[row["audience"]],
            "cap": row["cap"],
            "last_at": exposure[row["audience"]][-1][1] if exposure[row["audience"]] else None,
            "cooldown_min": row["cooldown_min"],
        }
        for row in rows
    ]
    shown: dict[str, Json] = {"due_at": post.due_at, "status": post.status, "weight": post.weight}
    return {"clock": desk.clock, **shown, "audiences": audiences}
