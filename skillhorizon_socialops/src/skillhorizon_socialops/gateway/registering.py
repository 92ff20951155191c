"""Registering the experiment of a brief: its plan, packages, posts and lineage (R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_socialops.gateway.answers import again, done, known_version, package_id
from skillhorizon_socialops.gateway.arguments import BriefId, Lineage, PackageRef, PlanRef, PostId
from skillhorizon_socialops.gateway.known import ARMS, arms_of, check_opened, known_brief, known_post
from skillhorizon_socialops.gateway.upstream import depends_on
from skillhorizon_socialops.keys import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon_socialops.gateway.known import ArmPost
    from skillhorizon_socialops.rows import Brief, Post

HISTORY_FROM = -43_200
"""In wave 1 the campaign's publications after this minute, up to minute 0, are the lineage (R4)."""
_RUN = """
    SELECT p.post_id FROM post o JOIN publication p ON p.post_id = o.post_id
    WHERE o.brief_id = ? ORDER BY p.at, p.post_id, p.ordinal"""
_CAMPAIGN = """
    SELECT p.post_id FROM seed_post o JOIN seed_publication p ON p.post_id = o.post_id
    WHERE o.campaign_id = ? AND p.at > ? AND p.at <= 0 ORDER BY p.at, p.post_id, p.ordinal"""


@operation(makes="ex:{brief_id}", again=again)
def register_experiment(
    call: Call,
    brief_id: BriefId,
    plan: PlanRef,
    control_package: PackageRef,
    test_package: PackageRef,
    post_a: PostId,
    post_b: PostId,
    lineage: Lineage,
) -> dict[str, Json]:
    """Bind a brief's plan, packages, posts and lineage to an experiment; its plan is frozen."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    planned = known_version(call, plan, f"ap:{brief_id}")
    packages = {
        "a": known_version(call, control_package, package_id(brief, "a")),
        "b": known_version(call, test_package, package_id(brief, "b")),
    }
    named = {arm: known_post(call, brief, post, ARMS) for arm, post in (("a", post_a), ("b", post_b))}
    posts = arms_of(call, brief)
    _check_inputs(call, planned, packages, posts)
    _check_posts(call, named, posts)
    _check_lineage(call, brief, lineage)
    published = [post for post in posts.values() if post.status == PUBLISHED]
    if len(published) == len(posts):
        message = f"both arms of {brief_id} are published, so its experiment stands"
        call.reject("ALREADY_RUN", message, object=brief_id)
    call.ledger.freeze(planned)
    inputs = {"plan": plan, "control_package": control_package, "test_package": test_package}
    made = call.ledger.produce(
        f"ex:{brief_id}",
        {**inputs, "post_a": post_a, "post_b": post_b, "lineage": lineage},
        cites={} if published else inputs,
        mentions=inputs if published else {},
        period=brief.wave,
    )
    return done(call, made.ref)


def _check_inputs(call: Call, plan: Artifact, packages: Mapping[str, Artifact], posts: Mapping[str, ArmPost]) -> None:
    """Check that all inputs are current; of a published arm the package that it ran with.

    Raises:
        Rejection: INPUT_STALE.
    """
    _check_live(call, plan)
    for arm, package in packages.items():
        if posts[arm].status == PUBLISHED:
            _check_ran_with(call, posts[arm], package)
        else:
            _check_live(call, package)


def _check_live(call: Call, artifact: Artifact) -> None:
    if not artifact.live:
        message = f"{artifact.ref} is {artifact.ended_as}; cite the current version of {artifact.id}"
        call.reject("INPUT_STALE", message, object=artifact.ref)


def _check_ran_with(call: Call, post: ArmPost, package: Artifact) -> None:
    used = [each.content["package"] for each in call.ledger.versions(f"pb:{post.post_id}")]
    if used[-1:] != [package.ref]:
        message = f"{post.post_id} is published and did not run with {package.ref}; cite the package of pb:"
        call.reject("INPUT_STALE", f"{message}{post.post_id}", object=package.ref)


def _check_posts(call: Call, named: Mapping[str, Post], posts: Mapping[str, ArmPost]) -> None:
    """Check that the posts are those of the calendar.

    Raises:
        Rejection: POST_MISMATCH.
    """
    for arm, post in named.items():
        if post.post_id != posts[arm].post_id:
            message = f"{post.post_id} does not stand in arm {arm}; get_brief names the posts that are not withdrawn"
            call.reject("POST_MISMATCH", message, object=post.post_id)


def _check_lineage(call: Call, brief: Brief, given: Sequence[str]) -> None:
    """Check the lineage row by row (R4).

    Raises:
        Rejection: SOURCE_IDENTITIES, naming the failing row's brief, in wave 1 the campaign.
    """
    first = brief.wave == 1
    names = [brief.campaign_id] if first else [upstream for _, upstream in depends_on(call, brief)]
    known: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        found = call.world.sql(_CAMPAIGN, name, HISTORY_FROM) if first else call.world.sql(_RUN, name)
        known[name] = [post for (post,) in found]
    place = 0
    for number, name in enumerate(names, 1):
        right = known[name]
        end = len(given) if number == len(names) else place + len(right)
        if list(given[place:end]) != right:
            message = f"the part of the lineage for row {number}, {name}, is not its publications by (at, post), one"
            told = f"{message} entry for each, duplicates kept (R4)"
            call.reject("SOURCE_IDENTITIES", told, object=name, row=number)
        place = end
