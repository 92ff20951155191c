"""Rehearsals of the bakery: honest runs, mutated ones, and traced ones that are interfered with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from bakery import Config, bakery

from skillhorizon import Mutation, Sabotage
from skillhorizon.errors import ProofFailed
from skillhorizon.testing import Interference, Rehearsal, losses, traced

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon import Step, World

BAKERY = bakery()


def begun(size: int = 3) -> Rehearsal[Any]:
    return Rehearsal.begun(BAKERY, Config(size), 1)


def test_a_rehearsal_begins_before_any_call_with_nothing_met() -> None:
    run = begun()
    assert not run.records
    assert run.unmet().keys() == {"batch:B00", "batch:B01", "batch:B02", "D1"}


def test_a_finished_rehearsal_meets_everything_and_keeps_its_calls() -> None:
    run = begun().finished()
    assert run.unmet() == {}
    assert [record.tool for record in run.records][-1] == "ship"


def test_a_mutation_is_tolerated_and_judged() -> None:
    run = begun()
    left_out = BAKERY.mutations[0].place(run.plan)
    assert left_out is not None
    assert left_out.fails <= run.finished(left_out).unmet().keys()


def only_ship(client: Any, brief: Any, prefer: Any) -> Iterator[Step]:
    """Ship before anything is baked."""
    yield [*BAKERY.steps(client, brief, prefer)][-1]


def test_without_a_mutation_a_refusal_fails() -> None:
    with pytest.raises(ProofFailed, match="NOT_BAKED"):
        Rehearsal.on(bakery(steps=only_ship), begun().plan).finished()


def test_an_edit_is_judged_on_a_copy() -> None:
    run = begun().finished()
    assert run.after(lambda world: world.ledger.end("SHP:all")) != {}
    assert run.unmet() == {}


def test_equal_seeds_rehearse_equal_calls() -> None:
    first, second = begun().finished(), begun().finished()
    assert [record.observation for record in first.records] == [record.observation for record in second.records]


def test_a_trace_has_the_calls_of_each_step_and_the_update_that_asked_for_it() -> None:
    trace = traced(begun())
    assert [step.module for step in trace.steps] == ["bake:B00", "bake:B01", "bake:B02", "bake:B00", "ship"]
    assert [step.module for step in trace.under("new_recipe")] == ["bake:B00"]
    assert trace.steps[-1].tools == ["count.py", "ship"]
    assert trace.run.unmet() == {}


def test_a_refused_step_is_retried_and_else_left() -> None:
    refusals = iter([True])
    how = Interference(refuse=lambda tool, said: tool == "bake" and next(refusals, False), retries=1)
    trace = traced(begun(), how)
    assert not [step for step in trace.steps if step.refused]
    assert trace.steps[0].tools == ["bake", "bake"]
    left = traced(begun(), Interference(refuse=lambda tool, said: tool == "ship"))
    assert [step.module for step in left.steps if step.refused] == ["ship"]


def test_steps_are_left_out_reordered_and_rewritten() -> None:
    assert "bake:B01" not in [
        s.module for s in traced(begun(), Interference(skip=lambda s: s.module == "bake:B01")).steps
    ]
    turned = traced(begun(), Interference(prefer=lambda module: -int(module == "bake:B02")))
    assert turned.steps[0].module == "bake:B02"
    wrong = traced(begun(), Interference(rewrite=lambda tool, said: {**said, "loaves": 99} if tool == "bake" else said))
    assert all(step.refused for step in wrong.steps)


def test_losses_tell_what_is_unmet_by_nobody_the_reference_and_every_mutation() -> None:
    def unmake(world: World) -> None:
        world.sql("UPDATE artifact SET ended = made, ended_as = 'stale', cause = 'call:1' WHERE kind = 'SHP'")

    nowhere = Mutation[Any]("nowhere", lambda plan: None)
    unmade = Mutation[Any]("unmade", lambda plan: Sabotage(edit=unmake, fails=frozenset({"D1"})))
    environment = bakery(mutations=(*BAKERY.mutations, nowhere, unmade))
    lost = losses(environment, Config(3), 1)
    assert list(lost) == ["null", "reference", "left-out", "reversed-orders", "nowhere", "unmade"]
    assert lost["null"] == begun().unmet()
    assert (lost["reference"], lost["reversed-orders"], lost["nowhere"]) == ({}, {}, None)
    assert "D1" in (lost["unmade"] or {})
