"""Reporting what an experiment came to (R7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_socialops.gateway.answers import again, done, known_version, version_of_kind
from skillhorizon_socialops.gateway.arguments import BriefId, CreditRef, PlanRef, Rate, ReportRef, Winner
from skillhorizon_socialops.gateway.known import check_opened, known_brief
from skillhorizon_socialops.gateway.publishing import check_current
from skillhorizon_socialops.gateway.upstream import upstream_of
from skillhorizon_socialops.keys import BENCHMARK
from skillhorizon_socialops.rules import Outcome, Thresholds, outcome, winning_rate

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Brief


@operation(makes="rp:{brief_id}", again=again)
def submit_report(
    call: Call,
    brief_id: BriefId,
    credit: CreditRef,
    plan: PlanRef,
    rate_a_ppm: Rate,
    rate_b_ppm: Rate,
    lift_bp: int,
    winner: Winner,
    benchmark: ReportRef | None = None,
) -> dict[str, Json]:
    """Report rates, lift and winner of a brief; `benchmark` is the current report of its benchmark row, if any."""
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    credited = known_version(call, credit, f"cr:{brief_id}")
    planned = known_version(call, plan, f"ap:{brief_id}")
    compared = None if benchmark is None else version_of_kind(call, benchmark, "rp")
    if not credited.live:
        message = f"{credit} is {credited.ended_as}; record_credit by the feed's current version (R7)"
        call.reject("CREDIT_NOT_CURRENT", message, object=credit)
    _check_benchmark(call, brief, compared)
    _check_plan(call, brief, planned)
    told = {"rate_a_ppm": rate_a_ppm, "rate_b_ppm": rate_b_ppm, "lift_bp": lift_bp, "winner": winner}
    given = Outcome(rate_a_ppm, rate_b_ppm, lift_bp, winner)
    _check_outcome(call, given, _right(brief, credited, planned, compared))
    inputs = {"credit": credit, "plan": plan, **({} if benchmark is None else {"benchmark": benchmark})}
    made = call.ledger.produce(
        f"rp:{brief_id}",
        {"benchmark": None, **inputs, **told},
        cites={"credit": credit},
        mentions={role: ref for role, ref in inputs.items() if role != "credit"},
        aspects={"winner": winner},
        period=brief.wave,
    )
    return done(call, made.ref)


def _check_benchmark(call: Call, brief: Brief, given: Artifact | None) -> None:
    """Check that exactly the current report of the benchmark row is cited (R7).

    Raises:
        Rejection: BENCHMARK_NOT_CURRENT.
    """
    needed = next(iter(upstream_of(call, brief, BENCHMARK)), None)
    if needed is None and given is not None:
        message = f"{brief.brief_id} has no benchmark row; leave {given.ref} out (R7)"
        call.reject("BENCHMARK_NOT_CURRENT", message, object=given.ref)
    if needed is not None and (given is None or given.id != f"rp:{needed}" or not given.live):
        message = f"the benchmark of {brief.brief_id} is the current report of {needed}; cite it (R7)"
        call.reject("BENCHMARK_NOT_CURRENT", message, object=needed if given is None else given.ref)


def _check_plan(call: Call, brief: Brief, plan: Artifact) -> None:
    """Check that a plan is the current experiment's, and has not ended.

    Raises:
        Rejection: INPUT_STALE.
    """
    experiment = call.ledger.current(f"ex:{brief.brief_id}")
    if experiment is None or experiment.content["plan"] != plan.ref:
        message = (
            f"{plan.ref} is not the plan of the current experiment of {brief.brief_id}; cite the one that it binds"
        )
        call.reject("INPUT_STALE", message, object=plan.ref)
    check_current(call, plan)


def _right(brief: Brief, credit: Artifact, plan: Artifact, benchmark: Artifact | None) -> Outcome:
    """Return what the recorded credit and plan come to (R7)."""
    rate = None
    if benchmark is not None:
        said = benchmark.content
        ppm = winning_rate(said["rate_a_ppm"], said["rate_b_ppm"], said["winner"])
        rate = (ppm, brief.benchmark_bp or 0)
    conv = (credit.content["conv_a"], credit.content["conv_b"])
    arms = (plan.content["arm_a"], plan.content["arm_b"])
    return outcome(conv, arms, Thresholds(brief.min_conv, brief.min_lift_bp, rate))


def _check_outcome(call: Call, given: Outcome, right: Outcome) -> None:
    """Check a report's arithmetic (R7).

    Raises:
        Rejection: REPORT_ARITHMETIC.
    """
    for field in attrs.fields(Outcome):
        if getattr(given, field.name) != getattr(right, field.name):
            message = f"{field.name} does not follow from the credit, the plan and the brief's thresholds (R7)"
            call.reject("REPORT_ARITHMETIC", message, object=field.name)
