"""Configurations: every value has its rule, and the numbers of a task follow from it."""

from __future__ import annotations

from typing import Any

import pytest

from skillhorizon import ConfigError
from skillhorizon_financeops.config import FAMILIES, FinanceConfig
from skillhorizon_financeops.scale import SCALE

GOOD: dict[str, Any] = {"family": "heterogeneous-integration", "variant": "formats", "stages": 4, "width": 6}


@pytest.mark.parametrize(
    ("field", "value", "way_out"),
    [
        ("family", "heterogenous", "heterogeneous-integration"),
        ("variant", "referenced", "currencies"),
        ("stages", 5, "give 4 or 6"),
        ("stages", 2, "4 to 96"),
        ("stages", True, "whole number"),
        ("width", 50, "2 to 49"),
        ("width", "6", "whole number"),
        ("slack", -1, "0 to"),
        ("updates", "many", "none, default, more"),
    ],
)
def test_a_value_outside_its_rule_is_named_with_the_way_out(field: str, value: object, way_out: str) -> None:
    with pytest.raises(ConfigError, match=way_out) as error:
        FinanceConfig(**{**GOOD, field: value})
    assert field in str(error.value)


def test_a_lockbox_owns_two_sources() -> None:
    with pytest.raises(ConfigError, match="give 6 or 8"):
        FinanceConfig("receivables-reconciliation", "referenced", 4, 7)


def test_resources_follow_from_the_configuration() -> None:
    small = FinanceConfig(**GOOD)
    assert (small.tickets, small.reviews, small.reliefs) == (6, 3, 2)
    large = FinanceConfig("release-maintenance", "rolling-views", 24, 48)
    assert (large.tickets, large.reviews, large.reliefs) == (106, 17, 58)


def test_updates_none_grants_no_tickets_for_notices() -> None:
    config = FinanceConfig(**GOOD, updates="none")
    assert config.notice_stages == ()
    assert config.tickets == 2


def test_more_updates_fire_at_every_stage_from_the_second() -> None:
    assert FinanceConfig(**GOOD, updates="more").notice_stages == (2, 3, 4)


@pytest.mark.parametrize(("family", "variant"), SCALE.cells)
@pytest.mark.parametrize("band", ["smoke", "64k", "128k", "256k", "512k", "1m", "2m", "4m"])
def test_every_band_has_configurations_from_its_least_to_its_greatest_knob(
    band: str, family: str, variant: str
) -> None:
    low, high = SCALE.bounds(band, family, variant)
    step = SCALE.step(band, family, variant)
    assert low <= high
    assert (high - low) % step == 0
    for knob in (low, high):
        config = SCALE.config(band, family, variant, knob, {"slack": 0})
        assert config.width == knob
        assert config.slack == 0
        assert SCALE.accept(band, {"packages": config.packages}) is None
    least, most = SCALE.reach(band, family, variant)
    assert least < most


def test_all_families_and_variants_are_cells() -> None:
    assert len(SCALE.cells) == sum(map(len, FAMILIES.values()))


def test_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="slack and updates"):
        SCALE.config("64k", "release-maintenance", "amendment", 9, {"speed": 1})


def test_too_many_packages_do_not_fit_a_band() -> None:
    assert SCALE.accept("64k", {"packages": 65}) == "65 packages; band 64k has 24 to 64"
