"""What a proof and a score insist on: every goal met by the reference, none by nobody, rewards for achievements."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from bakery import Config, bakery, check
from test_session_calls import open_bakery, orders, reference

from skillhorizon import Call, Demand, Finding, Json, Report, Requirement, Rng, operation
from skillhorizon.construction.components import Components
from skillhorizon.construction.generate import aimed
from skillhorizon.construction.proof import Meter, prove
from skillhorizon.construction.suites import load_suite, load_task, task_path
from skillhorizon.construction.validate import check_null
from skillhorizon.construction.workshop import Built, Workshop
from skillhorizon.errors import ProofFailed
from skillhorizon.model import tokens
from skillhorizon.model.score import score
from skillhorizon.session.session import Memory, Toolbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from skillhorizon.model.journal import Record


def built(**changes: Any) -> Built:
    environment = bakery(**changes)
    shop = Workshop(Components(environment, Toolbox.of(environment), ()))
    return shop.build(Config(3), split="dev", seed=1)


def referred() -> list[Record]:
    """Return the records of a reference run."""
    memory = Memory()
    reference(open_bakery(recorder=memory))
    return memory.records


def volume(records: list[Record]) -> int:
    return sum(tokens.count(r.call_text) + tokens.count(r.observation) for r in records)


def journal(records: list[Record]) -> str:
    return hashlib.sha256(b"".join(r.line() for r in records)).hexdigest()


class ShortMeter(Meter):
    """A meter that counts after every two records."""

    BATCH = 2


def readings(meter: Meter, records: list[Record]) -> Iterator[tuple[int, str]]:
    """Append the records, and read the meter after each."""
    for record in records:
        meter.append(record)
        yield meter.l_ref, meter.digest


@pytest.mark.parametrize("kind", [Meter, ShortMeter])
def test_the_volume_is_the_tokens_of_calls_and_of_observations(kind: type[Meter]) -> None:
    meter, records = kind({}), referred()
    for record in records:
        meter.append(record)
    for _ in range(2):
        assert (meter.digest, meter.l_ref) == (journal(records), volume(records))


@pytest.mark.parametrize("kind", [Meter, ShortMeter])
def test_a_meter_that_is_read_between_calls_counts_nothing_twice(kind: type[Meter]) -> None:
    records = referred()
    sofar = [records[: i + 1] for i in range(len(records))]
    assert list(readings(kind({}), records)) == [(volume(part), journal(part)) for part in sofar]


def test_a_reference_that_leaves_a_goal_unmet_proves_nothing() -> None:
    def strict(world: Any, plan: Any) -> Report:
        report = check(world, plan)
        return Report((*report.goals[:-1], Finding("batch:B02", {"polished": False})), report.requirements)

    with pytest.raises(ProofFailed, match="batch:B02: polished"):
        prove(built(check=strict))


def test_a_reference_that_breaks_a_requirement_proves_nothing() -> None:
    def strict(world: Any, plan: Any) -> Report:
        return Report(check(world, plan).goals, (Finding("D1", {"polished": False}),))

    with pytest.raises(ProofFailed, match="D1: polished"):
        prove(built(check=strict))


def test_a_task_whose_goal_holds_at_the_start_is_refused(bakery_suite: Path) -> None:
    task = load_task(task_path(bakery_suite, load_suite(bakery_suite).tasks[0].id))
    check_null(task, built())

    def generous(world: Any, plan: Any) -> Report:
        report = check(world, plan)
        return Report((Finding("batch:B00", {"given": True}), *report.goals[1:]), report.requirements)

    with pytest.raises(ProofFailed, match="doing nothing meets 1 goals"):
        check_null(task, built(check=generous))


def test_an_update_that_a_rollback_took_back_fires_again() -> None:
    @operation()
    def shout(call: Call) -> Json:
        """Complete the trigger, then say too much."""
        for order in ("B00", "B01"):
            call.ledger.happened("baked", order)
        return {"text": "a" * 70_000}

    session = open_bakery()
    session.toolbox = Toolbox({**session.toolbox.tools, "shout": shout})
    assert session.call("shout", {}).record.fired == ()
    fired = [session.call("bake", {"order": o, "loaves": n}).record.fired for o, n in orders(session).items()]
    assert fired == [(), ("N-1",), ()]


def test_a_kept_invariant_earns_nothing_and_a_broken_one_fails_the_task() -> None:
    demands = (Requirement("A", Demand.ACHIEVEMENT, ""), Requirement("I", Demand.INVARIANT, ""))
    goal, missed, kept = Finding("g", {"x": True, "y": False}), Finding("A", {"a": False}), Finding("I", {"i": True})
    assert score(Report((goal,), (missed, kept)), demands).reward == 0.25
    done, achieved, broken = Finding("g", {"x": True}), Finding("A", {"a": True}), Finding("I", {"i": False})
    reached = score(Report((done,), (achieved, broken)), demands)
    assert (reached.reward, reached.lgc, reached.success) == (1.0, 1.0, False)


def test_targets_keep_four_percent_from_each_end_of_what_a_band_and_its_reach_share() -> None:
    targets = [aimed((40_000, 90_000), "64k", Rng("targets", i)) for i in range(300)]
    width = 65_536 - 40_000
    assert 40_000 + width * 4 // 100 <= min(targets) < 42_000
    assert 64_000 < max(targets) <= 65_536 - width * 4 // 100
