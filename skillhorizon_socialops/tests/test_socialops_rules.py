"""Properties of the rules, which scripts and truth state apart; their worked examples are doctests."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon.skills.library import load_library
from skillhorizon.skills.scripts import ScriptRunner
from skillhorizon_socialops.rules import (
    HOUR,
    LOOKBACK,
    Thresholds,
    decayed,
    is_reserve,
    load,
    next_start,
    outcome,
    split,
    winning_rate,
)
from skillhorizon_socialops.truth import exposure, figures

LIBRARY = load_library(Path(str(files("skillhorizon_socialops"))) / "skills")
RUNNER = ScriptRunner()
WEIGHTS = st.integers(60, 600)
RETENTIONS = st.sampled_from([7_000, 7_500, 8_000, 8_500, 9_000])


@given(WEIGHTS, st.integers(0, 8), RETENTIONS)
def test_a_weight_never_grows_and_is_rounded_down_at_each_step(weight: int, steps: int, retention: int) -> None:
    assert decayed(weight, steps + 1, retention) == decayed(weight, steps, retention) * retention // 10_000
    assert 0 <= decayed(weight, steps + 1, retention) <= decayed(weight, steps, retention) <= weight


@given(st.lists(st.tuples(st.integers(0, LOOKBACK), WEIGHTS), max_size=8), RETENTIONS)
def test_a_load_is_the_sum_of_its_publications(made: list[tuple[int, int]], retention: int) -> None:
    assert load(LOOKBACK, made, retention) == sum(load(LOOKBACK, [each], retention) for each in made)


def script(skill: str, name: str, data: dict[str, Any]) -> Any:
    return RUNNER.run(LIBRARY.skill(skill), name, data)


MADE = st.lists(st.tuples(st.integers(0, LOOKBACK), WEIGHTS), max_size=8)


@given(MADE, RETENTIONS)
def test_loads_are_those_of_truth_and_the_script(made: list[tuple[int, int]], retention: int) -> None:
    found = load(LOOKBACK, made, retention)
    runs = [exposure.Run(at, "p", weight, 0) for at, weight in made]
    assert exposure.load(runs, LOOKBACK, retention) == found
    audience = {"id": "au1", "retention_bp": retention, "publications": [["p", *each] for each in made]}
    asked = {"post_id": "q", "as_of": LOOKBACK, "lookback_min": LOOKBACK, "audiences": [audience]}
    assert script("load-audit", "decayed_load.py", asked)["loads"] == {"au1": found}


@given(st.integers(0, 400), st.integers(0, 9_000))
def test_the_next_wave_starts_at_an_hour_and_not_before_the_close(hours: int, close: int) -> None:
    start = HOUR * hours
    following = next_start(start, start + close)
    assert following % HOUR == 0
    assert start + max(close, 2_880) <= following < start + max(close, 2_880) + HOUR


@given(st.integers(0, 400), st.integers(0, 9_000))
def test_reserve_hours_begin_at_whole_hours_only(hours: int, after: int) -> None:
    start = HOUR * hours
    wanted = after % HOUR == 0 and (after // HOUR in (20, 21, 22, 23) or after // HOUR >= 44)
    assert is_reserve(start, start + after) == wanted


SHARES = st.integers(0, 10_000)


@given(st.lists(st.tuples(st.integers(18_000, 70_000), SHARES), min_size=1, max_size=2), SHARES, SHARES)
def test_a_split_leaves_nobody_out(segments: list[tuple[int, int]], holdout: int, share: int) -> None:
    found = split(segments, 0, holdout, share)
    assert found.holdout + found.arm_a + found.arm_b == found.eligible
    assert found.eligible == sum(size * lapsed // 10_000 for size, lapsed in segments)


@given(st.integers(0, 60), st.integers(0, 60), SHARES, SHARES)
def test_splits_are_those_of_truth_and_the_script(one: int, other: int, holdout: int, share: int) -> None:
    found = split([(42_000, 10_000), (31_500, 4_000)], 5_260 + one + other, holdout, share)
    numbers = attrs.asdict(found)
    reach = 42_000 + 12_600 - 5_260
    assert attrs.asdict(figures.sizes(reach, [one, other], holdout, share)) == numbers
    asked = {"sizes": [42_000, 31_500], "lapsed_bp": [10_000, 4_000], "overlap": 5_260, "suppress": [one, other]}
    assert script("audience-planning", "plan.py", {**asked, "holdout_bp": holdout, "split_bp": share}) == numbers


def test_conversions_of_suppress_rows_are_taken_from_the_eligible() -> None:
    assert split([(50_000, 10_000)], 79, 0, 5_000).eligible == 49_921


USERS, CONVERSIONS = st.integers(1, 70_000), st.integers(0, 60)


@given(CONVERSIONS, CONVERSIONS, USERS, USERS)
def test_test_wins_only_if_every_threshold_holds(a: int, b: int, arm_a: int, arm_b: int) -> None:
    found = outcome((a, b), (arm_a, arm_b), Thresholds(8, 600, (310, 9_000)))
    enough = a + b >= 8 and found.lift_bp >= 600 and found.rate_b_ppm * 10_000 >= 310 * 9_000
    assert found.winner == ("test" if enough else "control")
    assert winning_rate(found.rate_a_ppm, found.rate_b_ppm, found.winner) == (
        found.rate_b_ppm if enough else found.rate_a_ppm
    )


@given(CONVERSIONS, CONVERSIONS, USERS, USERS, st.one_of(st.none(), st.integers(0, 900)))
def test_outcomes_are_those_of_truth_and_the_script(a: int, b: int, arm_a: int, arm_b: int, rate: int | None) -> None:
    compared = None if rate is None else (rate, 9_000)
    found = attrs.asdict(outcome((a, b), (arm_a, arm_b), Thresholds(8, 600, compared)))
    assert attrs.asdict(figures.verdict((a, b), (arm_a, arm_b), figures.Thresholds(8, 600, 9_000), rate)) == found
    asked = {"conv": [a, b], "arms": [arm_a, arm_b], "thresholds": {"min_conv": 8, "min_lift_bp": 600}}
    benchmark = None if compared is None else [*compared]
    assert script("report-and-deployment", "lift.py", {**asked, "benchmark": benchmark}) == found


def test_thresholds_are_met_at_equality() -> None:
    conv, arms = (50, 56), (10_000, 10_000)
    assert outcome(conv, arms, Thresholds(106, 1_200, (5_600, 10_000))).winner == "test"
    assert outcome(conv, arms, Thresholds(107, 1_200)).winner == "control"
    assert outcome(conv, arms, Thresholds(106, 1_201)).winner == "control"
    assert outcome(conv, arms, Thresholds(106, 1_200, (5_601, 10_000))).winner == "control"


def test_a_loss_is_rounded_down_too() -> None:
    assert outcome((3, 2), (700, 700), Thresholds(1, 0)).lift_bp == (2_857 - 4_285) * 10_000 // 4_285 == -3_333


def test_an_arm_without_conversions_has_a_finite_lift() -> None:
    assert outcome((0, 8), (10_000, 10_000), Thresholds(8, 600)).lift_bp == 8_000_000
