from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from skillhorizon.construction.calibration import MOST_PROBES, calibrate
from skillhorizon.model.workload import Band

if TYPE_CHECKING:
    from collections.abc import Callable


class Measured:
    def __init__(self, law: Callable[[int], int]) -> None:
        self.law = law
        self.knobs: list[int] = []

    def __call__(self, knob: int) -> int:
        self.knobs.append(knob)
        return self.law(knob)


@given(st.integers(100, 3000), st.integers(0, 5000), st.integers(0, 100))
def test_a_straight_law_is_met_within_one_step(slope: int, base: int, share: int) -> None:
    bounds = (5, 45)
    low, high = (slope * knob + base for knob in bounds)
    target = low + (high - low) * share // 100
    measure = Measured(lambda knob: slope * knob + base)
    found = calibrate(measure, bounds, target, Band("x", 0, high))
    assert found is not None
    assert abs(found.tokens - target) <= slope
    assert len(measure.knobs) == len(set(measure.knobs)) <= MOST_PROBES


def test_the_knob_moves_in_its_steps_only() -> None:
    measure = Measured(lambda knob: knob * 10)
    calibrate(measure, (8, 14), 117, Band("x", 0, 1000), step=2)
    assert {knob % 2 for knob in measure.knobs} == {0}


def test_a_band_out_of_reach_gives_nothing() -> None:
    assert calibrate(lambda knob: 10 * knob, (5, 9), 500, Band("x", 400, 600)) is None


def test_a_jump_over_the_target_takes_the_nearer_side_in_the_band() -> None:
    found = calibrate(lambda knob: 100 if knob < 7 else 900, (5, 9), 400, Band("x", 0, 899))
    assert found is not None
    assert found.tokens == 100
