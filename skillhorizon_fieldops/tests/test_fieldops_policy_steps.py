"""The reference policy on small tasks: what it calls, in which order, and what notices make it do."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial

import pytest
from fieldops_steps import MIDDLE, MODERN, SMALL, Trace, traced

from skillhorizon import digest
from skillhorizon_fieldops.config import FieldConfig

CELLS = [(family, variant) for family in ("restoration", "modernisation") for variant in ("radial", "ring", "layered")]
ACCESS = ["isolation_points.py", "issue_isolation", "perform_work", "close_isolation"]
MANY = FieldConfig("modernisation", "ring", 10, 17_000, updates="more")
CASE = ["run_test", "evaluate_test.py", "certify_tests"]


@cache
def reference(config: FieldConfig, seed: int) -> Trace:
    return traced(config, seed)


def modules(trace: Trace) -> list[str]:
    return [step.module for step in trace.steps]


@pytest.mark.parametrize(("family", "variant"), CELLS)
@pytest.mark.parametrize("updates", ["none", "default", "more"])
def test_the_reference_meets_everything_in_every_cell(family: str, variant: str, updates: str) -> None:
    trace = traced(FieldConfig(family, variant, 6, 10_500, updates=updates), 3)
    assert not trace.run.unmet()
    assert not [step for step in trace.steps if step.refused]
    assert len(trace.notices) == len(trace.run.plan.updates)


def test_every_module_has_a_step_and_every_step_a_module() -> None:
    trace = reference(MODERN, 1)
    assert {*modules(trace)} == {module.id for module in trace.run.plan.graph.modules}


def test_waves_are_planned_worked_and_closed_in_turn_and_accepted_at_the_end() -> None:
    order = [each for each in modules(reference(SMALL, 1)) if each.split(":")[0] in ("plan", "close", "accept")]
    assert order == ["plan:1", "close:1", "plan:2", "close:2", "plan:3", "close:3", "accept"]


def test_a_plan_diagnoses_reserves_and_books_twelve_at_a_time() -> None:
    trace = traced(FieldConfig("restoration", "radial", 40, 16_000, updates="none"), 1)
    plan = next(step for step in trace.steps if step.module == "plan:1")
    devices = len(trace.run.world.sql("SELECT 1 FROM device WHERE wave = 1"))
    counted = Counter(plan.tools)
    assert devices > 12
    assert counted["diagnose.py"] == counted["record_diagnosis"] == -(-devices // 12)
    assert counted["select_parts.py"] == counted["reserve_parts"]
    assert counted["assign_crew"] == devices
    assert counted["crew_minutes.py"] == -(-devices // 12)
    most = max(len(said.get("entries") or said.get("lines") or ()) for _, said in plan.calls)
    assert most == 12


def test_an_access_isolates_works_and_hands_back() -> None:
    trace = traced(FieldConfig("restoration", "radial", 6, 10_500, updates="none"), 1)
    for step in trace.steps:
        if step.module.startswith("access:"):
            assert step.tools == ACCESS


def test_a_zone_of_several_devices_is_worked_under_one_permit() -> None:
    trace = reference(MODERN, 1)
    most = max(step.tools.count("perform_work") for step in trace.steps)
    assert most > 1
    assert all(step.tools.count("issue_isolation") <= 1 for step in trace.steps if step.module.startswith("access:"))


def test_a_case_is_tested_and_certified_and_a_poor_first_work_reseated_in_block_l() -> None:
    trace = traced(FieldConfig("restoration", "ring", 12, 16_000, updates="none"), 2)
    cases = [step for step in trace.steps if step.module.startswith("case:")]
    reseated = [step for step in cases if "perform_work" in step.tools]
    assert {step.module.removeprefix("case:") for step in reseated} == set(trace.run.plan.truth.infants)
    for step in reseated:
        crews = ["list_crews"] * step.tools.count("list_crews")
        settling = ["settle.py", "settle_parts"] * step.tools.count("settle.py")
        procedure = ["get_procedure"] * step.tools.count("get_procedure")
        assert sorted(step.tools) == sorted(
            [*CASE, *CASE, *settling, *procedure, *crews, "crew_minutes.py", "assign_crew", *ACCESS]
        )
        work = next(said for name, said in step.calls if name == "perform_work")
        permit = next(said for name, said in step.calls if name == "issue_isolation")
        assert work["cause"].startswith("CRT:")
        assert "reservation" not in work
        assert permit["block"] == "L"


def test_no_device_is_tested_before_those_above_it_are_certified() -> None:
    trace = reference(MIDDLE, 1)
    certified: set[str] = set()
    for step in trace.steps:
        for name, said in step.calls:
            if name == "run_test" and not step.update:
                assert certified >= set(trace.run.plan.truth.upstream[said["device"]])
            if name == "certify_tests":
                certified |= {entry["device"] for entry in said["entries"] if entry["verdict"] == "pass"}


def test_a_service_takes_a_script_and_a_call() -> None:
    trace = reference(SMALL, 1)
    for step in trace.steps:
        if step.module.startswith("service:"):
            assert step.tools == ["commission.py", "commission_service"]


def test_preferred_modules_come_first() -> None:
    plain = [each for each in modules(reference(SMALL, 1)) if each.startswith("access:")]
    last = plain[1] if plain[1] != max(plain[:2]) else plain[0]
    turned = traced(SMALL, 1, prefer=lambda module: int(module == last))
    assert [each for each in modules(turned) if each.startswith("access:")] != plain
    assert not turned.run.unmet()


def test_no_step_comes_more_than_three_times_under_one_cause() -> None:
    for trace in (reference(SMALL, 1), reference(MODERN, 1), reference(MIDDLE, 1)):
        assert max(Counter((step.module, step.update) for step in trace.steps).values()) <= 3


def many(kind: str) -> list[tuple[Trace, list[str]]]:
    """Traces with the tools of the steps that notices of a kind asked for."""
    traces = [reference(MIDDLE, 1), reference(MODERN, 1), reference(MANY, 2)]
    return [(trace, [tool for step in trace.under(kind) for tool in step.tools]) for trace in traces]


@pytest.mark.parametrize("kind", ["window_change", "crew_change"])
def test_withdrawn_windows_and_crews_are_answered_by_booking_again_alone(kind: str) -> None:
    found = [(trace, tools) for trace, tools in many(kind) if tools]
    assert found
    for trace, tools in found:
        assert set(tools) <= {"list_crews", "crew_minutes.py", "assign_crew"}
        assert all(step.module.startswith("access:") for step in trace.under(kind))


def test_a_recalled_part_is_replaced_from_another_batch_then_tested_and_certified() -> None:
    found = [trace for trace, tools in many("batch_recall") if tools]
    assert found
    for trace in found:
        steps = trace.under("batch_recall")
        replaced = [step for step in steps if "reserve_parts" in step.tools]
        assert replaced
        assert steps[: len(replaced)] == replaced
        assert not any("run_test" in step.tools for step in replaced)
        recalled = {notice["batch"] for notice in trace.notices.values() if notice["kind"] == "batch_recall"}
        chosen = {
            line["batch"]
            for s in replaced
            for name, said in s.calls
            if name == "reserve_parts"
            for line in said["lines"]
        }
        assert not chosen & recalled


def test_a_changed_demand_is_answered_by_commissioning_again_without_work() -> None:
    found = [trace for trace, tools in many("service_baseline") if tools]
    assert found
    for trace in found:
        for step in trace.under("service_baseline"):
            assert set(step.tools) <= {*CASE, "commission.py", "commission_service"}
        for notice in trace.notices.values():
            if notice["kind"] == "service_baseline":
                again = [step.module for step in trace.steps if step.update == notice["id"]]
                assert again[0] == f"service:{notice['service']}"


def test_a_revised_procedure_is_answered_by_certifying_the_same_samples() -> None:
    found = [trace for trace, tools in many("procedure_revision") if tools]
    assert found
    for trace in found:
        for step in trace.under("procedure_revision"):
            assert [tool for tool in step.tools if tool != "get_procedure"] == CASE[1:]
            (entry,) = next(said["entries"] for name, said in step.calls if name == "certify_tests")
            assert entry["edition"] > 1


def test_each_notice_is_assessed_once() -> None:
    trace = reference(MODERN, 1)
    scripts = [r for r in trace.run.records if r.tool == "run_skill_script" and '"impact.py"' in r.arguments_text]
    assert len(scripts) == len(trace.notices) > 0


def test_other_ranks_fire_every_update_and_meet_everything() -> None:
    for number in range(3):
        trace = traced(MODERN, 1, prefer=partial(rank_of, number))
        assert not trace.run.unmet()
        assert len(trace.notices) == len(trace.run.plan.updates)


def rank_of(number: int, module: str) -> int:
    return int(digest([module, number])[:8], 16)


def test_the_policy_reads_the_brief_first() -> None:
    assert reference(SMALL, 1).run.records[0].tool == "get_brief"
