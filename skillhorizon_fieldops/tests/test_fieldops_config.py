"""Configurations: every value has its rule, and the numbers of a task follow from it."""

from __future__ import annotations

from typing import Any

import pytest

from skillhorizon import ConfigError, UnknownName
from skillhorizon.model.workload import band as band_of
from skillhorizon_fieldops.config import PROFILES, SCENARIOS, FieldConfig
from skillhorizon_fieldops.scale import SCALE

GOOD: dict[str, Any] = {"scenario": "restoration", "profile": "ring", "services": 9, "device_ratio": 16_000}
BANDS = ("smoke", "64k", "128k", "256k", "512k", "1m", "2m", "4m")


@pytest.mark.parametrize(
    ("field", "value", "way_out"),
    [
        ("scenario", "repair", "restoration, modernisation"),
        ("profile", "star", "radial, ring, layered"),
        ("services", 5, "6 to"),
        ("services", True, "whole number"),
        ("services", "9", "whole number"),
        ("device_ratio", 10_499, "10500 to 19000"),
        ("device_ratio", 19_001, "10500 to 19000"),
        ("slack", -1, "0 to"),
        ("updates", "many", "none, default, more"),
    ],
)
def test_a_value_outside_its_rule_is_named_with_the_way_out(field: str, value: object, way_out: str) -> None:
    with pytest.raises(ConfigError, match=way_out) as error:
        FieldConfig(**{**GOOD, field: value})
    assert field in str(error.value)


@pytest.mark.parametrize(
    ("services", "ratio", "devices", "waves"),
    [(6, 10_500, 6, 3), (9, 16_000, 14, 3), (82, 17_000, 139, 6), (204, 17_000, 346, 13), (318, 16_500, 524, 20)],
)
def test_devices_and_waves_follow_from_services_and_ratio(services: int, ratio: int, devices: int, waves: int) -> None:
    config = FieldConfig(**{**GOOD, "services": services, "device_ratio": ratio})
    assert (config.devices, config.waves, config.sweep) == (devices, waves, waves + 1)


def test_relief_is_two_units_or_one_for_each_twenty_five_devices() -> None:
    assert FieldConfig(**GOOD).relief == 2
    assert FieldConfig(**{**GOOD, "services": 204}).relief == 14


@pytest.mark.parametrize(("updates", "number"), [("none", 0), ("default", 1), ("more", 2)])
def test_updates_are_counted_by_wave(updates: str, number: int) -> None:
    assert FieldConfig(**GOOD, updates=updates).updates_per_wave == number


@pytest.mark.parametrize(("scenario", "profile"), SCALE.cells)
@pytest.mark.parametrize("band", BANDS)
def test_every_cell_keeps_the_ranges_of_its_band_at_both_ends_of_the_knob(
    band: str, scenario: str, profile: str
) -> None:
    low, high = SCALE.bounds(band, scenario, profile)
    assert low <= high
    for knob in (low, high):
        config = SCALE.config(band, scenario, profile, knob, {"slack": 0})
        assert (config.services, config.slack) == (knob, 0)
        assert SCALE.accept(band, {"devices": config.devices, "services": config.services}) is None
    least, most = SCALE.reach(band, scenario, profile)
    assert least < most
    assert most in band_of(band)
    assert least >= band_of(band).low


def test_all_scenarios_and_profiles_are_cells() -> None:
    assert len(SCALE.cells) == len(SCENARIOS) * len(PROFILES)


def test_the_ratio_of_a_cell_lies_where_suites_draw_it_and_differs_between_cells() -> None:
    ratios = {SCALE.config(band, *cell, 20, {}).device_ratio for band in BANDS[1:] for cell in SCALE.cells}
    assert min(ratios) >= 14_500
    assert max(ratios) <= 17_500
    assert len(ratios) > 3


def test_the_ratio_may_be_given_where_suites_draw_it() -> None:
    assert SCALE.config("64k", "restoration", "ring", 9, {"device_ratio": 15_000}).device_ratio == 15_000
    with pytest.raises(ConfigError, match="14500 to 17500"):
        SCALE.config("64k", "restoration", "ring", 9, {"device_ratio": 18_000})


def test_smoke_tasks_are_the_smallest_there_are() -> None:
    config = SCALE.config("smoke", "modernisation", "layered", 6, {})
    assert (config.devices, config.waves, config.slack, config.updates) == (6, 3, 3_000, "default")


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="device_ratio, slack, updates"):
        SCALE.config("64k", "restoration", "ring", 9, {"speed": 1})


def test_an_unknown_band_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="smoke, 64k"):
        SCALE.bounds("8k", "restoration", "ring")


def test_bands_beyond_the_paper_take_any_number() -> None:
    assert SCALE.accept("2m", {"devices": 1, "services": 9_999}) is None


def test_too_many_devices_or_services_do_not_fit_a_band() -> None:
    assert SCALE.accept("64k", {"devices": 34, "services": 20}) == "34 devices; band 64k has 9 to 33"
    assert SCALE.accept("64k", {"devices": 33, "services": 21}) == "21 services; band 64k has 8 to 20"
