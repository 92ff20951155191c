"""Publishing scheduled posts: the arms of experiments here, deployments in `deploying` (R5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_socialops.gateway.answers import done, known_version, package_id, stands
from skillhorizon_socialops.gateway.arguments import BriefId, Loads, PackageRef, PostId, Sources
from skillhorizon_socialops.gateway.exposure import check_limits, check_loads, check_sources, seen
from skillhorizon_socialops.gateway.known import ARMS, check_opened, known_brief, known_post
from skillhorizon_socialops.keys import PUBLISHED, SCHEDULED
from skillhorizon_socialops.rows import Exposure, Post, Publication
from skillhorizon_socialops.rules import WINDOW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from skillhorizon_socialops.rows import Brief


@operation(makes="pb:{post_id}", repeat=False)
def publish_post(
    call: Call, brief_id: BriefId, post_id: PostId, package: PackageRef, sources: Sources, loads: Loads
) -> dict[str, Json]:
    """Publish an arm's scheduled post now, with its audiences' sources and decayed loads at this minute."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    post = known_post(call, brief, post_id, ARMS)
    used = known_version(call, package, package_id(brief, "a" if post.arm == "a" else "b"))
    standing = stands(call, f"pb:{post_id}") if post.status == PUBLISHED else None
    if standing is not None:
        return again_published(call, standing, post_id)
    check_window(call, post)
    experiment = _experiment_of(call, brief, post, used)
    made = publish(call, brief, post, used, sources, loads)
    call.ledger.freeze(experiment)
    return done(call, made.ref, at=call.world.clock)


def again_published(call: Call, standing: Sequence[str], post_id: str) -> dict[str, Json]:
    """Answer an equal submission of a post that is published."""
    made = call.ledger.last(f"pb:{post_id}")
    return done(call, *standing, at=None if made is None else made.content["at"])


def check_window(call: Call, post: Post) -> None:
    """Check that a post is scheduled and due, for less than an hour (R5).

    Raises:
        Rejection: POST_STATUS, DUE_TIME.
    """
    if post.status != SCHEDULED:
        call.reject("POST_STATUS", f"{post.post_id} is {post.status}, not scheduled (R5)", object=post.post_id)
    clock = call.world.clock
    if not post.due_at <= clock < post.due_at + WINDOW:
        last = post.due_at + WINDOW - 1
        message = f"it is minute {clock}; {post.post_id} may be published from {post.due_at} to {last} (R5)"
        call.reject("DUE_TIME", message, object=post.post_id)


def _experiment_of(call: Call, brief: Brief, post: Post, package: Artifact) -> Artifact:
    """Return the current experiment, whose package and post these must be (R5).

    Raises:
        Rejection: INPUT_STALE.
    """
    found = call.ledger.current(f"ex:{brief.brief_id}")
    if found is None:
        message = f"{brief.brief_id} has no current experiment; register_experiment first (R5)"
        call.reject("INPUT_STALE", message, object=f"ex:{brief.brief_id}")
    bound = found.content["control_package" if post.arm == "a" else "test_package"]
    if bound != package.ref:
        message = f"{package.ref} is not the package that {found.ref} binds for {post.post_id}; publish with {bound},"
        call.reject("INPUT_STALE", f"{message} or register again (R5)", object=package.ref)
    check_current(call, package)
    return found


def check_current(call: Call, artifact: Artifact) -> None:
    """Check that a version has not ended.

    Raises:
        Rejection: INPUT_STALE.
    """
    if not artifact.live:
        message = f"{artifact.ref} is {artifact.ended_as}; make {artifact.id} again, and cite its current version"
        call.reject("INPUT_STALE", message, object=artifact.ref)


def publish(
    call: Call, brief: Brief, post: Post, package: Artifact, sources: Sequence[str], loads: Mapping[str, int]
) -> Artifact:
    """Check sources, loads and limits, then publish a post (R5).

    No two posts of a channel are scheduled in one hour, as rescheduling sees to, and a window is an hour of the clock:
    so the channel's hour is free.

    Raises:
        Rejection: SOURCE_IDENTITIES, AUDIENCE_LOAD_NOT_CURRENT, COOLDOWN, AUDIENCE_CAP.
    """
    reached, clock = seen(call, brief), call.world.clock
    check_sources(call, reached, sources)
    check_loads(call, reached, loads)
    check_limits(call, reached, post)
    facts: dict[str, Json] = {"post": post.post_id, "at": clock, "due_at": post.due_at}
    made = call.ledger.produce(
        f"pb:{post.post_id}",
        {**facts, "sources": sources, "loads": loads, "package": package.ref},
        mentions={"package": package.ref},
        period=brief.wave,
    )
    run = Publication(post.post_id, made.version, clock, post.weight, call.index, post.channel_id)
    reach = [Exposure(name, clock, post.post_id, made.version, post.weight) for name in brief.audiences]
    call.world.insert(run, *reach)
    call.world.update(Post, post.post_id, status=PUBLISHED)
    return made
