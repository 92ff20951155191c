"""The reference policy on small tasks: what it calls, in which order, and what notices make it do."""

from __future__ import annotations

from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest
from socialops_runs import COOLDOWN, MIXED, OVERLAPPING, SMALLEST, Trace, finished, traced

from skillhorizon import Sabotage, digest
from skillhorizon_socialops.config import PATTERNS, SCENARIOS, UPDATES, SocialConfig

if TYPE_CHECKING:
    from skillhorizon import Client
    from skillhorizon.testing import Took

CELLS = [(scenario, pattern) for scenario in SCENARIOS for pattern in PATTERNS]
AUDIT = ["get_audiences", "list_publications", "decayed_load.py", "due_check.py"]
KINDS = ["conversion_correction", "rerun_order", "calendar_substitution", "retention_change", "rights_withdrawal"]


@cache
def reference(config: SocialConfig, seed: int) -> Trace:
    return traced(config, seed)


def many() -> list[Trace]:
    configs = (OVERLAPPING, MIXED, COOLDOWN)
    return [reference(config, seed) for config in configs for seed in (1, 2)]


def operations(step: Took) -> list[str]:
    """The tools of a step without reading the calendar and other queries."""
    return [name for name in step.tools if not name.startswith(("get_", "list_"))]


@pytest.mark.parametrize(("scenario", "pattern"), CELLS)
@pytest.mark.parametrize("updates", UPDATES)
def test_the_reference_meets_everything_in_every_cell(scenario: str, pattern: str, updates: str) -> None:
    trace = traced(SocialConfig(scenario, pattern, 8, updates=updates), 3)
    assert not trace.run.unmet()
    assert not [step for step in trace.steps if step.refused]
    assert len(trace.notices) == len(trace.run.plan.updates)


def test_every_module_has_a_step_and_every_step_a_module() -> None:
    for trace in many():
        assert {step.module for step in trace.steps} == {module.id for module in trace.run.plan.graph.modules}


def test_no_step_comes_more_than_three_times_under_one_cause() -> None:
    for trace in many():
        assert max(Counter((step.module, step.update) for step in trace.steps).values()) <= 3


def test_waves_are_worked_in_turn() -> None:
    trace = reference(OVERLAPPING, 1)
    waves = [
        int(step.module.split(":")[1].split("-")[1]) for step in trace.steps if ":b-" in step.module and not step.update
    ]
    assert waves == sorted(waves)
    closed = [step.module for step in trace.steps if step.module.startswith("close:")]
    assert closed == [f"close:{wave}" for wave in range(1, trace.run.plan.waves + 1)]


def test_a_brief_is_filled_sized_registered_published_reported_and_deployed() -> None:
    trace = traced(SocialConfig("overlapping_conversions", "relay", 5, updates="none"), 1)
    for brief in trace.run.plan.facts.briefs:
        mine = [step for step in trace.steps if step.module.endswith(f":{brief.brief_id}")]
        kinds = [step.module.split(":")[0] for step in mine]
        assert kinds == ["content", "audience", "experiment", "experiment", "experiment", "report", "deploy"]
        content, audience, register, a, b, report, deploy = map(operations, mine)
        assert content == ["build_package", "pick_asset.py", "pick_asset.py", "build_package"]
        assert audience == ["plan.py", "plan_audience"]
        assert register == ["lineage.py", "register_experiment"]
        for published, name in ((a, "publish_post"), (b, "publish_post"), (deploy, "deploy_campaign")):
            assert published == ["advance_clock", "decayed_load.py", "due_check.py", name]
        assert report[-4:] == ["credit.py", "record_credit", "lift.py", "submit_report"]


def test_sources_and_loads_are_read_at_the_minute_of_publishing() -> None:
    for trace in many():
        for step in trace.steps:
            for number, name in enumerate(step.tools):
                if name in ("publish_post", "deploy_campaign"):
                    assert step.tools[number - 4 : number] == AUDIT


def test_the_first_arms_of_later_waves_wait_for_the_cooldown_of_house_posts() -> None:
    trace = reference(COOLDOWN, 1)
    waited = {
        said["post_id"] for step in trace.steps if step.tools.count("due_check.py") > 1 for said in published(step)
    }
    assert {f"p-{wave:02}-00-a" for wave in range(2, trace.run.plan.waves + 1)} <= waited
    assert not [post for post in waited if "-00-" not in post]


def published(step: Took) -> list[dict[str, Any]]:
    return [said for name, said in step.calls if name in ("publish_post", "deploy_campaign")]


def test_preferred_modules_are_prepared_first() -> None:
    trace = traced(OVERLAPPING, 1, prefer=lambda module: int(module != "content:b-01-02"))
    assert trace.steps[0].module == "content:b-01-02"
    assert not trace.run.unmet()


def test_other_ranks_fire_every_update_and_meet_everything() -> None:
    for config in (SMALLEST, MIXED):
        for number in range(3):
            trace = traced(config, 1, prefer=partial(rank_of, number))
            assert not trace.run.unmet()
            assert len(trace.notices) == len(trace.run.plan.updates)


def rank_of(number: int, module: str) -> int:
    return int(digest([module, number])[:8], 16)


def test_a_post_that_was_moved_is_published_when_it_is_due_then() -> None:
    def move(client: Client, tool: str, said: dict[str, Any]) -> None:
        if tool == "register_experiment" and said["brief_id"] == "b-01-00":
            client.call("reschedule_post", brief_id="b-01-00", post_id="p-01-00-b", due_at=20 * 60)

    run = finished(OVERLAPPING, 1, Sabotage(after=move))
    assert [record for record in run.records if record.tool == "reschedule_post" and record.outcome == "accepted"]
    assert not run.unmet()


def test_a_clock_that_ran_on_is_taken_as_it_is() -> None:
    def later(tool: str, said: dict[str, Any]) -> dict[str, Any]:
        return {"to_minute": said["to_minute"] + 40} if tool == "advance_clock" and not said["to_minute"] % 60 else said

    assert not finished(COOLDOWN, 1, Sabotage(arguments=later)).unmet()


def test_each_notice_is_scoped_and_acknowledged_once() -> None:
    for trace in many():
        counted = Counter(name for step in trace.steps for name in step.tools)
        assert counted["impact.py"] == counted["acknowledge_update"] == len(trace.notices)


def under(kind: str) -> list[tuple[Trace, str, list[Took]]]:
    """The steps that each notice of a kind asked for."""
    return [
        (trace, notice["id"], [step for step in trace.steps if step.update == notice["id"]])
        for trace in many()
        for notice in trace.notices.values()
        if notice["kind"] == kind
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_notice_is_met_in_the_sample(kind: str) -> None:
    assert under(kind)


def test_a_correction_is_credited_and_reported_and_its_post_deployed_or_released() -> None:
    ends = set()
    for trace, update, steps in under("conversion_correction"):
        brief = trace.notices[update]["brief"]
        assert [step.module for step in steps][:2] == [f"report:{brief}", f"update:{update}"]
        assert operations(steps[0]) == ["credit.py", "record_credit", "lift.py", "submit_report"]
        released = "release_post" in steps[1].tools
        deployed = [said["post_id"] for step in steps[2:] for said in published(step)]
        assert deployed == ([] if released else [trace.notices[update]["post"]])
        ends.add(released)
    assert ends == {True, False}


def test_a_rerun_is_deployed_again_through_the_same_post() -> None:
    for trace, update, steps in under("rerun_order"):
        brief, post = trace.notices[update]["brief"], trace.notices[update]["post"]
        assert [step.module for step in steps] == [f"update:{update}", f"deploy:{brief}"]
        assert [said["post_id"] for said in published(steps[1])] == [post]
        assert sum(said["post_id"] == post for step in trace.steps for said in published(step)) == 2


def test_a_substituted_post_is_registered_and_published_in_place_of_b() -> None:
    for trace, update, steps in under("calendar_substitution"):
        brief, post = trace.notices[update]["brief"], trace.notices[update]["post"]
        assert [step.module for step in steps] == [f"experiment:{brief}", f"update:{update}", f"experiment:{brief}"]
        assert operations(steps[0]) == ["lineage.py", "register_experiment"]
        assert [said["post_id"] for said in published(steps[2])] == [post]
        done = {said["post_id"] for step in trace.steps for said in published(step)}
        assert f"p{brief[1:]}-b" not in done


def test_a_new_retention_asks_for_nothing_but_its_scope() -> None:
    for _, update, steps in under("retention_change"):
        assert [step.module for step in steps] == [f"update:{update}"]


def test_packages_of_withdrawn_assets_are_built_again_before_they_are_deployed() -> None:
    rebuilt = 0
    for trace, update, steps in under("rights_withdrawal"):
        assert [step.module for step in steps] == [f"update:{update}"]
        asset = trace.notices[update]["asset"]
        start = next(n for n, step in enumerate(trace.steps) if step.update == update)
        for step in trace.steps[start:]:
            for name, said in step.calls:
                assert name != "build_package" or asset not in (said["visual"], said["copy"])
            rebuilt += step.module.startswith("deploy:") and "build_package" in step.tools
    assert rebuilt


def test_a_withdrawal_is_scoped_as_things_stood_when_it_came() -> None:
    trace = traced(SocialConfig("overlap_reactivation", "relay", 13), 9, prefer=partial(rank_of, 9))
    (step,) = [
        step
        for step in trace.steps
        for name, said in step.calls
        if name == "build_package" and step.update and said["basis"].startswith("pk:")
    ]
    assert step.module == "deploy:b-02-00"
    assert not trace.run.unmet()


def test_the_policy_looks_at_the_clock_first() -> None:
    assert reference(OVERLAPPING, 1).run.records[0].tool == "get_clock"
