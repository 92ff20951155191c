"""The reference policy when something goes wrong: refusals, skipped steps, posts that were missed."""

from __future__ import annotations

from typing import Any

import pytest
from socialops_runs import COOLDOWN, MIXED, OVERLAPPING, begun, finished, traced

from skillhorizon import Sabotage, Skipped, Step
from skillhorizon.session.client import SessionClient
from skillhorizon.session.session import Nowhere
from skillhorizon_socialops.environment import environment
from skillhorizon_socialops.policy.desk import Desk
from skillhorizon_socialops.policy.memory import Post

OPERATIONS = (
    "build_package plan_audience register_experiment publish_post record_credit submit_report deploy_campaign "
    "release_post acknowledge_update close_wave advance_clock"
)


@pytest.mark.parametrize("tool", OPERATIONS.split())
def test_a_step_refused_at_any_operation_goes_on_from_what_is_done(tool: str) -> None:
    counted = iter(range(1_000))

    def refuse(name: str, arguments: dict[str, Any]) -> bool:
        return name == tool and next(counted) in (0, 3, 5)

    trace = traced(COOLDOWN, 1, refuse=refuse, retries=3)
    assert next(counted) > 0
    assert not trace.run.unmet()


def test_a_run_with_every_seventh_operation_refused_comes_to_the_same_end() -> None:
    counted = iter(range(10_000))
    named = {tool.name for tool in environment.tools if tool.kind == "operation"}
    trace = traced(COOLDOWN, 1, refuse=lambda name, arguments: name in named and next(counted) % 7 == 6, retries=12)
    assert not trace.run.unmet()


def blind(step: Step) -> bool:
    return bool(step.update)


def test_an_agent_that_ignores_notices_stops_at_the_wave_that_they_keep_open() -> None:
    trace = traced(MIXED, 1, skip=blind)
    closed = [step.module for step in trace.steps if step.module.startswith("close:") and not step.refused]
    assert closed == ["close:1"]
    assert "D1" in trace.run.unmet()


def test_a_brief_without_its_arm_loses_itself_and_what_its_wave_opens() -> None:
    trace = traced(OVERLAPPING, 1, skip=lambda step: step.module == "experiment:b-01-01")
    unmet = trace.run.unmet()
    first = {f"brief:{b.brief_id}" for b in trace.run.plan.facts.briefs if b.wave == 1}
    assert first & unmet.keys() == {"brief:b-01-01"}
    assert {"D2", "D5"} <= unmet.keys()


def test_a_close_that_is_left_out_ends_the_agenda() -> None:
    trace = traced(OVERLAPPING, 1, skip=lambda step: step.module == "close:2")
    assert not [step for step in trace.steps if step.module.split(":")[1].startswith("b-03")]


def test_a_step_whose_input_is_missing_is_skipped_by_name() -> None:
    desk = Desk(SessionClient(begun(OVERLAPPING, 1).session(Nowhere())))
    with pytest.raises(Skipped, match="rp:b-01-00 is not current"):
        desk.report("b-01-00")
    with pytest.raises(Skipped, match="package of arm b of brief 'b-01-00'"):
        desk.package("b-01-00", "b")


def test_a_missed_post_leaves_the_calendar() -> None:
    desk = Desk(SessionClient(begun(OVERLAPPING, 1).session(Nowhere())))
    desk.look()
    desk.read_wave(1)
    due = desk.posts["p-01-00-a"].due_at
    desk.wait(due + 60)
    assert not desk.scheduled("p-01-00-a")
    assert desk.posts["p-01-00-a"].status == "missed"


def test_a_post_that_was_never_read_is_left_alone() -> None:
    desk = Desk(SessionClient(begun(OVERLAPPING, 1).session(Nowhere())))
    desk.mark("p-01-00-a", "missed")
    assert not desk.posts
    desk.note(Post("p-01-00-a", 120, 150, "scheduled"))
    assert desk.scheduled("p-01-00-a")


def test_a_wrong_script_is_not_corrected_by_the_policy() -> None:
    def script(name: str, data: Any, output: Any) -> Any:
        return {**output, "sources": sorted({*output["sources"]})} if name == "decayed_load.py" else output

    run = finished(OVERLAPPING, 1, Sabotage(script=script))
    assert any('"SOURCE_IDENTITIES"' in record.observation for record in run.records)
    assert run.unmet()
