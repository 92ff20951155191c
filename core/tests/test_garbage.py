from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from skillhorizon import ConfigError
from skillhorizon.construction.garbage import uncollected
from skillhorizon.construction.proof import prove
from skillhorizon.construction.workshop import Workshop


class Looking:
    """An environment and a built task in one, which note whether the collector is on and then give up."""

    name = "looking"

    def __init__(self) -> None:
        self.collected: list[bool] = []

    def compose(self, _config: Any, _rng: Any) -> NoReturn:
        self.collected.append(gc.isenabled())
        raise ConfigError("there is nothing to compose")

    @property
    def components(self) -> NoReturn:
        self.collected.append(gc.isenabled())
        raise ConfigError("there is nothing to prove")


def test_the_collector_rests_while_a_task_is_composed_and_proven() -> None:
    looking: Any = Looking()
    parts: Any = SimpleNamespace(environment=looking)
    with pytest.raises(ConfigError):
        Workshop(parts).build(None, split="dev", seed=1)
    with pytest.raises(ConfigError):
        prove(looking)
    assert looking.collected == [False, False]
    assert gc.isenabled()


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
