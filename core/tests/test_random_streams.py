from __future__ import annotations

import copy
import hashlib
import pickle
import struct
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillhorizon import Rng, draws

if TYPE_CHECKING:
    from collections.abc import Callable

GOLDEN = [37, 56, 29, 45, 77]


def test_same_path_draws_the_same_numbers() -> None:
    assert [Rng("a", 1).integer(0, 999) for _ in range(3)] == [Rng("a", 1).integer(0, 999)] * 3


def test_drawing_in_one_stream_never_moves_another() -> None:
    plain, busy = Rng("x"), Rng("x")
    busy.stream("other").shuffled(range(100))
    assert plain.integer(0, 10**9) == busy.integer(0, 10**9)


def test_known_draws_stay_as_they_are() -> None:
    rng = Rng("golden", 7)
    assert [rng.integer(0, 99) for _ in range(5)] == GOLDEN


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))],  # noqa: S301  # its own bytes
)
def test_a_copy_goes_on_alone_where_its_model_was(copied: Callable[[Rng], Rng]) -> None:
    rng = Rng("model", 3)
    rng.integer(0, 9)
    other = copied(rng)
    drawn = [rng.integer(0, 999) for _ in range(20)]
    assert [other.integer(0, 999) for _ in range(20)] == drawn
    assert copied(other).stream("x").integer(0, 10**9) == rng.stream("x").integer(0, 10**9)


@given(st.one_of(st.integers(1, 2**32), st.integers(2**63 + 1, 2**64)), st.integers(0, 10**6))
@example(2**63 + 1, 1)  # every second word is passed over
def test_words_past_the_last_multiple_of_a_bound_are_passed_over(bound: int, seed: int) -> None:
    """The definition, word for word: keyed blocks by number, each read from its end, without bias."""
    key = hashlib.blake2b(f'["bias",{seed}]'.encode(), digest_size=32).digest()
    blocks = [hashlib.blake2b(n.to_bytes(8, "big"), key=key, digest_size=64).digest() for n in range(9)]
    words = [word for block in blocks for word in reversed(struct.unpack(">8Q", block))]
    expected = [word % bound for word in words if word < 2**64 - 2**64 % bound]
    rng, count = Rng("bias", seed), min(12, len(expected))
    assert [rng.integer(0, bound - 1) for _ in range(count)] == expected[:count]


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers())
def test_integers_lie_in_their_range(low: int, width: int, seed: int) -> None:
    assert low <= Rng("range", seed % 2**31).integer(low, low + width) <= low + width


@given(st.lists(st.integers(), max_size=20), st.integers(0, 10**6))
def test_shuffling_keeps_the_items(items: list[int], seed: int) -> None:
    assert sorted(Rng("s", seed).shuffled(items)) == sorted(items)


def test_samples_are_distinct_positions() -> None:
    assert sorted(Rng("s").sample(range(10), 10)) == list(range(10))


def test_weights_of_zero_are_never_drawn() -> None:
    rng = Rng("w")
    assert {rng.weighted([("never", 0), ("always", 3)]) for _ in range(50)} == {"always"}


@pytest.mark.parametrize(
    "draw",
    [lambda r: r.integer(2, 1), lambda r: r.choice([]), lambda r: r.sample([1], 2), lambda r: r.weighted([("a", 0)])],
)
def test_impossible_draws_say_why(draw: Callable[[Rng], object]) -> None:
    with pytest.raises(ValueError, match=r"no integer|nothing|items asked|weights"):
        draw(Rng("bad"))


def test_run_time_draws_derive_from_the_name_of_the_composing_stream() -> None:
    composing = Rng("bakery", "dev", 3)
    assert composing.path_text == '["bakery","dev",3]'
    first, again = (draws(composing.path_text, "TRAY:B01", 2).integer(0, 10**9) for _ in range(2))
    other = draws(composing.path_text, "TRAY:B01", 3).integer(0, 10**9)
    assert first == again != other
