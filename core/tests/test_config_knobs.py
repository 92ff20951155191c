"""Validators of configurations."""

from __future__ import annotations

import attrs
import pytest

from skillhorizon import ConfigError, is_whole, one_of, outside, whole


@attrs.frozen
class Oven:
    """A configuration with one name and one number."""

    heat: str = attrs.field(validator=one_of(("low", "high")))
    trays: int = attrs.field(validator=whole(1, 4))


@pytest.mark.parametrize(
    ("heat", "trays", "says"),
    [
        ("warm", 1, "heat = 'warm' is outside its rule: name one of low, high"),
        ("low", 0, "trays = 0 is outside its rule: give a whole number from 1 to 4"),
        ("low", 5, "trays = 5 is outside its rule"),
        ("low", True, "trays = True is outside its rule"),
        ("low", "2", "trays = '2' is outside its rule"),
        ("low", 2.0, "trays = 2.0 is outside its rule"),
    ],
)
def test_a_value_outside_its_rule_is_named_with_the_way_out(heat: str, trays: int, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        Oven(heat, trays)
    assert str(error.value).startswith(says)


def test_values_inside_their_rules_are_taken() -> None:
    assert [Oven("high", trays).trays for trays in (1, 4)] == [1, 4]
    assert is_whole(0)
    assert "trays" in str(outside("trays", None, "give one"))
