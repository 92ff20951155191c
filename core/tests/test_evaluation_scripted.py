"""The scripted agents on the bakery: what each does and what follows."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from test_session_calls import open_bakery

from skillhorizon.construction.reach import course_of
from skillhorizon.errors import UsageError
from skillhorizon.evaluation.agents import load_agent
from skillhorizon.evaluation.execution import Execution
from skillhorizon.evaluation.partial import steps_until
from skillhorizon.session.references import Known, Reference, attempts, references, replaced
from skillhorizon.session.session import Memory

if TYPE_CHECKING:
    from skillhorizon.model.score import Score


class Named:
    """Stands for a task, of which scripted agents read the id."""

    id = "bakery-smoke-01"


def played(spec: str, **options: Any) -> tuple[Score, list[str]]:
    """Let an agent work on a bakery, and return its score and the calls it made, with their outcomes."""
    memory = Memory()
    session = open_bakery(recorder=memory, **options)
    load_agent(spec).run(Execution(Named(), session))  # type: ignore[arg-type]  # the id is all they read
    return session.score(), [f"{record.tool} {record.outcome}" for record in memory.records]


def test_reading_everything_meets_nothing() -> None:
    score, calls = played("read-only")
    assert (score.goals_met, score.success) == (0, False)
    assert {"list_batches accepted", "list_artifacts accepted", "list_skills accepted"} <= {*calls}
    assert not [call for call in calls if call.startswith(("bake", "ship"))]


@pytest.mark.parametrize("share", ["0", "1/4", "0.5", "0.99"])
def test_an_early_stop_comes_before_the_step_at_which_enough_is_done(share: str) -> None:
    course = course_of(open_bakery())
    score, calls = played(f"early-stop:{share}")
    count = steps_until(course, Fraction(share))
    assert (score.goals_met, score.success) == (len(course.met(count)), False)
    assert sum(call.startswith("bake") for call in calls) == count


def test_ignoring_updates_fails() -> None:
    score, calls = played("update-blind")
    assert (score.goals_met, score.success, calls[-1]) == (0, False, "ship rejected")


def test_without_updates_there_is_nothing_to_be_blind_to() -> None:
    assert played("update-blind", updates="none")[0].success


def test_the_names_of_what_is_made_are_never_replaced() -> None:
    assert played("careless:1:1")[0].success
    assert played("no-recheck:1:1")[0].success


def test_memory_of_one_call_ago_is_good_enough_for_the_bakery() -> None:
    assert played("forgetful:1")[0].success


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("early-stop", "needs a share from 0 to 1"),
        ("early-stop:1", "would stop nowhere"),
        ("early-stop:7", "needs a share from 0 to 1"),
        ("careless:0.2", "is careless:RATE:SEED"),
        ("careless:2:1", "needs a share from 0 to 1"),
        ("no-recheck:0.2:x", "needs a whole number"),
        ("forgetful", "needs a whole number"),
        ("forgetful:0", "forgets nothing"),
        ("read-only:all", "takes no options"),
        ("update-blind:all", "takes no options"),
    ],
)
def test_options_outside_their_rule_are_refused(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        played(spec)


def test_an_update_reaches_what_is_stepped_under_it_and_undoes_it_until_then() -> None:
    course = course_of(open_bakery())
    (reach,) = course.reaches
    assert (reach.update, reach.step, dict(reach.modules), dict(reach.goals)) == ("N-1", 1, {"bake:B00": 3}, {})
    assert [sorted(course.done(count)) for count in (1, 2, 3, 4)] == [
        ["bake:B00"],
        ["bake:B01"],
        ["bake:B01", "bake:B02"],
        ["bake:B00", "bake:B01", "bake:B02"],
    ]
    assert course.modules_of(["baked"]) == {"bake:B00", "bake:B01", "bake:B02"}


def test_references_are_found_and_replaced_where_a_tool_declares_them() -> None:
    bake = open_bakery().tools["bake"]
    said = {"order": "B00", "loaves": 3}
    assert references(bake, said) == [Reference(("order",), "order", "B00")]
    assert replaced(said, ("order",), "B01") == {"order": "B01", "loaves": 3}
    assert (attempts(bake, said), attempts(bake, {"order": 7})) == (["TRAY:B00"], [])
    known = Known()
    known.learn(bake, said)
    known.add("order", ["B05"])
    assert known.others(Reference(("order",), "order", "B00")) == ["B05"]
