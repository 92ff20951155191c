from __future__ import annotations

import gc

import pytest

from skillhorizon.construction.garbage import uncollected


def test_the_collector_rests_and_is_on_again_whatever_happens() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), uncollected():
        raise KeyError
    assert gc.isenabled()


def test_who_works_without_a_collector_is_left_without_one() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
