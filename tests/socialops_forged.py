"""Changes of SocialOps' final state past the gateway; and a season that ends with its first wave."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from skillhorizon import Mutation, Sabotage
from skillhorizon_socialops.rows import Asset, Move, Publication

if TYPE_CHECKING:
    from collections.abc import Callable

    from skillhorizon import World

NEVER = 10**6


def _last(world: World, arm: str) -> Publication:
    runs = [row for row in world.select(Publication) if row.post_id.endswith(f"-{arm}")]
    return max(runs, key=lambda row: row.call)


def _late(world: World) -> None:
    run = _last(world, "d")
    edit = "UPDATE artifact SET content_text = json_set(content_text, '$.due_at', ?) WHERE id = ?"
    world.sql(edit, run.at - 60, f"pb:{run.post_id}")


def _same_hour(world: World) -> None:
    run = _last(world, "d")
    world.insert(Publication(run.post_id, 9, run.at, run.weight, NEVER, run.channel_id))


def _heavy(world: World) -> None:
    run = _last(world, "b")
    world.update(Publication, run.post_id, run.ordinal, weight=50_000)


def _crowded(world: World) -> None:
    run, late = _last(world, "a"), _last(world, "b")
    world.update(Publication, run.post_id, run.ordinal, at=late.at - 10)


def _overdrawn(world: World) -> None:
    world.insert(*(Move(number, NEVER, "p-01-00-a", 0, 60) for number in range(1, 99)))


def _asset_changed(world: World) -> None:
    first = world.select(Asset)[0]
    world.update(Asset, first.asset_id, quality_bp=1)


def _input_made_later(world: World) -> None:
    world.sql("UPDATE artifact SET made = made + 1000000 WHERE kind = 'cr' AND ended IS NULL")


def _forging(edit: Callable[[World], None], found: str, _plan: Any) -> Sabotage:
    return Sabotage(edit=edit, fails=frozenset({found}))


def _first_wave_open(_plan: Any) -> Sabotage:
    """Leave the first wave open: no update fires."""
    return Sabotage(skip=lambda step: step.module == "close:1", fails=frozenset({"D1", "D2", "D5"}))


FORGERIES = (
    Mutation[Any]("first-wave-open", _first_wave_open),
    *(
        Mutation[Any](edit.__name__.strip("_").replace("_", "-"), partial(_forging, edit, found))
        for found, edit in (
            ("D3", _late),
            ("D3", _same_hour),
            ("D3", _heavy),
            ("D3", _crowded),
            ("D3", _overdrawn),
            ("D4", _asset_changed),
            ("D4", _input_made_later),
        )
    ),
)
