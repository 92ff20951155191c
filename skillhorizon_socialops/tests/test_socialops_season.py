"""Composed seasons: conversions as offsets, and updates by boundary."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from socialops_composed import CELLS, CONFIGS, briefs_of, id_of, name, of_kind, plan_of, story_of

from skillhorizon import Rng
from skillhorizon_socialops.catalogue import RETENTIONS
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.composer.nominal import replayed
from skillhorizon_socialops.config import OVERLAPPING, PATTERNS, SocialConfig
from skillhorizon_socialops.plan import (
    CalendarSubstitution,
    ConversionCorrection,
    Event,
    Plan,
    RerunOrder,
    RetentionChange,
    RightsWithdrawal,
)
from skillhorizon_socialops.truth import Story, shelf

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Brief

KINDS = ("conversion_correction", "rerun_order", "calendar_substitution", "retention_change", "rights_withdrawal")


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


def arm(event: Event) -> str:
    """The arm that an event of one brief ends on: a wave's b is due after all touches of its a."""
    return "b" if {post[-1] for post, _ in event.touches} & {"b", "s"} else "a"


# Conversions


def test_every_brief_has_as_many_events_as_its_range_says(plan: Plan) -> None:
    orders = defaultdict(set)
    for event in plan.facts.events:
        for brief in event.briefs:
            orders[brief].add(event.order)
    assert all(16 <= len(found) <= 30 for found in orders.values())


def test_touches_and_conversions_keep_their_offsets(plan: Plan, story: Story, briefs: dict[str, Brief]) -> None:
    dues = {post.post_id: post.due_at for post in plan.facts.posts}
    dues |= {u.post.post_id: u.post.due_at for u in of_kind(plan, CalendarSubstitution)}
    until = story.observe_until
    for event in plan.facts.events:
        start = 2_880 * (event.wave - 1)
        bases = {post: dues[post] - start if event.shared else 0 for post, _ in event.touches}
        assert all(60 <= offset - bases[post] <= 240 for post, offset in event.touches)
        assert 1 <= len(event.touches) <= 3
        assert 20 <= event.delay <= 600
        last = max(offset + (start if event.shared else dues[post]) for post, offset in event.touches)
        assert all(last + event.delay <= until(brief) for brief in event.briefs)
        assert {f"b{post[1:-2]}" for post, _ in event.touches} == set(event.briefs)
        assert 1_000 <= event.value <= 20_000
        assert all(briefs[brief].wave == event.wave for brief in event.briefs)


def test_events_touch_the_substitute_and_not_the_post_to_be_withdrawn(plan: Plan) -> None:
    touched = {post for event in plan.facts.events for post, _ in event.touches}
    replaced = [update.post.post_id for update in of_kind(plan, CalendarSubstitution)]
    assert replaced
    assert {*replaced} <= touched
    assert not {f"{post[:-1]}b" for post in replaced} & touched
    assert not {post[-1] for post in touched} - {"a", "b", "s"}


def test_the_scenarios_share_of_events_touches_two_lanes(config: SocialConfig, plan: Plan) -> None:
    full = [event for event in plan.facts.events if event.wave < config.waves]
    orders = {event.order: event for event in full}.values()
    shared = [event for event in orders if event.shared]
    pairs = {tuple(int(brief[-2:]) for brief in event.briefs) for event in shared}
    count = config.lanes
    if config.scenario == "cooldown_reactivation":
        assert pairs == set()
        return
    ring = {(lane, lane + 1) for lane in range(count - 1)} | {(0, count - 1)}
    assert pairs == (ring if config.scenario == OVERLAPPING else {(lane, lane + 1) for lane in range(0, count, 2)})
    wanted = 0.35 if config.scenario == OVERLAPPING else 0.20
    assert abs(len(shared) / len(orders) - wanted) < 0.07


def test_each_pair_has_an_event_that_ends_on_two_touches_of_one_minute(config: SocialConfig, plan: Plan) -> None:
    tied: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for event in {event.order: event for event in plan.facts.events if event.shared}.values():
        last = max(offset for _, offset in event.touches)
        if len({post[:-2] for post, offset in event.touches if offset == last}) == 2:
            tied[event.wave, event.briefs] += 1
    pairs = {(event.wave, event.briefs) for event in plan.facts.events if event.shared}
    assert tied.keys() == pairs


def test_events_of_one_brief_end_on_b_in_their_share_and_four_orders_are_credited(
    plan: Plan, story: Story, briefs: dict[str, Brief]
) -> None:
    for brief, row in briefs.items():
        own = {e.order: e for e in reversed(plan.facts.events) if e.briefs == (brief,)}.values()
        on_b = sum(arm(event) == "b" for event in own)
        assert 42 * (len(own) - 1) / 100 - 1 <= on_b <= 68 * len(own) / 100
        in_window = [e for e in own if not e.void and e.delay <= row.credit_window_min]
        assert len(in_window) >= 4
        assert story.credit(brief, row.wave - 1).conv >= 4
        assert 1 <= sum(event.void for event in own) <= 3


def test_repeated_orders_come_later_in_the_same_feeds_with_the_same_touches(plan: Plan) -> None:
    rows = defaultdict(list)
    for event in plan.facts.events:
        rows[event.order].append(event)
    repeated: Counter[str] = Counter()
    for found in rows.values():
        if len(found) > 1:
            first, again = sorted(found, key=lambda event: event.delay)
            assert (first.briefs, first.touches) == (again.briefs, again.touches)
            assert first.delay < again.delay
            assert not first.void
            repeated[first.briefs[0]] += 1
    assert set(repeated.values()) <= {2, 3, 4}


def test_ids_tell_neither_briefs_nor_minutes(plan: Plan) -> None:
    first = [event for event in plan.facts.events if event.wave == 1]
    assert len({event.id for event in plan.facts.events}) == len(plan.facts.events)
    runs = sum(one.briefs == other.briefs for one, other in pairwise(first))
    assert runs < len(first) / 2


# Updates


@pytest.mark.parametrize(("briefs", "updates"), [(6, "default"), (6, "more"), (30, "default"), (90, "more")])
@pytest.mark.parametrize(("scenario", "pattern"), CELLS)
def test_boundaries_have_their_updates_of_different_kinds_on_different_lanes(
    scenario: str, pattern: str, briefs: int, updates: str
) -> None:
    config = SocialConfig(scenario, pattern, briefs, updates=updates)
    plan = compose(config, Rng("boundaries", briefs))
    assert [u.id for u in plan.updates] == [f"N-{number:02}" for number in range(1, len(plan.updates) + 1)]
    by_wave = defaultdict(list)
    for update in plan.updates:
        by_wave[update.wave].append(update)
    assert by_wave[1][0].kind == "conversion_correction"
    for wave, found in by_wave.items():
        kinds = [update.kind for update in found]
        assert kinds == sorted(set(kinds), key=KINDS.index)
        assert len(found) <= config.updates_per_boundary
        lanes = [int(u.brief[-2:]) for u in found if hasattr(u, "brief")]
        assert len(lanes) == len(set(lanes))
        changes = [u for u in found if isinstance(u, RetentionChange)]
        own = {lane for lane in lanes for u in changes if u.audience in audiences(plan, wave + 1, lane)}
        assert not changes or len(own) <= 1
    expected = config.updates_per_boundary * (config.waves - 1)
    assert expected * 3 / 4 <= len(plan.updates) <= expected


def audiences(plan: Plan, wave: int, lane: int) -> list[str]:
    return next((list(b.audiences) for b in plan.facts.briefs if (b.wave, b.lane) == (wave, lane)), [])


def test_without_updates_there_is_none_to_answer() -> None:
    plan = compose(SocialConfig(OVERLAPPING, "relay", 12, updates="none"), Rng("none", 1))
    assert plan.updates == ()
    assert [requirement.id for requirement in plan.requirements] == ["D2", "D3", "D4", "D5"]


def test_kinds_rotate_through_all_boundaries() -> None:
    counts: Counter[str] = Counter()
    for pattern in PATTERNS:
        plan = compose(SocialConfig("overlap_reactivation", pattern, 100), Rng("rotation", 1))
        counts.update(update.kind for update in plan.updates)
    assert max(counts.values()) - min(counts.values()) <= 6


def test_triggers_are_closings_and_hours(plan: Plan) -> None:
    hours = {"calendar_substitution": 9, "retention_change": 12, "rights_withdrawal": 20}
    for update in plan.updates:
        if update.kind in hours:
            event, count = f"hour:{update.wave + 1}/{hours[update.kind]}", 1
        else:
            event, count = "wave_closed", update.wave
        assert (update.trigger.event, update.trigger.count) == (event, count)


def test_corrections_take_one_to_six_rows_of_their_brief_alone_and_change_its_credit(plan: Plan, story: Story) -> None:
    seen = set()
    events = {event.id: event for event in plan.facts.events}
    for update in of_kind(plan, ConversionCorrection):
        brief = story.known.briefs[update.brief]
        rows = [*update.voided, *(row for row, _ in update.retimed)]
        assert 1 <= len(rows) <= 6
        assert all(events[row].briefs == (update.brief,) for row in rows)
        assert all(brief.credit_window_min < delay <= 600 for _, delay in update.retimed)
        assert update.wave - brief.wave in {0, 3}
        assert story.credit(update.brief, update.wave) != story.credit(update.brief, update.wave - 1)
        assert (update.post.arm, update.post.wave, update.post.hour) == ("c", update.wave + 1, 24 + brief.lane)
        seen.add(update.brief)
    assert len(seen) == len(of_kind(plan, ConversionCorrection))


def test_about_half_of_the_corrections_change_the_winner() -> None:
    flips: Counter[bool] = Counter()
    for scenario, pattern in CELLS:
        for number in range(2):
            plan = compose(SocialConfig(scenario, pattern, 40), Rng("flips", number))
            story = replayed(plan)
            for update in of_kind(plan, ConversionCorrection):
                levels = (update.wave - 1, update.wave)
                before, after = (story.verdict(update.brief, level).winner for level in levels)
                flips[before != after] += 1
    assert 0.35 < flips[True] / flips.total() < 0.65


def test_the_final_boundary_takes_lanes_that_have_ended_first(config: SocialConfig, plan: Plan) -> None:
    for update in plan.updates:
        if isinstance(update, RerunOrder | ConversionCorrection) and update.wave + 1 == config.waves:
            assert int(update.brief[-2:]) >= config.final
    reruns = of_kind(plan, RerunOrder)
    assert all(u.hour == 24 + int(u.brief[-2:]) for u in reruns)
    assert all(int(u.brief[2:4]) == u.wave for u in reruns)


def test_substitutions_replace_the_test_post_of_the_first_two_lanes(plan: Plan) -> None:
    for update in of_kind(plan, CalendarSubstitution):
        lane = int(update.brief[-2:])
        assert lane <= 1
        assert update.brief == name(update.wave + 1, lane)
        assert (update.post.arm, update.post.hour) == ("s", 18 + lane)


def test_a_retention_changes_to_another_of_the_five(plan: Plan) -> None:
    present = {policy.audience_id: policy.retention_bp for policy in plan.facts.policies}
    for update in of_kind(plan, RetentionChange):
        assert update.retention_bp in {*RETENTIONS} - {present[update.audience]}
        present[update.audience] = update.retention_bp


def test_a_withdrawn_asset_stands_in_a_winning_package_of_the_open_wave(plan: Plan, story: Story) -> None:
    cells: Counter[tuple[str, str, str, str]] = Counter()
    for update in of_kind(plan, RightsWithdrawal):
        open_wave = [brief for brief in plan.facts.briefs if brief.wave == update.wave + 1]
        winning = {
            asset
            for brief in open_wave
            for asset in story.course.arms[brief.brief_id, story.winning_arm(brief.brief_id, update.wave)][0].pair
        }
        assert update.asset in winning
        row = shelf().assets[update.asset]
        cells[row.role, row.locale, row.format, row.angle] += 1
    assert set(cells.values()) <= {1}
