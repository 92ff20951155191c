"""Configurations: every value has its rule, and the numbers of a task follow from it."""

from __future__ import annotations

from typing import Any

import pytest

from skillhorizon import ConfigError, UnknownName
from skillhorizon.model.workload import band as band_of
from skillhorizon_socialops.config import PATTERNS, SCENARIOS, SocialConfig
from skillhorizon_socialops.scale import SCALE

GOOD: dict[str, Any] = {"scenario": "cooldown_reactivation", "pattern": "recall", "briefs": 9}
BANDS = ("smoke", "64k", "128k", "256k", "512k", "1m", "2m", "4m")


@pytest.mark.parametrize(
    ("field", "value", "way_out"),
    [
        ("scenario", "overlap", "overlapping_conversions, cooldown_reactivation, overlap_reactivation"),
        ("pattern", "chain", "relay, recall, merge"),
        ("briefs", 1, "give 2, or a whole number from 5 to 792"),
        ("briefs", 4, "give 2, or"),
        ("briefs", 793, "5 to 792"),
        ("briefs", True, "whole number"),
        ("briefs", "9", "whole number"),
        ("slack", -1, "0 to"),
        ("slack", 1.5, "0 to"),
        ("updates", "many", "none, default, more"),
    ],
)
def test_a_value_outside_its_rule_is_named_with_the_way_out(field: str, value: object, way_out: str) -> None:
    with pytest.raises(ConfigError, match=way_out) as error:
        SocialConfig(**{**GOOD, field: value})
    assert field in str(error.value)


@pytest.mark.parametrize(
    ("scenario", "pattern"), [("overlapping_conversions", "relay"), ("overlap_reactivation", "merge")]
)
def test_a_single_lane_has_nothing_beside_it(scenario: str, pattern: str) -> None:
    with pytest.raises(ConfigError, match="lanes beside each other; give 5 or more"):
        SocialConfig(scenario, pattern, 2)


@pytest.mark.parametrize(
    ("briefs", "lanes", "waves", "final"),
    [
        (2, 1, 2, 1),
        (6, 2, 3, 2),
        (7, 2, 4, 1),
        (12, 3, 4, 3),
        (24, 4, 6, 4),
        (25, 6, 5, 1),
        (50, 6, 9, 2),
        (100, 8, 13, 4),
    ],
)
def test_campaigns_and_waves_follow_from_the_briefs(briefs: int, lanes: int, waves: int, final: int) -> None:
    config = SocialConfig(**{**GOOD, "briefs": briefs})
    assert (config.lanes, config.waves, config.final) == (lanes, waves, final)


@pytest.mark.parametrize(
    ("briefs", "slack", "allowance"), [(6, 1_250, 3), (100, 1_250, 13), (100, 0, 3), (40, 2_500, 10)]
)
def test_the_allowance_grows_with_briefs_and_slack(briefs: int, slack: int, allowance: int) -> None:
    assert SocialConfig(**{**GOOD, "briefs": briefs, "slack": slack}).allowance == allowance


@pytest.mark.parametrize(
    ("briefs", "updates", "count"),
    [(12, "none", 0), (12, "default", 1), (12, "more", 2), (30, "default", 2), (60, "default", 3), (60, "more", 4)],
)
def test_updates_are_counted_by_boundary(briefs: int, updates: str, count: int) -> None:
    assert SocialConfig(**{**GOOD, "briefs": briefs, "updates": updates}).updates_per_boundary == count


@pytest.mark.parametrize("band", BANDS)
def test_every_cell_lies_in_its_band_at_both_ends_of_the_knob(band: str) -> None:
    for cell in SCALE.cells_of(band):
        low, high = SCALE.bounds(band, *cell)
        assert low <= high
        for knob in (low, high):
            config = SCALE.config(band, *cell, knob, {"slack": 0})
            assert (config.briefs, config.slack) == (knob, 0)
        least, most = SCALE.reach(band, *cell)
        assert least < most
        assert most in band_of(band)
        assert least >= band_of(band).low
        assert SCALE.accept(band, {"briefs": high}) is None
        assert SCALE.step(band, *cell) == 1


def test_all_scenarios_and_patterns_are_cells() -> None:
    assert len(SCALE.cells) == len(SCENARIOS) * len(PATTERNS)


def test_smoke_serves_the_cells_that_a_single_lane_can_have() -> None:
    assert SCALE.cells_of("smoke") == tuple(
        (scenario, pattern) for scenario in SCENARIOS[1:] for pattern in PATTERNS[:2]
    )
    assert SCALE.config("smoke", *SCALE.cells_of("smoke")[0], 2, {}).updates == "default"


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="slack, updates"):
        SCALE.config("64k", *SCALE.cells[0], 6, {"speed": 1})


@pytest.mark.parametrize("ask", [SCALE.bounds, SCALE.reach])
def test_an_unknown_band_is_refused_with_the_known_ones(ask: Any) -> None:
    with pytest.raises(UnknownName, match="smoke, 64k"):
        ask("8k", *SCALE.cells[0])
