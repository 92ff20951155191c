from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon import Ended, Notice, Rejection, World, table
from skillhorizon.world.ledger import LedgerError

if TYPE_CHECKING:
    from skillhorizon import Artifact


@table("thing", key=("name",))
@attrs.frozen
class Thing:
    name: str
    size: int


@pytest.fixture
def world() -> World:
    return World.empty((Thing,))


def state(world: World, artifact_id: str) -> tuple[int, str | None] | None:
    found = world.ledger.last(artifact_id)
    return None if found is None else (found.version, found.ended_as)


def test_a_new_version_supersedes_and_ends_what_stood_on_the_old(world: World) -> None:
    ledger = world.ledger
    ledger.produce("NRM:a", {"n": 1})
    ledger.produce("AGG:a", {}, cites={"records": "NRM:a@1"})
    ledger.produce("CLS:1", {}, cites={"packages": ["AGG:a@1"]})
    ledger.produce("NRM:a", {"n": 2})
    assert [artifact.ended_as for artifact in ledger.versions("NRM:a")] == [Ended.SUPERSEDED, None]
    assert (state(world, "AGG:a"), state(world, "CLS:1")) == ((1, "stale"), (1, "stale"))


def test_what_an_attempt_has_read_of_its_artifact_holds_until_that_ends(world: World) -> None:
    ledger = world.ledger
    ledger.produce("NRM:a", {})
    ledger.begin(1, "{}")
    assert not ledger.made_by("NRM:a", "{}")
    ledger.end("NRM:a")
    ledger.produce("NRM:a", {})
    ledger.produce("NRM:a", {})
    found = [(version.version, version.ended_as) for version in ledger.versions("NRM:a")]
    assert found == [(1, Ended.STALE), (2, Ended.SUPERSEDED), (3, None)]


@pytest.mark.parametrize("forgotten", ["rolled back", "next call"])
def test_what_an_attempt_has_read_of_its_artifact_ends_with_the_call(world: World, forgotten: str) -> None:
    ledger = world.ledger
    ledger.begin(1, "{}")
    assert not ledger.made_by("NRM:a", "{}")
    if forgotten == "next call":
        ledger.begin(2, "{}")
    else:
        ledger.forget()
    world.sql(
        "INSERT INTO artifact (id, version, kind, subject, period, args_text, content_text, made, clock)"
        " VALUES ('NRM:a', 4, 'NRM', 'a', 0, '', '{}', 0, 0)"
    )
    assert ledger.produce("NRM:a", {}).version == 5


def test_a_cite_must_be_current(world: World) -> None:
    world.ledger.produce("NRM:a", {})
    world.ledger.produce("NRM:a", {})
    with pytest.raises(LedgerError, match="NRM:a@1 is cited but not current"):
        world.ledger.produce("AGG:a", {}, cites={"records": "NRM:a@1"})


def test_a_key_keeps_its_users_while_its_token_stays(world: World) -> None:
    ledger = world.ledger
    ledger.produce("NRM:a", {}, cites={"contract": ("contract:FB/317", "C-1")})
    ledger.changed("contract:FB/317", "C-1")
    assert state(world, "NRM:a") == (1, None)
    ledger.changed("contract:FB/317", "C-2")
    assert state(world, "NRM:a") == (1, "stale")


@pytest.mark.parametrize(
    "cites",
    [
        {"before": ["key"], "after": [("key", "C-1")]},
        {"after": [("key", "C-1")], "before": ["key"]},
        {"one": ("key", "C-1"), "other": ("key", "C-2")},
    ],
)
def test_a_new_key_cited_with_two_tokens_is_a_fault_of_the_environment(world: World, cites: Any) -> None:
    with pytest.raises(LedgerError, match="cites key"):
        world.ledger.produce("NRM:a", {}, cites=cites)


def test_a_key_cited_with_another_token_is_a_fault_of_the_environment(world: World) -> None:
    world.ledger.produce("NRM:a", {}, cites={"contract": ("contract:FB/317", "C-1")})
    with pytest.raises(LedgerError, match="contract:FB/317"):
        world.ledger.produce("NRM:b", {}, cites={"contract": ("contract:FB/317", "C-2")})


@pytest.mark.parametrize(
    "cites",
    [
        {"keys": [("new", "X"), ("known", "C-2")]},
        {"keys": [("known", "C-2"), ("new", "X")]},
        {"one": ("new", "X"), "other": ("known", "C-2")},
    ],
)
def test_a_new_key_hides_no_wrong_token_of_a_known_one(world: World, cites: Any) -> None:
    world.ledger.produce("NRM:a", {}, cites={"key": ("known", "C-1")})
    with pytest.raises(LedgerError, match="cites known"):
        world.ledger.produce("NRM:b", {}, cites=cites)


def test_an_aspect_lets_its_users_live_while_its_value_stays(world: World) -> None:
    ledger = world.ledger
    ledger.produce("PLAN:p", {}, aspects={"winner": "A"})
    ledger.produce("ORD:o", {}, cites={"winner": "PLAN:p/winner"})
    ledger.produce("PLAN:p", {}, aspects={"winner": "A"})
    assert state(world, "ORD:o") == (1, None)
    ledger.produce("PLAN:p", {}, aspects={"winner": "B"})
    assert state(world, "ORD:o") == (1, "stale")


def test_mentions_are_provenance_and_end_nothing(world: World) -> None:
    ledger = world.ledger
    ledger.produce("AGG:a", {})
    ledger.produce("VW:a.1", {}, mentions={"aggregate": "AGG:a@1"})
    ledger.produce("AGG:a", {})
    assert state(world, "VW:a.1") == (1, None)
    assert [a.id for a in ledger.users("AGG:a@1", mentions=True)] == ["VW:a.1"]


def test_every_one_of_several_mentions_is_kept(world: World) -> None:
    ledger = world.ledger
    made = ledger.produce("VW:a.1", {}, mentions={"aggregate": ["AGG:a@1", "AGG:b@1"], "view": "VW:b@2"})
    kept = [(cite.role, cite.ref, cite.token) for cite in ledger.cites(made)]
    assert kept == [("aggregate", "AGG:a@1", None), ("aggregate", "AGG:b@1", None), ("view", "VW:b@2", None)]


def test_frozen_artifacts_outlive_what_they_stand_on(world: World) -> None:
    ledger = world.ledger
    ledger.produce("A:a", {})
    ledger.freeze(ledger.produce("B:b", {}, cites={"a": "A:a@1"}))
    ledger.end("A:a", how=Ended.VOID)
    assert state(world, "B:b") == (1, None)


def test_a_group_ends_at_once_and_the_ripple_goes_outside_it(world: World) -> None:
    ledger = world.ledger
    ledger.produce("A:a", {})
    ledger.produce("B:b", {}, cites={"a": "A:a@1"})
    ledger.produce("C:c", {}, cites={"b": "B:b@1"})
    ledger.end("A:a", "B:b", how=Ended.HISTORIC)
    assert [state(world, i) for i in ("A:a", "B:b", "C:c")] == [(1, "historic"), (1, "historic"), (1, "stale")]


def test_a_rule_may_keep_an_artifact_alive(world: World) -> None:
    world.govern({"B": lambda world, artifact, ref: None}, {})
    world.ledger.produce("A:a", {})
    world.ledger.produce("B:b", {}, cites={"a": "A:a@1"})
    world.ledger.end("A:a")
    assert state(world, "B:b") == (1, None)


def test_the_end_of_an_artifact_may_change_what_others_watch(world: World) -> None:
    def on_end(world: World, artifact: Artifact) -> None:
        world.ledger.changed("stock:x", f"after {artifact.ref}")

    world.govern({}, {"A": on_end})
    world.ledger.produce("A:a", {})
    world.ledger.produce("B:b", {}, cites={"stock": ("stock:x", "full")})
    world.ledger.end("A:a")
    assert state(world, "B:b") == (1, "stale")


def test_the_root_of_a_ripple_is_its_cause(world: World) -> None:
    ledger = world.ledger
    ledger.begin(7, "null")
    ledger.produce("A:a", {}, cites={"key": ("k", "1")})
    ledger.produce("B:b", {}, cites={"a": "A:a@1"})
    ledger.root = "N-01"
    ledger.changed("k", "2")
    assert {(c.ref, c.how, c.cause) for c in ledger.changes if c.how != "made"} == {
        ("A:a@1", "stale", "N-01"),
        ("B:b@1", "stale", "N-01"),
    }


def test_a_life_is_a_half_open_range_of_calls(world: World) -> None:
    ledger = world.ledger
    ledger.begin(3, "null")
    ledger.produce("A:a", {})
    ledger.begin(5, "null")
    ledger.end("A:a")
    assert [ledger.at("A:a", index) is not None for index in (2, 3, 4, 5)] == [False, True, True, False]


def test_cited_arguments_are_refused_with_the_given_codes(world: World) -> None:
    ledger = world.ledger
    ledger.produce("A:a", {})
    ledger.produce("A:a", {})
    ledger.produce("A:b", {})
    ledger.end("A:b")
    codes = []
    for ref in ("A:z@1", "A:a@1", "A:b@1", "nonsense", "A:a@x"):
        with pytest.raises(Rejection) as caught:
            ledger.cited(ref, "A", superseded="OLD", stale="STALE")
        codes.append(caught.value.code)
    assert codes == ["UNKNOWN_ID", "OLD", "STALE", "UNKNOWN_ID", "UNKNOWN_ID"]
    assert ledger.cited("A:a@2", "A", superseded="OLD", stale="STALE").version == 2


def test_built_on_follows_ended_users_too(world: World) -> None:
    ledger = world.ledger
    ledger.produce("A:a", {})
    ledger.produce("B:b", {}, cites={"a": "A:a@1"})
    ledger.produce("C:c", {}, cites={"b": "B:b@1"})
    ledger.end("A:a")
    assert [a.ref for a in ledger.built_on("A:a@1")] == ["B:b@1", "C:c@1"]


def test_events_count_distinct_subjects(world: World) -> None:
    ledger = world.ledger
    assert [ledger.happened("closed", s) for s in ("1", "1", "2")] == [True, False, True]
    second = ledger.occurrence("closed", 2)
    assert second is not None
    assert (second.subject, ledger.occurrence("closed", 3)) == ("2", None)


def test_notices_keep_their_order_and_can_be_resolved(world: World) -> None:
    ledger = world.ledger
    ledger.announce(Notice("N-2", "k", {"a": 1}))
    ledger.announce(Notice("N-1", "k", {}))
    ledger.resolve("N-2")
    assert [(n.id, n.resolved) for n in ledger.fired()] == [("N-2", 1), ("N-1", 0)]


def test_the_clock_never_goes_back(world: World) -> None:
    world.advance(10)
    assert (world.advance_to(4), world.advance_to(12)) == (10, 12)


def test_a_clone_is_independent_and_equal(world: World) -> None:
    world.insert(Thing("a", 1))
    copy = world.clone()
    assert copy.digest() == world.digest()
    copy.update(Thing, "a", size=2)
    assert copy.digest() != world.digest()
    assert world.get(Thing, "a") == Thing("a", 1)


def test_a_transaction_that_raises_leaves_no_trace(world: World) -> None:
    before = world.digest()

    def write_and_fail() -> None:
        with world.transaction():
            world.insert(Thing("a", 1))
            world.ledger.produce("A:a", {})
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        write_and_fail()
    assert world.digest() == before


steps = st.lists(
    st.tuples(st.sampled_from(["make", "end", "key"]), st.integers(0, 5), st.sets(st.integers(0, 5), max_size=3)),
    max_size=25,
)


@given(steps)
def test_no_live_cite_ever_differs_from_its_watch(script: list[tuple[str, int, set[int]]]) -> None:
    world = World.empty((Thing,))
    ledger = world.ledger
    for index, (kind, n, uses) in enumerate(script):
        ledger.begin(index + 1, "null")
        if kind == "make":
            cites = [a.ref for u in sorted(uses) if u < n and (a := ledger.current(f"A:{u}"))]
            key = (f"key:{n % 3}", ledger.token(f"key:{n % 3}") or "0")
            ledger.produce(f"A:{n}", {}, cites={"uses": cites, "key": [key]}, aspects={"even": str(len(uses) % 2)})
        elif kind == "key":
            ledger.changed(f"key:{n % 3}", str(len(uses)))
        elif ledger.current(f"A:{n}"):
            ledger.end(f"A:{n}")
        assert ledger.inconsistent() == []
    world.close()


def test_contents_are_equal_when_tables_are() -> None:
    first, second = World.empty((Thing,)), World.empty((Thing,))
    first.insert(Thing("a", 1), Thing("b", 2))
    second.insert(Thing("b", 2), Thing("a", 1))
    assert first.contents([Thing]) == second.contents([Thing]) == [('["a","b"]', "[1,2]")]
    second.update(Thing, "b", size=3)
    assert first.contents([Thing]) != second.contents([Thing])
    second.delete(Thing, "b")
    assert first.contents([Thing]) != second.contents([Thing])
