"""Updates that have not fired yet wait for their own events, or for their minute."""

from __future__ import annotations

import attrs
import pytest

from skillhorizon import World
from skillhorizon.model.update import After, At, Trigger
from skillhorizon.session.pending import Pending


@attrs.frozen
class Planned:
    """What core knows of an update."""

    id: str
    trigger: Trigger
    kind: str = "change"
    decoy: bool = False


@pytest.fixture
def world() -> World:
    return World.empty(())


def taken(pending: Pending, world: World) -> list[tuple[str, str]]:
    found = []
    while (due := pending.take(world)) is not None:
        found.append((due.update.id, due.subject))
    return found


def test_an_update_is_due_once_its_own_event_has_its_count_of_subjects(world: World) -> None:
    pending = Pending([Planned("N-01", After("baked", 2)), Planned("N-02", After("sold", 1))])
    world.ledger.begin(1, "{}")
    world.ledger.happened("baked", "B1")
    assert taken(pending, world) == []
    world.ledger.happened("baked", "B2")
    assert taken(pending, world) == [("N-01", "B2")]
    world.ledger.begin(2, "{}")
    world.ledger.happened("sold", "B1")
    assert taken(pending, world) == [("N-02", "B1")]


def test_an_event_that_happened_before_counts_no_second_time(world: World) -> None:
    pending = Pending([Planned("N-01", After("baked", 2))])
    world.ledger.begin(1, "{}")
    assert world.ledger.happened("baked", "B1")
    world.ledger.begin(2, "{}")
    assert not world.ledger.happened("baked", "B1")
    assert (world.ledger.events, taken(pending, world)) == ({}, [])


def test_updates_of_one_call_are_due_by_minute_then_position(world: World) -> None:
    pending = Pending([Planned("N-01", After("baked", 1)), Planned("N-02", At(3)), Planned("N-03", At(9))])
    world.ledger.begin(1, "{}")
    world.advance(5)
    world.ledger.happened("baked", "B1")
    assert taken(pending, world) == [("N-02", ""), ("N-01", "B1")]
