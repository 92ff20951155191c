"""Recording the credit of an experiment (R6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Json, operation
from skillhorizon_socialops.feeds import feed_version
from skillhorizon_socialops.gateway.answers import again, done, known_version
from skillhorizon_socialops.gateway.arguments import BriefId, Count, ExperimentRef, Value, Version
from skillhorizon_socialops.gateway.conversions import REVEALS, count_shown
from skillhorizon_socialops.gateway.known import arms_of, check_opened, known_brief
from skillhorizon_socialops.gateway.publishing import check_current
from skillhorizon_socialops.keys import feed_key
from skillhorizon_socialops.rules import OBSERVED

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Brief


def observe_until(call: Call, brief: Brief) -> int:
    """Return the last minute at which conversions count: 840 minutes after the last arm is due (R6)."""
    return max(post.due_at for post in arms_of(call, brief).values()) + OBSERVED


@operation(makes="cr:{brief_id}", again=again, reveals=REVEALS)
def record_credit(
    call: Call,
    brief_id: BriefId,
    experiment: ExperimentRef,
    feed_version: Version,
    conv_a: Count,
    conv_b: Count,
    value_a: Value,
    value_b: Value,
) -> dict[str, Json]:
    """Record the orders and the value that each arm is credited with, by a version of the brief's feed."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    ran = known_version(call, experiment, f"ex:{brief_id}")
    check_current(call, ran)
    _check_observed(call, brief)
    _check_feed(call, brief, feed_version)
    events = count_shown(call, brief, conv_a + conv_b)
    if conv_a + conv_b > events:
        message = f"conv_a and conv_b add up to {conv_a + conv_b}, and the feed shows {events} events (R6)"
        call.reject("COUNT_RANGE", message, object="conv_a" if conv_a > events else "conv_b")
    counts: dict[str, Json] = {"conv_a": conv_a, "conv_b": conv_b, "value_a": value_a, "value_b": value_b}
    made = call.ledger.produce(
        f"cr:{brief_id}",
        {"experiment": experiment, "feed_version": feed_version, **counts},
        cites={"feed": (feed_key(brief_id), str(feed_version))},
        mentions={"experiment": experiment},
        period=brief.wave,
    )
    return done(call, made.ref)


def _check_observed(call: Call, brief: Brief) -> None:
    """Check that the observation is over (R6).

    Raises:
        Rejection: OBSERVATION_OPEN.
    """
    until = observe_until(call, brief)
    if call.world.clock < until:
        message = f"it is minute {call.world.clock}; conversions of {brief.brief_id} are observed until {until} (R6)"
        call.reject("OBSERVATION_OPEN", message, object=brief.brief_id)


def _check_feed(call: Call, brief: Brief, given: int) -> None:
    """Check that the version of the feed is the current one (R6).

    Raises:
        Rejection: FEED_NOT_CURRENT.
    """
    if given != feed_version(call.world, brief.brief_id):
        message = f"version {given} is not the current one of the feed of {brief.brief_id}; read list_conversions again"
        call.reject("FEED_NOT_CURRENT", f"{message} (R6)", object=brief.brief_id)
