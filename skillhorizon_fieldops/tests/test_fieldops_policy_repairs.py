"""The reference policy when something goes wrong: refusals, wrong diagnoses, work left for the sweep."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from fieldops_runs import finished
from fieldops_steps import MODERN, SMALL, traced

from skillhorizon import Sabotage, Step
from skillhorizon_fieldops.config import FieldConfig
from skillhorizon_fieldops.environment import environment
from skillhorizon_fieldops.policy.desk import Desk, shared_out

QUIET = FieldConfig("restoration", "radial", 9, 16_000, updates="none")
OPERATIONS = (
    "record_diagnosis reserve_parts assign_crew issue_isolation perform_work close_isolation settle_parts run_test "
    "certify_tests commission_service close_wave post_account accept_section accept_system"
)


@pytest.mark.parametrize("tool", OPERATIONS.split())
def test_a_step_refused_at_any_operation_goes_on_from_what_is_done(tool: str) -> None:
    counted = iter(range(1_000))

    def refuse(name: str, arguments: dict[str, Any]) -> bool:
        return name == tool and next(counted) in (0, 3, 5)

    trace = traced(MODERN, 1, refuse=refuse, retries=3)
    assert next(counted) > 0
    assert not trace.run.unmet()


def test_a_run_with_every_seventh_operation_refused_comes_to_the_same_end() -> None:
    counted = iter(range(10_000))
    operations = {tool.name for tool in environment.tools if tool.kind == "operation"}
    trace = traced(MODERN, 1, refuse=lambda name, arguments: name in operations and next(counted) % 7 == 6, retries=12)
    assert not trace.run.unmet()


def test_a_permit_without_all_points_is_closed_and_issued_again() -> None:
    once = iter([True])

    def rewrite(tool: str, said: dict[str, Any]) -> dict[str, Any]:
        forgetful = tool == "issue_isolation" and said["points"] and next(once, False)
        return {**said, "points": said["points"][1:]} if forgetful else said

    trace = traced(QUIET, 1, rewrite=rewrite, retries=1)
    assert not trace.run.unmet()
    assert sum("energy_present" in record.observation for record in trace.run.records) == 1


def test_wrong_first_diagnoses_are_found_by_their_tests_and_repaired() -> None:
    facts = traced(QUIET, 1).run.plan.facts
    idle = {(card.model, card.fault) for card in facts.cards if card.family is None}
    model = {manual.edition: manual.model for manual in facts.manuals}
    other = {rule.edition: rule.fault for rule in facts.rules if (model[rule.edition], rule.fault) in idle}
    misread: set[str] = set()

    def script(name: str, data: Any, output: Any) -> Any:
        if name == "diagnose.py":
            for entry in output["entries"]:
                fault = other.get(entry["edition"], entry["fault"])
                if len(misread) < 3 and entry["device"] not in misread and fault != entry["fault"]:
                    misread.add(entry["device"])
                    entry["fault"] = fault
        return output

    run = finished(QUIET, 1, Sabotage(script=script))
    present = sum(record.observation.count('"present"') for record in run.records if record.tool == "run_test")
    assert present == len(misread) == 3
    assert not run.unmet()


def test_a_zone_left_out_is_done_in_the_sweep() -> None:
    zone = traced(QUIET, 1).run.plan.facts.zones[0].zone
    once = iter([True])

    def skip(step: Step) -> bool:
        return step.module == f"access:{zone}" and next(once, False)

    trace = traced(QUIET, 1, skip=skip)
    closed = [said["wave"] for step in trace.steps for name, said in step.calls if name == "close_wave"]
    assert closed == [1, 2, 3, 4]
    assert not trace.run.unmet()


def test_steps_of_a_wave_that_was_not_planned_are_not_offered() -> None:
    trace = traced(SMALL, 1, skip=lambda step: step.module == "plan:2")
    worked = {step.module for step in trace.steps if step.module.startswith("access:")}
    late = {f"access:{zone.zone}" for zone in trace.run.plan.facts.zones if zone.wave == 2}
    assert not worked & late
    assert f"close:{3}" in {step.module for step in trace.steps}


def test_nothing_is_planned_behind_a_wave_that_does_not_close() -> None:
    trace = traced(SMALL, 1, skip=lambda step: step.module == "close:1")
    assert "plan:2" not in {step.module for step in trace.steps}
    assert [step.refused for step in trace.steps if step.module == "accept"] == [True]


@attrs.define
class FakeClient:
    """Answers one operation with more stale versions than it lists, and the list of artifacts with all of them."""

    answer: dict[str, Any]
    stale: list[str]
    asked: list[str] = attrs.field(factory=list)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        self.asked.append(tool)
        if tool != "list_artifacts":
            return self.answer
        return {"columns": ["artifact", "validity"], "rows": [[ref, "stale"] for ref in self.stale], "next": None}


def test_an_answer_with_more_stale_versions_than_it_lists_has_the_artifacts_listed() -> None:
    answer = {"made": ["COM:s9@2"], "stale": ["TST:d1@1"], "stale_count": 2, "notices": []}
    client = FakeClient(answer, ["CRT:d1@1", "TST:d1@1", "TST:d2@1"])
    desk = Desk(client)  # type: ignore[arg-type]  # it needs no more of a client here
    desk.current["TST"] = {"d1": "TST:d1@1", "d2": "TST:d2@2"}
    desk.current["CRT"] = {"d1": "CRT:d1@1"}
    desk.do("commission_service")
    assert client.asked == ["commission_service", "list_artifacts"]
    assert desk.current["TST"] == {"d2": "TST:d2@2"}
    assert not desk.current["CRT"]
    assert desk.current["COM"] == {"s9": "COM:s9@2"}


def test_two_notices_of_one_answer_share_what_it_ended() -> None:
    window = {"id": "N-01", "kind": "window_change", "zone": "Z1", "wave": 1}
    crew = {"id": "N-02", "kind": "crew_change", "crew": "C1", "wave": 1}
    ended = [("BKG", "Z1.edge", "BKG:Z1.edge@1"), ("BKG", "Z2.edge", "BKG:Z2.edge@1")]
    for order in ([window, crew], [crew, window]):
        shared = {news.notice["id"]: [subject for _, subject, _ in news.ended] for news in shared_out(order, ended)}
        assert shared == {"N-01": ["Z1.edge"], "N-02": ["Z2.edge"]}
