"""What is true: the specification's examples, and how the calendar as it ran moves what counts."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from skillhorizon import Rng
from skillhorizon_socialops import truth
from skillhorizon_socialops.composer import compose
from skillhorizon_socialops.composer.nominal import replayed
from skillhorizon_socialops.config import SocialConfig
from skillhorizon_socialops.plan import CalendarSubstitution, ConversionCorrection, Plan, RightsWithdrawal
from skillhorizon_socialops.truth import ArmRun, Conversion, Course, Known, Run, Story, Target

OWN, NEIGHBOUR = Target("b-01-00", "b", 240, 3), Target("b-01-01", "a", 480, 3)
TARGETS = {"own": OWN, "other": NEIGHBOUR}
BRIEF = "b-01-00"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return compose(SocialConfig("overlapping_conversions", "recall", 60, updates="more"), Rng("truth", 1))


@pytest.fixture(scope="module")
def story(plan: Plan) -> Story:
    return replayed(plan)


def row(at: int, *touches: tuple[str, int], order: str = "o1", name: str = "e1", void: bool = False) -> Conversion:
    return Conversion(name, order, at, 100, void, touches)


def changed(story: Story, **course: Any) -> Story:
    """The same plan over another calendar."""
    return Story(story.known, attrs.evolve(story.course, **course))


# Crediting


def test_the_latest_touch_inside_its_own_briefs_window_wins() -> None:
    assert truth.credit(BRIEF, [row(1_000, ("own", 700), ("other", 650))], 9_999, TARGETS).conv == 0
    assert truth.credit(BRIEF, [row(940, ("own", 700), ("other", 650))], 9_999, TARGETS).conv_b == 1
    assert truth.credit(BRIEF, [row(941, ("own", 700))], 9_999, TARGETS).conv == 0


@pytest.mark.parametrize(("priority", "wins"), [(1, True), (5, False), (3, False)])
def test_touches_of_one_minute_go_to_the_lower_priority_then_to_the_smaller_post(priority: int, wins: bool) -> None:
    targets = {"own": attrs.evolve(OWN, priority=priority), "other": NEIGHBOUR}
    found = truth.credit(BRIEF, [row(900, ("own", 800), ("other", 800))], 9_999, targets)
    assert bool(found.conv) == wins
    tied = {"a-own": attrs.evolve(OWN, priority=3), "other": NEIGHBOUR}
    assert truth.credit(BRIEF, [row(900, ("a-own", 800), ("other", 800))], 9_999, tied).conv == 1


def test_void_rows_and_late_ones_do_not_count_and_orders_count_once_by_their_earliest_row() -> None:
    rows = [
        row(900, ("own", 800), name="e9", order="o1"),
        row(880, ("own", 800), name="e8", order="o1")._replace(value=7),
        row(870, ("own", 800), name="e7", order="o1", void=True),
        row(950, ("own", 800), name="e6", order="o2"),
        row(951, ("own", 800), name="e5", order="o3"),
    ]
    found = truth.credit(BRIEF, rows, 950, TARGETS)
    assert (found.conv_b, found.value_b) == (2, 107)


def test_a_touch_after_the_conversion_does_not_count() -> None:
    assert truth.credit(BRIEF, [row(700, ("own", 701))], 9_999, TARGETS).conv == 0


# Exposure


def test_the_lookback_is_inclusive_and_knows_what_was_published_before_the_call() -> None:
    runs = [Run(100, "x", 200, 0), Run(2_980, "y", 100, 7), Run(2_980, "b", 50, 6), Run(2_981, "z", 10, 5)]
    exposure = truth.Exposure({"au": runs})
    assert [run.post for run in exposure.window("au", 2_980, 8)] == ["x", "b", "y"]
    assert [run.post for run in exposure.window("au", 2_980, 7)] == ["x", "b"]
    assert [run.post for run in exposure.window("au", 2_981, 8)] == ["b", "y", "z"]
    assert exposure.last("au", 2_980, 7) == 2_980
    assert exposure.last("au", 2_979, 9) == 100
    assert exposure.last("au", 99, 9) is None


def test_a_lineage_has_one_element_for_each_row_and_publication() -> None:
    runs = [Run(300, "d", 1, 3), Run(120, "a", 1, 1), Run(200, "b", 1, 2)]
    assert truth.lineage([runs, runs]) == ["a", "b", "d", "a", "b", "d"]
    assert truth.lineage([[*runs, Run(900, "d", 1, 9)]]) == ["a", "b", "d", "d"]


# The calendar as it ran


def arm_posts(story: Story, brief: str) -> list[str]:
    return list(story.arm_posts(brief))


def test_conversions_are_observed_until_840_minutes_after_the_later_arm(story: Story) -> None:
    own = [story.course.dues[post] for post in arm_posts(story, BRIEF)]
    assert story.observe_until(BRIEF) == max(own) + 840
    moved = changed(story, dues={**story.course.dues, "p-01-00-a": 1_380})
    assert moved.observe_until(BRIEF) == 1_380 + 840


def test_a_withdrawn_arm_counts_no_more_and_its_substitute_does(plan: Plan, story: Story) -> None:
    update = next(update for update in plan.updates if isinstance(update, CalendarSubstitution))
    assert arm_posts(story, update.brief) == [f"p{update.brief[1:]}-a", update.post.post_id]
    assert story.observe_until(update.brief) == update.post.due_at + 840


def test_moving_an_arm_moves_its_briefs_own_events_only(story: Story) -> None:
    moved = changed(story, dues={**story.course.dues, "p-01-00-b": 1_200})
    before = {each.id: each for each in story.feed(BRIEF, 0)}
    for each in moved.feed(BRIEF, 0):
        event = next(e for e in story.known.events[BRIEF] if e.id == each.id)
        touched = any(post == "p-01-00-b" for post, _ in event.touches)
        assert (each.at != before[each.id].at) == (touched and not event.shared)
    neighbour = "b-01-01"
    assert moved.feed(neighbour, 0) == story.feed(neighbour, 0)


def test_a_late_wave_moves_shared_events_with_it(story: Story) -> None:
    late = changed(story, starts={**story.course.starts, 1: 500})
    pairs = zip(story.feed(BRIEF, 0), late.feed(BRIEF, 0), strict=True)
    events = {event.id: event for event in story.known.events[BRIEF]}
    assert {after.at - before.at for before, after in pairs if events[before.id].shared} == {500}


def test_events_show_while_every_arm_they_touch_is_published(story: Story) -> None:
    hidden = changed(story, statuses={**story.course.statuses, "p-01-00-b": "scheduled"})
    shown = {each.id for each in hidden.feed(BRIEF, 0)}
    for event in story.known.events[BRIEF]:
        assert (event.id in shown) == (event.shared or all(post != "p-01-00-b" for post, _ in event.touches))


def test_an_arm_behind_its_partner_can_take_the_last_touch(story: Story) -> None:
    behind = changed(story, dues={**story.course.dues, "p-01-00-a": 1_380})
    mixed = [e for e in story.known.events[BRIEF] if not e.shared and len({post for post, _ in e.touches}) == 2]
    for event in mixed:
        found = next(each for each in behind.feed(BRIEF, 0) if each.id == event.id)
        assert max(found.touches, key=lambda touch: touch[1])[0] == "p-01-00-a"


# Levels


def test_corrections_count_from_the_boundary_at_which_they_fired(plan: Plan, story: Story) -> None:
    update = next(update for update in plan.updates if isinstance(update, ConversionCorrection))
    before, after = (story.credit(update.brief, level) for level in (update.wave - 1, update.wave))
    assert before != after
    assert story.credit(update.brief, plan.waves) == after
    unfired = changed(story, fired={})
    assert unfired.credit(update.brief, plan.waves) == before


def test_a_calls_level_is_the_last_boundary_before_it(story: Story) -> None:
    fired = sorted((call, story_update) for story_update, call in story.course.fired.items())
    corrections = {update.id: update.wave for update in story.known.corrections.values()}
    for call, name in fired:
        if name in corrections:
            assert story.level(call + 1) == corrections[name]
            assert story.level(call) < corrections[name]
    assert story.level(0) == 0


def test_a_plan_counts_credits_as_of_its_waves_opening(plan: Plan, story: Story) -> None:
    later = [u for u in plan.updates if isinstance(u, ConversionCorrection) and int(u.brief[2:4]) < u.wave]
    for update in later:
        successor = f"b-{int(update.brief[2:4]) + 1:02}-{update.brief[-2:]}"
        assert changed(story, fired={}).sizes(successor) == story.sizes(successor)


def test_a_benchmark_counts_as_of_the_report_that_cites_it(plan: Plan, story: Story) -> None:
    brief = next(row.brief_id for row in plan.facts.depends if row.role == "benchmark")
    level = story.known.briefs[brief].wave - 1
    again = changed(story, reports={**story.course.reports, brief: [*story.course.reports[brief], 10**6]})
    assert story.report_level(brief, plan.waves) == level or story.known.corrections.get(brief) is not None
    assert again.report_level(brief, plan.waves) == story.level(10**6)
    nobody = changed(story, reports={})
    assert nobody.report_level(brief, 3) == 3


# Packages


def test_control_is_the_winning_package_of_the_brief_before(story: Story) -> None:
    for brief in story.known.briefs:
        before = story.known.upstream(brief, "control")
        if before:
            arm = story.winning_arm(before[0], story.opening(brief))
            ran = story.course.arms[before[0], arm][0].pair
            kept = truth.shelf().kept(ran, story.place(brief), story.withdrawn(10**6))
            assert story.control(brief, 10**6) == kept


def test_test_leaves_out_what_control_ran_with(story: Story) -> None:
    right = story.test(BRIEF, 10**6)
    control = story.course.arms[BRIEF, "a"][0].pair
    assert not {*right} & {*control}
    ran_with_it = {**story.course.arms, (BRIEF, "a"): [ArmRun(1, (right[0], control[1]))]}
    assert changed(story, arms=ran_with_it).test(BRIEF, 10**6)[0] != right[0]


def test_an_arm_taken_back_is_chosen_afresh(story: Story) -> None:
    right = story.test(BRIEF, 10**6)
    control = story.course.arms[BRIEF, "a"][0].pair
    arms = {**story.course.arms, (BRIEF, "a"): [ArmRun(1, (right[0], control[1]), until=5)]}
    taken_back = changed(story, arms=arms)
    assert taken_back.test(BRIEF, 5)[0] != right[0]
    assert taken_back.test(BRIEF, 6) == right
    assert taken_back.course.published(BRIEF, "a", 5) is not None
    assert taken_back.course.published(BRIEF, "a", 6) is None


def test_a_withdrawn_asset_is_replaced_by_the_best_of_its_own_angle(plan: Plan, story: Story) -> None:
    update = next(update for update in plan.updates if isinstance(update, RightsWithdrawal))
    row = truth.shelf().assets[update.asset]
    hit = [(brief, arm) for (brief, arm), runs in story.course.arms.items() if update.asset in runs[0].pair]
    brief, arm = hit[0]
    fired = story.course.fired[update.id]
    pair = story.course.arms[brief, arm][0].pair
    place = pair.index(update.asset)
    assert story.deployed(brief, arm, fired) == pair
    kept = story.deployed(brief, arm, fired + 1)
    assert kept is not None
    other = truth.shelf().assets[kept[place]]
    assert other.asset_id != row.asset_id
    assert (other.role, other.locale, other.format, other.angle) == (row.role, row.locale, row.format, row.angle)
    assert kept[1 - place] == pair[1 - place]


def test_nothing_unpublished_is_right_to_deploy(story: Story) -> None:
    assert changed(story, arms={}).deployed(BRIEF, "a", 10**6) is None


def test_a_cell_without_an_asset_is_told(story: Story) -> None:
    place = story.place(BRIEF)
    cell = truth.shelf().cells["visual", place.locale, place.format, "price"]
    with pytest.raises(LookupError, match="no visual of angle price is left"):
        truth.shelf().best("visual", "price", place, {asset.asset_id for asset in cell})


def test_a_plan_is_indexed_with_the_posts_that_updates_add(plan: Plan) -> None:
    known = Known.of(plan)
    added = {u.post.post_id for u in plan.updates if isinstance(u, ConversionCorrection | CalendarSubstitution)}
    assert added <= known.posts.keys()
    assert all(known.retention[policy.audience_id][0] == (None, policy.retention_bp) for policy in plan.facts.policies)
    assert isinstance(replayed(plan).course, Course)
