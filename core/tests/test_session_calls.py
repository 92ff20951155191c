from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from bakery import TOOLS, Config, bakery, break_oven

from skillhorizon import Call, Json, Rng, World, operation
from skillhorizon.model.canonical import loads
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.client import SessionClient
from skillhorizon.session.drive import drive
from skillhorizon.session.session import Memory, Session, Toolbox

if TYPE_CHECKING:
    from bakery import Plan

    from skillhorizon.session.session import Recorder


def open_bakery(
    size: int = 3,
    *,
    budget: int | None = None,
    updates: str = "default",
    recorder: Recorder | None = None,
    **changes: Any,
) -> Session:
    """Return a session on a new task of the bakery, or of one that is broken somewhere."""
    environment = bakery(**{"tools": (*TOOLS, break_oven), **changes})
    plan = environment.compose(Config(size, updates), Rng("bakery", 1))
    world = World.empty(environment.tables)
    environment.build(plan, world)
    toolbox = Toolbox.of(environment)
    return Session(environment, plan, world, toolbox=toolbox, recorder=recorder or Memory(), budget=budget)


def orders(session: Session) -> dict[str, int]:
    """Return the loaves by order."""
    return {row[0]: row[1] for row in session.call("list_batches", {}).data["rows"]}


def bake_all(session: Session) -> None:
    for order, loaves in orders(session).items():
        session.call("bake", {"order": order, "loaves": loaves})


def reference(session: Session) -> None:
    drive(session.environment.steps(SessionClient(session), session.plan.brief, lambda module: 0))


def test_the_reference_reaches_full_scores() -> None:
    session = open_bakery()
    reference(session)
    score = session.score()
    assert (score.lgc, score.success, score.reward) == (1.0, True, 1.0)


def test_doing_nothing_meets_no_goal() -> None:
    score = open_bakery().score()
    assert (score.goals_met, score.success) == (0, False)


def test_an_update_fires_in_the_call_that_made_it_due_and_is_told_there() -> None:
    session = open_bakery()
    (first, a), (second, b) = list(orders(session).items())[:2]
    session.call("bake", {"order": first, "loaves": a})
    told = session.call("bake", {"order": second, "loaves": b})
    assert [n["id"] for n in told.data["notices"]] == ["N-1"]
    assert told.record.fired == ("N-1",)
    assert (f"TRAY:{first}@1", "stale", "N-1") in told.record.ended


def test_updates_wait_for_their_trigger_in_any_order_of_work() -> None:
    session = open_bakery()
    pairs = list(orders(session).items())[::-1]
    fired = [session.call("bake", {"order": o, "loaves": n}).record.fired for o, n in pairs]
    assert fired == [(), ("N-1",), ()]


def test_an_equal_attempt_of_a_current_artifact_costs_nothing() -> None:
    session = open_bakery(updates="none")
    order, loaves = next(iter(orders(session).items()))
    first = session.call("bake", {"order": order, "loaves": loaves})
    again = session.call("bake", {"order": order, "loaves": loaves})
    assert (again.data["artifact"], again.record.made, session.world.clock) == (first.data["artifact"], (), 5)


def test_after_its_end_an_equal_attempt_makes_a_new_version() -> None:
    session = open_bakery()
    bake_all(session)
    first, loaves = next(iter(orders(session).items()))
    assert session.call("bake", {"order": first, "loaves": loaves}).data["artifact"] == f"TRAY:{first}@2"


@pytest.mark.parametrize(
    ("tool", "arguments", "outcome", "code"),
    [
        ("bake", {"order": "B99", "loaves": 1}, "rejected", "UNKNOWN_ID"),
        ("ship", {}, "rejected", "NOT_BAKED"),
        ("bake", {"order": "B00", "loaves": "1"}, "malformed", "MALFORMED"),
        ("bake", {"order": "B00"}, "malformed", "MALFORMED"),
        ("bake", {"order": "\ud800", "loaves": 1}, "malformed", "MALFORMED"),
        ("bake", None, "malformed", "MALFORMED"),
        ("bake", {"order": "B00", "loaves": 2**70}, "malformed", "MALFORMED"),
        ("fly", {}, "malformed", "UNKNOWN_TOOL"),
        ("break_oven", {}, "internal_error", "INTERNAL_ERROR"),
        ("get_rules", {"topic": "none"}, "rejected", "UNKNOWN_TOPIC"),
        ("get_artifact", {"artifact": "TRAY:B00"}, "rejected", "UNKNOWN_ID"),
        ("get_notice", {"notice_id": "N-1"}, "rejected", "UNKNOWN_ID"),
        ("read_skill", {"skill": "none"}, "rejected", "UNKNOWN_SKILL"),
        ("read_skill", {"skill": "count-loaves", "file": "x"}, "rejected", "UNKNOWN_FILE"),
        ("run_skill_script", {"skill": "count-loaves", "script": "x.py", "input": {}}, "rejected", "UNKNOWN_SCRIPT"),
        ("run_skill_script", {"skill": "count-loaves", "script": "count.py", "input": {}}, "rejected", "SCRIPT_FAILED"),
    ],
)
def test_a_call_that_is_not_accepted_changes_nothing(tool: str, arguments: Any, outcome: str, code: str) -> None:
    session = open_bakery()
    before = session.world.digest()
    said = session.call(tool, arguments)
    assert (said.outcome, said.data["error"]["code"]) == (outcome, code)
    assert session.world.digest() == before


@pytest.mark.parametrize("arguments", [None, [], "x", {"order": "\ud800"}, {"loaves": 2**70}, {"order": object()}])
def test_unreadable_arguments_are_one_fault(arguments: Any) -> None:
    said = open_bakery().call("bake", arguments)
    assert (said.outcome, said.data["error"]["details"]) == ("malformed", {"faults": 1})
    assert "no canonical JSON object" in said.data["error"]["message"]
    assert said.record.arguments_text == "null"


@pytest.mark.parametrize(("name", "told"), [(None, "None"), (7, "7"), (["bake"], "['bake']")])
def test_a_name_that_is_no_text_is_told_as_text(name: Any, told: str) -> None:
    said = open_bakery().call(name, {})
    assert (said.data["error"]["code"], said.record.tool) == ("UNKNOWN_TOOL", told)
    assert f"there is no tool {told!r}" in said.data["error"]["message"]
    assert loads(said.record.call_text) == {"arguments": {}, "tool": told}


def test_a_terse_toolbox_tells_a_refusals_code_alone_and_an_internal_error_whole() -> None:
    session = open_bakery()
    session.toolbox = attrs.evolve(session.toolbox, terse=True)
    assert session.call("ship", {}).data == {"error": {"code": "NOT_BAKED"}}
    said = session.call("break_oven", {})
    assert "the oven is out of order" in said.data["error"]["message"]
    assert loads(said.text) == said.data


KEPT = {"said": "kept"}


@operation(makes="NOTE:a", repeat=False)
def answer_nothing(call: Call) -> Any:
    """Make a note and say nothing of it."""
    call.ledger.produce("NOTE:a", {})


@operation(makes="NOTE:b", again=lambda _call, _found: KEPT)
def answer_the_same(call: Call) -> Json:
    """Make a note and give every caller the same object."""
    call.ledger.produce("NOTE:b", {})
    return KEPT


def test_an_operation_without_an_answer_is_the_environments_fault_and_changes_nothing() -> None:
    session = open_bakery(tools=(answer_nothing,))
    before = session.world.digest()
    assert session.call("answer_nothing", {}).outcome is Outcome.INTERNAL_ERROR
    assert session.world.digest() == before


@operation(makes="NOTE:{names}", again=lambda _call, _found: {"again": True})
def note_all(call: Call, names: list[str]) -> Json:
    """Make a note of each name."""
    return {"made": [call.ledger.produce(f"NOTE:{name}", {}).ref for name in names]}


@operation(repeat=False)
def drop_note(call: Call, name: str) -> Json:
    """End a note."""
    call.ledger.end(f"NOTE:{name}")
    return {}


def test_an_attempt_is_a_repeat_only_while_all_that_it_makes_is_current() -> None:
    session = open_bakery(tools=(note_all, drop_note))
    session.call("note_all", {"names": ["a", "b"]})
    assert session.call("note_all", {"names": ["a", "b"]}).data == {"again": True}
    session.call("drop_note", {"name": "b"})
    assert session.call("note_all", {"names": ["a", "b"]}).data == {"made": ["NOTE:a@2", "NOTE:b@2"]}


def test_what_a_caller_does_to_an_answer_reaches_nobody_else() -> None:
    session = open_bakery(tools=(answer_the_same,))
    for _ in range(3):
        answer: Any = session.call("answer_the_same", {}).data
        assert answer == {"said": "kept"}
        answer["said"] = "garbled"


def test_a_failed_operation_is_committed_and_says_so() -> None:
    session = open_bakery()
    said = session.call("burn", {"order": "B00"})
    assert (said.outcome, said.data["error"]["code"], session.world.clock) == ("failed", "BURNT", 1)


def test_an_environment_fault_is_never_charged() -> None:
    session = open_bakery()
    session.call("break_oven", {})
    assert (session.charged, session.world.clock) == (0, 0)


def test_a_turn_stops_at_its_first_failure() -> None:
    session = open_bakery(updates="none")
    loaves = orders(session)["B00"]
    said = session.turn([("bake", {"order": "B00", "loaves": loaves}), ("ship", {}), ("list_batches", {})])
    assert [o.outcome for o in said] == ["accepted", "rejected", "not_attempted"]
    assert session.charged == 3


def test_the_budget_ends_the_execution_after_its_last_call() -> None:
    session = open_bakery(budget=2)
    said = session.turn([("list_batches", {})] * 3)
    assert [o.outcome for o in said] == ["accepted", "accepted", "not_attempted"]
    assert session.ended == "budget_exhausted"


def test_finishing_is_free_and_confirmed_once() -> None:
    session = open_bakery(budget=5)
    first = session.call("finish", {})
    assert (first.data["finished"], first.data["calls_left"], session.ended) == (False, 5, "")
    assert first.data["delivery"] == ["everything is shipped"]
    session.call("finish", {})
    assert (session.ended, session.charged) == ("submitted", 0)


def test_script_runs_return_their_output() -> None:
    said = open_bakery().call(
        "run_skill_script", {"skill": "count-loaves", "script": "count.py", "input": {"loaves": [1, 2]}}
    )
    assert said.data == {"output": {"total": 3}}


def test_skills_are_listed_and_read() -> None:
    session = open_bakery()
    assert session.call("list_skills", {}).data["rows"][0][0] == "count-loaves"
    assert "count.py" in session.call("read_skill", {"skill": "count-loaves"}).data["text"]
    assert "def run" in session.call("read_skill", {"skill": "count-loaves", "file": "scripts/count.py"}).data["text"]


def test_artifacts_are_listed_by_page_with_their_validity() -> None:
    session = open_bakery(size=5)
    bake_all(session)
    first = session.call("list_artifacts", {"kind": "TRAY", "limit": 3}).data
    rest = session.call("list_artifacts", {"kind": "TRAY", "limit": 3, "cursor": first["next"]}).data
    assert [row[0] for row in first["rows"] + rest["rows"]] == [f"TRAY:B0{i}@1" for i in range(5)]
    stale = session.call("list_artifacts", {"validity": "stale"}).data["rows"]
    assert [(row[0], row[2], row[4]) for row in stale] == [("TRAY:B00@1", "stale", "N-1")]
    assert rest["next"] is None


def test_silent_kinds_show_no_validity_and_no_filter_finds_them() -> None:
    session = open_bakery(silent_kinds=frozenset({"TRAY"}))
    bake_all(session)
    assert {row[2] for row in session.call("list_artifacts", {}).data["rows"]} == {None}
    assert session.call("list_artifacts", {"validity": "stale"}).data["rows"] == []


def test_an_artifact_shows_versions_it_stands_on_and_no_keys() -> None:
    session = open_bakery(updates="none")
    bake_all(session)
    session.call("ship", {})
    assert session.call("get_artifact", {"artifact": "TRAY:B00"}).data["cites"] == []
    assert session.call("get_artifact", {"artifact": "SHP:all@1"}).data["cites"][0] == "TRAY:B00@1"


def test_notices_are_kept() -> None:
    session = open_bakery()
    bake_all(session)
    assert session.call("list_notices", {}).data["rows"][0][:2] == ["N-1", "new_recipe"]
    assert session.call("get_notice", {"notice_id": "N-1"}).data["body"]["order"] == "B00"


def test_records_say_exactly_what_the_caller_saw() -> None:
    memory = Memory()
    said = open_bakery(recorder=memory).call("list_batches", {})
    (record,) = memory.records
    assert (record.observation, loads(record.observation)) == (said.text, said.data)
    assert loads(record.call_text) == {"arguments": {}, "tool": "list_batches"}


def test_equal_calls_give_equal_journals_and_states() -> None:
    lines = []
    for _ in range(2):
        memory = Memory()
        session = open_bakery(recorder=memory)
        reference(session)
        lines.append((session.world.digest(), [record.line() for record in memory.records]))
    assert lines[0] == lines[1]


def test_a_checker_that_writes_is_stopped() -> None:
    def meddling(world: World, plan: Plan) -> None:
        world.advance(1)
        raise AssertionError("the write went through")

    session = open_bakery(check=meddling)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        session.score()
    session.world.advance(1)
