from hypothesis import given
from hypothesis import strategies as st

import pytest

from skillhorizon import Rng


def test_same_path_draws_the_same_numbers():
    assert [Rng("a", 1).integer(0, 999) for _ in range(3)] == [Rng("a", 1).integer(0, 999)] * 3


def test_drawing_in_one_stream_never_moves_another():
    plain, busy = Rng("x"), Rng("x")
    busy.stream("other").shuffled(range(100))
    assert plain.integer(0, 10**9) == busy.integer(0, 10**9)


def test_known_draws_stay_as_they_are():
    rng = Rng("golden", 7)
    assert [rng.integer(0, 99) for _ in range(5)] == GOLDEN


GOLDEN = [37, 56, 29, 45, 77]


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers())
def test_integers_lie_in_their_range(low, width, seed):
    assert low <= Rng("range", seed % 2**31).integer(low, low + width) <= low + width


@given(st.lists(st.integers(), max_size=20), st.integers(0, 10**6))
def test_shuffling_keeps_the_items(items, seed):
    assert sorted(Rng("s", seed).shuffled(items)) == sorted(items)


def test_samples_are_distinct_positions():
    assert sorted(Rng("s").sample(range(10), 10)) == list(range(10))


def test_weights_of_zero_are_never_drawn():
    rng = Rng("w")
    assert {rng.weighted([("never", 0), ("always", 3)]) for _ in range(50)} == {"always"}


@pytest.mark.parametrize("draw", [lambda r: r.integer(2, 1), lambda r: r.choice([]), lambda r: r.sample([1], 2), lambda r: r.weighted([("a", 0)])])
def test_impossible_draws_say_why(draw):
    with pytest.raises(ValueError, match=r"no integer|nothing|items asked|weights"):
        draw(Rng("bad"))
