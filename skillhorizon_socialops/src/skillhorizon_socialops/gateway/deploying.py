"""Deploying the winner, and releasing corrective posts that are not needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_socialops.gateway.answers import done, known_version, not_found, package_id, stands
from skillhorizon_socialops.gateway.arguments import BriefId, Loads, PackageRef, PostId, ReportRef, Sources
from skillhorizon_socialops.gateway.known import CORRECTIVE, DEPLOYMENTS, check_opened, known_brief, known_post
from skillhorizon_socialops.gateway.publishing import again_published, check_current, check_window, publish
from skillhorizon_socialops.keys import MISSED, PUBLISHED, RELEASED, SCHEDULED, run_key, winner_key
from skillhorizon_socialops.rows import Post, Release, Rerun

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Brief

_ARM_OF = {"control": "a", "test": "b"}


@operation(makes=("pb:{post_id}", "dp:{brief_id}"), repeat=False)
def deploy_campaign(
    call: Call,
    brief_id: BriefId,
    post_id: PostId,
    report: ReportRef,
    package: PackageRef,
    sources: Sources,
    loads: Loads,
) -> dict[str, Json]:
    """Publish a brief's d-post or c-post now, with the package of the current report's winner."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    post = known_post(call, brief, post_id, DEPLOYMENTS)
    judged = known_version(call, report, f"rp:{brief_id}")
    used = _own_package(call, brief, package)
    standing = stands(call, f"pb:{post_id}", f"dp:{brief_id}") if post.status == PUBLISHED else None
    if standing is not None:
        return again_published(call, standing, post_id)
    check_current(call, judged)
    _check_winner(call, judged, used)
    _check_needed(call, brief, post)
    check_window(call, post)
    check_current(call, used)
    made = publish(call, brief, post, used, sources, loads)
    deployed = _deploy(call, brief, {"publication": made.ref, "report": report, "package": package})
    return done(call, made.ref, deployed.ref, at=call.world.clock)


def _own_package(call: Call, brief: Brief, ref: str) -> Artifact:
    """Return a version of one of the brief's two packages.

    Raises:
        Rejection: NOT_FOUND.
    """
    found = call.ledger.named(ref)
    if found is None or found.id not in (package_id(brief, "a"), package_id(brief, "b")):
        not_found(
            call, f"package of {brief.brief_id}", ref, f"name a version of {package_id(brief, 'a')} or of arm b's"
        )
    return found


def _check_winner(call: Call, report: Artifact, package: Artifact) -> None:
    """Check that a package is the winner's.

    Raises:
        Rejection: PACKAGE_MISMATCH.
    """
    winner = report.content["winner"]
    if package.parts[-1] != _ARM_OF[winner]:
        message = f"{report.ref} names {winner} the winner, and {package.ref} is the other arm's package"
        call.reject("PACKAGE_MISMATCH", f"{message}; deploy arm {_ARM_OF[winner]}'s", object=package.ref)


def _check_needed(call: Call, brief: Brief, post: Post) -> None:
    """Check that a corrective post replaces a deployment that has ended.

    Raises:
        Rejection: DEPLOYMENT_VALID.
    """
    standing = call.ledger.current(f"dp:{brief.brief_id}") if post.arm == CORRECTIVE else None
    if standing is not None:
        message = f"{standing.ref} is current, so {post.post_id} is not needed; release_post it on a current report"
        call.reject("DEPLOYMENT_VALID", message, object=standing.ref)


def _deploy(call: Call, brief: Brief, inputs: dict[str, str]) -> Artifact:
    ordered = call.world.built(Rerun, brief.brief_id).ordered
    return call.ledger.produce(
        f"dp:{brief.brief_id}",
        inputs,
        cites={"winner": winner_key(brief.brief_id), "run": (run_key(brief.brief_id), str(ordered))},
        mentions=inputs,
        period=brief.wave,
    )


@operation(makes="release:{post_id}", repeat=False)
def release_post(call: Call, brief_id: BriefId, post_id: PostId) -> dict[str, Json]:
    """Release a brief's corrective post, since its report and its deployment are current."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    post = known_post(call, brief, post_id, (CORRECTIVE,))
    report, deployment = call.ledger.current(f"rp:{brief_id}"), call.ledger.current(f"dp:{brief_id}")
    if post.status not in (SCHEDULED, MISSED):
        message = f"{post_id} is {post.status}; only a scheduled or missed corrective post is released"
        call.reject("RELEASE_UNJUSTIFIED", message, object=post_id)
    if report is None or deployment is None:
        lacking = f"{'rp' if report is None else 'dp'}:{brief_id}"
        message = f"{lacking} has no current version; a corrective post is released on a current report and deployment"
        call.reject("RELEASE_UNJUSTIFIED", message, object=lacking)
    call.world.update(Post, post_id, status=RELEASED)
    call.world.insert(Release(post_id, report.ref, call.index))
    return done(call, report=report.ref)
