"""Experiments: audiences sized, lineage taken, all of it registered (R3, R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Json, Skipped
from skillhorizon_socialops.policy.reading import audiences_of, rows_of

if TYPE_CHECKING:
    from skillhorizon_socialops.policy.desk import Desk

HISTORY = 43_200


def plan(desk: Desk, brief: str) -> None:
    """Size the holdout and the arms of a brief.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when a brief to suppress has no current credit.
    """
    read = desk.brief(brief)
    suppressed = read.named("suppress")
    cited: list[Json] = [desk.ref("cr", each) for each in suppressed]
    rows, overlap = audiences_of(desk, read.audiences)
    data: dict[str, Json] = {
        "sizes": [row["size"] for row in rows],
        "lapsed_bp": [row["lapsed_bp"] for row in rows],
        "overlap": overlap,
        "suppress": [sum(desk.totals[each]) for each in suppressed],
        **read.shares,
    }
    found = desk.client.script("audience-planning", "plan.py", data)
    desk.do("plan_audience", brief_id=brief, audiences=[*read.audiences], suppress_from=cited, **found)
    desk.arms[brief] = [found["arm_a"], found["arm_b"]]


def register(desk: Desk, brief: str) -> None:
    """Take the lineage of a brief and register its experiment.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when plan or a package was never made.
    """
    audience = desk.ref("ap", brief)
    packages = {arm: desk.ran.get((brief, arm)) or desk.package(brief, arm).ref for arm in ("a", "b")}
    posts = {arm: post for post, arm in desk.arm_posts(brief).items()}
    if len(posts) < len(packages):
        raise Skipped(f"brief '{brief}' has no post for one of its arms")
    data: dict[str, Json] = {"rows": lineage_rows(desk, brief)}
    lineage = desk.client.script("experiment-registration", "lineage.py", data)["lineage"]
    desk.do(
        "register_experiment",
        brief_id=brief,
        plan=audience,
        control_package=packages["a"],
        test_package=packages["b"],
        post_a=posts["a"],
        post_b=posts["b"],
        lineage=lineage,
    )


def lineage_rows(desk: Desk, brief: str) -> list[Json]:
    """Return the publications of each row of depends_on; in wave 1 those of the campaign (R4)."""
    read = desk.brief(brief)
    if not read.rows:
        found = publications(desk, campaign_id=read.campaign, since=1 - HISTORY, until=0)
        return [{"brief": read.campaign, "publications": found}]
    made = {each: publications(desk, brief_id=each) for each in sorted({each for _, each in read.rows})}
    return [{"brief": each, "publications": made[each]} for _, each in read.rows]


def publications(desk: Desk, **of: Json) -> list[Json]:
    """Return [post, at] of publications."""
    return [row[:2] for row in rows_of(desk, "list_publications", **of)]
