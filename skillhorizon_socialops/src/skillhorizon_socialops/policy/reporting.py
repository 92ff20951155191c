"""Reports: conversions credited, rates compared, the winner decided (R6, R7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_socialops.policy.memory import Report, brief_of
from skillhorizon_socialops.policy.reading import feed_of

if TYPE_CHECKING:
    from skillhorizon import Json
    from skillhorizon_socialops.policy.desk import Desk


def report(desk: Desk, brief: str) -> None:
    """Credit the conversions of a brief once its observation has ended, and report the winner.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when experiment, plan or benchmark is not current.
    """
    desk.wait(desk.observe_until(brief))
    credit(desk, brief)
    decide(desk, brief)


def credit(desk: Desk, brief: str) -> None:
    """Credit the conversions of a brief's feed (R6)."""
    experiment = desk.ref("ex", brief)
    version, events = feed_of(desk, brief)
    touched = sorted({post for event in events for post, _ in event[-1]})
    data: dict[str, Json] = {
        "arms": {**desk.arm_posts(brief)},
        "posts": {post: terms(desk, brief_of(post)) for post in touched},
        "observe_until": desk.observe_until(brief),
        "events": [*events],
    }
    found = desk.client.script("conversion-credit", "credit.py", data)
    desk.do("record_credit", brief_id=brief, experiment=experiment, feed_version=version, **found)
    desk.totals[brief] = [found["conv_a"], found["conv_b"]]


def terms(desk: Desk, brief: str) -> list[Json]:
    """Return [brief, window, priority] of the brief of a touched post."""
    read = desk.brief(brief)
    return [brief, read.window, read.priority]


def decide(desk: Desk, brief: str) -> None:
    """Report the winner of a credited experiment (R7)."""
    inputs: dict[str, Json] = {"credit": desk.ref("cr", brief), "plan": desk.ref("ap", brief)}
    data: dict[str, Json] = {
        "conv": [*desk.totals[brief]],
        "arms": [*desk.arms[brief]],
        "thresholds": {**desk.brief(brief).thresholds},
        "benchmark": None,
    }
    for before in desk.brief(brief).named("benchmark"):
        inputs["benchmark"] = desk.ref("rp", before)
        data["benchmark"] = [desk.report(before).rate_ppm, desk.brief(brief).benchmark_bp]
    found: dict[str, Any] = desk.client.script("report-and-deployment", "lift.py", data)
    desk.do("submit_report", brief_id=brief, **inputs, **found)
    rate = found["rate_b_ppm"] if found["winner"] == "test" else found["rate_a_ppm"]
    desk.reports[brief] = Report(found["winner"], rate)
