"""Calls on hand-made worlds: what `skillhorizon.testing.Handmade` insists on."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from skillhorizon import After, Call, Json, Notice, World, operation, page, query, table
from skillhorizon.testing import Handmade


@table("jar", key=("name",))
@attrs.frozen
class Jar:
    name: str
    grams: int


@attrs.frozen
class Spill:
    id: str = "N-01"
    kind: str = "spill"
    trigger: After = attrs.field(factory=lambda: After("filled", 1))
    decoy: bool = False


@operation(makes="JAR:{name}")
def fill(call: Call, name: str, grams: int) -> Json:
    """Fill a jar."""
    if call.world.get(Jar, name) is None:
        call.reject("UNKNOWN_JAR", f"there is no jar {name!r}; list_jars names them all", object=name)
    call.world.update(Jar, name, grams=grams)
    made = call.ledger.produce(f"JAR:{name}", {"grams": grams})
    call.ledger.happened("filled", name)
    return {"made": made.ref}


@query
def list_jars(call: Call, cursor: str | None = None) -> Json:
    """List the jars."""
    return page([[jar.name] for jar in call.world.select(Jar)], ("name",), limit=2, cursor=cursor)


@operation(repeat=False)
def refuse_after_writing(call: Call, brief: bool) -> Json:
    """Write, then refuse, in few words or in many."""
    call.world.insert(Jar("new", 1))
    call.reject("FULL", "no" if brief else "the shelf is full; take a jar away first", object="shelf")


@operation(repeat=False)
def cite_badly(call: Call) -> Json:
    """Leave a live cite behind whose token is not the present one."""
    call.ledger.produce("LBL:a", {}, cites={"jar": ("jar:a", "1")})
    call.world.sql("UPDATE watch SET token = '2' WHERE ref = 'jar:a'")
    return {}


def spilt(_update: Any, world: World, subject: str) -> Notice:
    world.ledger.end(f"JAR:{subject}")
    return Notice("N-01", "spill", {"jar": subject})


def shelf(*updates: Any) -> Handmade:
    made = World.empty((Jar,))
    made.insert(*(Jar(name, 0) for name in "abc"))
    return Handmade(made, (fill, list_jars, refuse_after_writing, cite_badly), spilt, updates)


def test_accepted_calls_return_their_data() -> None:
    made = shelf()
    assert made.call("fill", name="a", grams=9) == {"made": "JAR:a@1"}
    assert made.ref("JAR:a") == "JAR:a@1"
    assert made.content("JAR:a") == made.content("JAR:a@1") == {"grams": 9}
    assert made.ended("JAR:a@1") is None
    assert made.rows("list_jars") == [["a"], ["b"], ["c"]]


def test_updates_fire() -> None:
    made = shelf(Spill())
    assert made.call("fill", name="a", grams=9)["notices"][0]["jar"] == "a"
    assert made.ended("JAR:a@1") == "stale"


def test_refusals_name_their_object_and_change_nothing() -> None:
    made = shelf()
    assert made.refused("UNKNOWN_JAR", "z", "fill", name="z", grams=1)["details"] == {"object": "z"}
    assert made.refused("FULL", "shelf", "refuse_after_writing", brief=False)["code"] == "FULL"
    assert "grams" in made.malformed("fill", name="a")


@pytest.mark.parametrize(
    ("code", "culprit", "tool", "arguments"),
    [
        ("UNKNOWN_JAR", "a", "fill", {"name": "a", "grams": 1}),
        ("OTHER", "z", "fill", {"name": "z", "grams": 1}),
        ("UNKNOWN_JAR", "y", "fill", {"name": "z", "grams": 1}),
        ("MALFORMED", "z", "fill", {"name": "z"}),
        ("FULL", "shelf", "refuse_after_writing", {"brief": True}),
    ],
)
def test_a_refusal_that_is_another_fails(code: str, culprit: str, tool: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(AssertionError):
        shelf().refused(code, culprit, tool, **arguments)


def test_what_is_not_accepted_fails() -> None:
    with pytest.raises(AssertionError, match="UNKNOWN_JAR"):
        shelf().call("fill", name="z", grams=1)
    with pytest.raises(AssertionError):
        shelf().malformed("fill", name="a", grams=1)
    with pytest.raises(AssertionError, match="live cite"):
        shelf().call("cite_badly")


def test_what_was_never_made_is_told() -> None:
    made = shelf()
    for read in (made.ref, made.content, made.ended):
        with pytest.raises(AssertionError, match="JAR:a"):
            read("JAR:a")
