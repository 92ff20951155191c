"""Planning the audience of a brief (R3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import Call, Json, operation
from skillhorizon_socialops.gateway.answers import again, done, version_of_kind
from skillhorizon_socialops.gateway.arguments import BriefId, Credits, OwnAudiences, Users
from skillhorizon_socialops.gateway.known import arms_of, check_opened, known_audiences, known_brief
from skillhorizon_socialops.gateway.upstream import upstream_of
from skillhorizon_socialops.keys import PUBLISHED, SUPPRESS
from skillhorizon_socialops.rows import AudienceOverlap
from skillhorizon_socialops.rules import Split, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from skillhorizon import Artifact
    from skillhorizon_socialops.rows import Audience, Brief


@operation(makes="ap:{brief_id}", again=again)
def plan_audience(
    call: Call,
    brief_id: BriefId,
    audiences: OwnAudiences,
    suppress_from: Credits,
    eligible: Users,
    holdout: Users,
    arm_a: Users,
    arm_b: Users,
) -> dict[str, Json]:
    """Size the holdout and both arms of a brief, its suppress rows' conversions left out."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    sized = known_audiences(call, audiences)
    given = [version_of_kind(call, ref, "cr") for ref in suppress_from]
    _check_unpublished(call, brief)
    _check_credits(call, given, upstream_of(call, brief, SUPPRESS))
    if audiences != brief.audiences:
        message = f"the audiences of {brief_id} are its own two, ascending, as get_brief names them (R3)"
        call.reject("PLAN_ARITHMETIC", message, object="audiences")
    numbers = {"eligible": eligible, "holdout": holdout, "arm_a": arm_a, "arm_b": arm_b}
    _check_numbers(call, brief, (sized, given), Split(**numbers))
    made = call.ledger.produce(
        f"ap:{brief_id}",
        {"audiences": audiences, "suppress_from": suppress_from, **numbers},
        cites={"suppress": suppress_from},
        period=brief.wave,
    )
    return done(call, made.ref)


def _check_unpublished(call: Call, brief: Brief) -> None:
    """Check that no arm is published.

    Raises:
        Rejection: ALREADY_RUN.
    """
    for post in arms_of(call, brief).values():
        if post.status == PUBLISHED:
            message = f"{post.post_id} is published, so the plan of {brief.brief_id} stands"
            call.reject("ALREADY_RUN", message, object=post.post_id)


def _check_credits(call: Call, given: Sequence[Artifact], upstream: Sequence[str]) -> None:
    """Check that exactly the current credits of the suppress rows are cited, in row order.

    Raises:
        Rejection: CREDIT_NOT_CURRENT.
    """
    for number, name in enumerate(upstream):
        if number >= len(given) or given[number].id != f"cr:{name}" or not given[number].live:
            message = f"suppress row {number + 1} takes the current credit of {name}, which is not cited in its place"
            call.reject("CREDIT_NOT_CURRENT", f"{message} (R3)", object=name)
    if len(given) > len(upstream):
        extra = given[len(upstream)].ref
        message = f"{extra} is one too many; cite one credit for each suppress row (R3)"
        call.reject("CREDIT_NOT_CURRENT", message, object=extra)


def _check_numbers(
    call: Call, brief: Brief, inputs: tuple[Sequence[Audience], Sequence[Artifact]], given: Split
) -> None:
    """Check a plan's arithmetic (R3).

    Raises:
        Rejection: PLAN_ARITHMETIC.
    """
    audiences, suppress = inputs
    taken = call.world.built(AudienceOverlap, *brief.audiences).users
    taken += sum(each.content["conv_a"] + each.content["conv_b"] for each in suppress)
    right = split([(each.size, each.lapsed_bp) for each in audiences], taken, brief.holdout_bp, brief.split_bp)
    for field in attrs.fields(Split):
        if getattr(given, field.name) != getattr(right, field.name):
            message = f"{field.name} of {brief.brief_id} does not follow from its audiences, credits and shares (R3)"
            call.reject("PLAN_ARITHMETIC", message, object=field.name)
