"""Composed plans: lanes and briefs, what audiences may carry, and the graph."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from socialops_composed import CELLS, CONFIGS, briefs_of, id_of, name, of_kind, plan_of, story_of

from skillhorizon import Pattern, Rng
from skillhorizon_socialops.catalogue import seed
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.composer.briefs import HOUSE_HOUR
from skillhorizon_socialops.composer.caps import Due, calendar, greatest_load
from skillhorizon_socialops.config import MERGE, OVERLAPPING, RECALL, SocialConfig
from skillhorizon_socialops.plan import (
    CalendarSubstitution,
    ConversionCorrection,
    Plan,
    RerunOrder,
    RetentionChange,
)
from skillhorizon_socialops.truth import Story, past, shelf

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Brief

HOURS = {"a": 2, "b": 10, "d": 34, "s": 18, "c": 24}


@pytest.fixture(scope="module", params=CONFIGS, ids=id_of)
def config(request: pytest.FixtureRequest) -> SocialConfig:
    found: SocialConfig = request.param
    return found


@pytest.fixture
def plan(config: SocialConfig) -> Plan:
    return plan_of(config)


@pytest.fixture
def briefs(plan: Plan) -> dict[str, Brief]:
    return briefs_of(plan)


@pytest.fixture
def story(config: SocialConfig) -> Story:
    return story_of(config)


def test_the_same_seed_gives_the_same_plan_and_another_seed_another() -> None:
    config = SocialConfig(OVERLAPPING, "relay", 12)
    assert compose(config, Rng("again", 1)) == compose(config, Rng("again", 1))
    assert compose(config, Rng("again", 1)).facts != compose(config, Rng("again", 2)).facts


# Lanes and briefs


def test_a_lane_keeps_its_place_and_audiences(config: SocialConfig, briefs: dict[str, Brief]) -> None:
    groups = -(-config.lanes // 2)
    for brief in briefs.values():
        first, group = briefs[name(1, brief.lane)], briefs[name(1, brief.lane % groups)]
        assert (brief.locale, brief.channel_id, brief.format) == (group.locale, group.channel_id, group.format)
        assert brief.audiences == first.audiences == sorted(set(brief.audiences))
    assert len({(brief.locale, brief.channel_id) for brief in briefs.values()}) == groups


def test_audiences_are_shared_as_the_scenario_says(config: SocialConfig, briefs: dict[str, Brief]) -> None:
    lapsed = {audience.audience_id for audience in seed().audiences if audience.cooldown_min}
    users = defaultdict(set)
    for brief in briefs.values():
        for audience in brief.audiences:
            users[audience].add(brief.lane)
    if config.scenario == OVERLAPPING:
        assert not lapsed & users.keys()
        assert all(users[a] for a in users)
        assert sorted(map(len, users.values())) == [2] * config.lanes
    elif config.scenario == "cooldown_reactivation":
        assert users.keys() <= lapsed
        assert set(map(len, users.values())) == {1}
    else:
        assert all(len({*brief.audiences} & lapsed) == 1 for brief in briefs.values())
        shared = {tuple(sorted(lanes)) for audience, lanes in users.items() if audience not in lapsed}
        assert shared == {(lane, lane + 1) for lane in range(0, config.lanes, 2)}
        assert all(len(users[audience]) == 1 for audience in users.keys() & lapsed)


def test_rows_stand_in_the_order_of_the_specification(config: SocialConfig, plan: Plan) -> None:
    rows: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in plan.facts.depends:
        assert row.number == len(rows[row.brief_id]) + 1
        rows[row.brief_id].append((row.role, row.upstream))
    for brief in plan.facts.briefs:
        wave, lane, own = brief.wave, brief.lane, rows[brief.brief_id]
        if wave == 1:
            assert own == []
            continue
        before = name(wave - 1, lane)
        expected = [("control", before), ("suppress", before)]
        if config.pattern == MERGE:
            expected.append(("suppress", name(wave - 1, (lane + 1) % config.lanes)))
        if config.pattern == RECALL and wave >= 3:
            expected.append(("benchmark", name(max(1, wave - 4), lane)))
        history = own[len(expected) :]
        assert own[: len(expected)] == expected
        if config.scenario == OVERLAPPING:
            assert history == [("history", name(wave - 1, (lane - 1) % config.lanes))]
        elif wave >= 3:
            assert history in [[("history", name(v, lane))] for v in range(max(1, wave - 3), wave - 1)]
        else:
            assert history == []


def test_two_overlapping_lanes_have_no_history_row() -> None:
    plan = compose(SocialConfig(OVERLAPPING, "relay", 6), Rng("two", 1))
    assert {row.role for row in plan.facts.depends} == {"control", "suppress"}


def test_posts_are_due_by_their_lane_and_deployments_weigh_double(plan: Plan, briefs: dict[str, Brief]) -> None:
    assert len(plan.facts.posts) == 3 * len(briefs)
    for post in plan.facts.posts:
        brief = briefs[post.brief_id]
        assert post.hour == HOURS[post.arm] + brief.lane
        assert post.due_at == 2_880 * (brief.wave - 1) + 60 * post.hour
        assert (300 <= post.weight <= 520) if post.arm == "d" else (150 <= post.weight <= 260)


def test_every_task_audience_has_a_house_post_and_a_policy(config: SocialConfig, plan: Plan) -> None:
    used = {audience for brief in plan.facts.briefs for audience in brief.audiences}
    assert {(post.audience_id, post.wave) for post in plan.facts.house_posts} == {
        (audience, wave) for audience in used for wave in range(1, config.waves + 1)
    }
    assert all(60 <= post.house_weight <= 300 for post in plan.facts.house_posts)
    retention = {audience.audience_id: audience.retention_bp for audience in seed().audiences}
    assert {policy.audience_id: policy.retention_bp for policy in plan.facts.policies} == {
        audience: retention[audience] for audience in used
    }


def test_campaigns_of_the_first_wave_have_a_history_and_campaigns_recur_after_180() -> None:
    plan = compose(SocialConfig("cooldown_reactivation", "relay", 200, updates="none"), Rng("campaigns", 1))
    campaigns = [brief.campaign_id for brief in plan.facts.briefs]
    assert campaigns[180:] == campaigns[:20]
    assert len(set(campaigns)) == 180
    for campaign in campaigns[:8]:
        posts = [run.post for run in past().campaign_runs[campaign] if run.at > -43_200]
        assert len(posts) >= 3


def test_baselines_are_right_assets_of_some_angle(plan: Plan, story: Story, briefs: dict[str, Brief]) -> None:
    for brief in briefs.values():
        pair = (brief.baseline_visual, brief.baseline_copy)
        if brief.wave > 1:
            assert pair == (None, None)
            continue
        angles = {shelf().assets[str(asset)].angle for asset in pair}
        assert len(angles) == 1
        assert shelf().pair(angles.pop(), story.place(brief.brief_id), ()) == pair


def test_the_best_asset_of_a_cell_is_never_right(plan: Plan, story: Story) -> None:
    for (brief, _), runs in story.course.arms.items():
        for asset in runs[0].pair:
            row = shelf().assets[asset]
            cell = shelf().cells[row.role, row.locale, row.format, row.angle]
            assert cell[0].asset_id != asset, brief


# Caps


@pytest.mark.parametrize("slack", [0, 1_250])
def test_the_cap_is_the_greatest_load_and_the_slack_on_it(slack: int) -> None:
    plan = compose(SocialConfig("overlap_reactivation", "merge", 14, slack=slack), Rng("caps", 1))
    dues = calendar(plan.facts, plan.updates)
    for policy in plan.facts.policies:
        changed = (u.retention_bp for u in of_kind(plan, RetentionChange) if u.audience == policy.audience_id)
        most = greatest_load(dues[policy.audience_id], max(policy.retention_bp, *changed, 0))
        assert policy.cap == most + most * slack // 10_000


def test_the_greatest_load_counts_all_that_any_schedule_inside_the_windows_can_bring() -> None:
    own = Due(3_000, 100, planned=True)
    assert greatest_load([own], 8_000) == 100
    before = Due(3_000 - 480 - 59, 50, planned=False)
    assert greatest_load([own, before], 8_000) == 100 + 40
    assert greatest_load([own, Due(before.minute + 1, 50, planned=False)], 8_000) == 150
    assert greatest_load([own, Due(3_059, 50, planned=False)], 8_000) == 150
    assert greatest_load([own, Due(3_060, 50, planned=False)], 8_000) == 100
    assert greatest_load([own, Due(3_000 - 2_939, 1_000, planned=False)], 8_000) == 100 + 261
    assert greatest_load([own, Due(3_000 - 2_940, 1_000, planned=False)], 8_000) == 100


# The graph


def test_briefs_are_joined_reused_and_closed_by_wave(config: SocialConfig, plan: Plan) -> None:
    graph = plan.graph
    assert len(graph.modules) == 5 * config.briefs + config.waves + len(plan.updates)
    assert graph.levels
    shape = graph.shape()
    assert shape.joins >= config.briefs
    assert shape.reuse_span_units == (4 if config.pattern == RECALL else 3 if config.scenario != OVERLAPPING else 1)
    for update in plan.updates:
        edges = [edge for edge in graph.edges if edge.upstream == f"update:{update.id}"]
        assert [edge.downstream for edge in edges] == [f"close:{update.wave + 1}"]
        assert edges[0].patterns == (Pattern.JOIN,)


def test_every_row_is_an_edge(plan: Plan) -> None:
    edges = {(edge.upstream, edge.downstream) for edge in plan.graph.edges}
    downstream = {"control": "content", "suppress": "audience", "benchmark": "report"}
    for row in plan.facts.depends:
        if row.role in downstream:
            assert (f"report:{row.upstream}", f"{downstream[row.role]}:{row.brief_id}") in edges
        assert (f"deploy:{row.upstream}", f"experiment:{row.brief_id}") in edges


def test_goals_are_briefs_with_their_five_modules(plan: Plan) -> None:
    assert [goal.id for goal in plan.goals] == [f"brief:{brief.brief_id}" for brief in plan.facts.briefs]
    assert all(len(goal.modules) == 5 and goal.modules[0] == f"content:{goal.unit}" for goal in plan.goals)


def test_channels_have_one_post_an_hour(plan: Plan) -> None:
    """By lanes alone: no two posts of a wave, corrective and repeated ones included, are due in one hour."""
    hours: Counter[tuple[int, int]] = Counter()
    for post in plan.facts.posts:
        hours[post.wave, post.hour] += 1
    for update in plan.updates:
        match update:
            case ConversionCorrection() | CalendarSubstitution():
                hours[update.post.wave, update.post.hour] += 1
            case RerunOrder():
                hours[update.wave + 1, update.hour] += 1
            case _:
                pass
    assert max(hours.values()) == 1
    assert not {hour for _, hour in hours} & {20, 21, 22, 23}, "these hours are for posts that are moved"
    assert max(hour for _, hour in hours) < HOUSE_HOUR


def test_smallest_tasks_have_one_lane_and_one_correction() -> None:
    for scenario, pattern in list(CELLS)[3:]:
        if pattern == MERGE:
            continue
        plan = compose(SocialConfig(scenario, pattern, 2), Rng("smallest", 1))
        assert [brief.brief_id for brief in plan.facts.briefs] == ["b-01-00", "b-02-00"]
        assert [update.kind for update in plan.updates] == ["conversion_correction"]


def test_pairs_of_audiences_overlap_a_little(plan: Plan) -> None:
    """What R3 takes off is known for every two audiences of a brief."""
    overlaps = past().overlaps
    for brief in plan.facts.briefs:
        assert tuple(brief.audiences) in overlaps
    known = sorted(past().audiences)
    assert all(pair in overlaps for pair in combinations(known, 2))
