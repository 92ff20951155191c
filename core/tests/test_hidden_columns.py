from enum import StrEnum
from typing import Any, NamedTuple

import attrs
import pytest
from bakery import Config, bakery

from skillhorizon import Call, Json, Notice, Rng, World, operation, query, table
from skillhorizon.session.session import Memory, Observation, Session, Toolbox
from skillhorizon.world.secrets import SecretRead, Veil
from skillhorizon.world.store import Store


@table("oven", key=("name",), hidden=("fault", "marks"))
@attrs.frozen
class Oven:
    name: str
    heat: int
    fault: str
    marks: list[int]


@table("crate", key=("name",), hidden=("lot", "flaws"))
class Crate(NamedTuple):
    name: str
    lot: str
    flaws: list[int]


@query
def see_heat(call: Call) -> Json:
    """Read what is public."""
    return {"heat": [oven.heat for oven in call.world.select(Oven)]}


@query
def send_fault(call: Call) -> Json:
    """Send what is hidden."""
    return {"oven": [oven.fault for oven in call.world.select(Oven)]}


@query
def compare_fault(call: Call) -> Json:
    """Decide by what is hidden."""
    oven = call.world.get(Oven, "big")
    return {"broken": oven is not None and oven.fault == "door"}


@query
def select_fault(call: Call) -> Json:
    """Read what is hidden by a statement."""
    return {"rows": [list(row) for row in call.world.sql("SELECT fault FROM oven")]}


@operation(reveals=("oven.fault",))
def test_oven(call: Call) -> Json:
    """Reveal a fault, and what else is hidden only if asked for."""
    oven = call.world.get(Oven, "big")
    return {"fault": "" if oven is None else oven.fault, "sql": call.world.sql("SELECT fault FROM oven")[0][0]}


@query(reveals=("oven.fault",))
def see_fault(call: Call) -> Json:
    """Read a fault that may be read."""
    oven = call.world.get(Oven, "big")
    return {"fault": "" if oven is None else oven.fault}


@operation()
def tell_marks(call: Call) -> Json:
    """Change something, then answer with a secret."""
    call.world.advance(9)
    oven = call.world.get(Oven, "big")
    return {"marks": None if oven is None else oven.marks}


def opened(**changes: Any) -> Session:
    tools = (see_heat, send_fault, compare_fault, select_fault, test_oven, see_fault, tell_marks, *bakery().tools)
    environment = bakery(tools=tools, **changes)
    plan = environment.compose(Config(3), Rng("bakery", 1))
    world = World.empty((*environment.tables, Oven))
    environment.build(plan, world)
    world.insert(Oven("big", 230, "door", [1, 2]))
    return Session(environment, plan, world, toolbox=Toolbox.of(environment), recorder=Memory())


def call(name: str) -> Observation:
    return opened().call(name, {})


def test_public_columns_of_a_table_with_secrets_are_read() -> None:
    assert call("see_heat").data == {"heat": [230]}


def test_hidden_columns_of_rows_that_are_tuples_are_covered_too() -> None:
    store = Store([Crate])
    store.insert(Crate("a", "L-1", [3]))
    with store.veiled(Veil(frozenset({"crate.lot"}))):
        [crate] = store.select(Crate)
    assert crate[:2] == ("a", "L-1")
    with pytest.raises(SecretRead, match=r"crate\.flaws"):
        len(crate.flaws)


@pytest.mark.parametrize("tool", ["send_fault", "compare_fault", "select_fault"])
def test_an_undeclared_read_of_a_hidden_column_is_refused(tool: str) -> None:
    said = call(tool)
    assert said.outcome == "internal_error"
    assert "door" not in said.text


def test_a_declared_column_is_revealed() -> None:
    assert call("test_oven").data == {"fault": "door", "sql": "door"}


def test_a_query_reveals_what_it_declares() -> None:
    assert call("see_fault").data == {"fault": "door"}


def test_an_answer_that_cannot_be_said_is_not_committed() -> None:
    session = opened()
    assert session.call("tell_marks", {}).outcome == "internal_error"
    assert session.world.clock == 0


def test_updates_see_hidden_columns() -> None:
    seen: list[str] = []

    def looking(update: Any, world: World, subject: str) -> Notice | None:
        seen.extend(oven.fault for oven in world.select(Oven))
        return None

    session = opened(apply=looking)
    rows = session.call("list_batches", {}).data["rows"]
    for order, loaves, _ in rows:
        session.call("bake", {"order": order, "loaves": loaves})
    assert seen == ["door"]


@pytest.mark.parametrize("name", ["fly\ud800", ["x"], None, 7])
def test_a_name_that_is_no_tool_is_malformed(name: Any) -> None:
    assert opened().call(name, {}).data["error"]["code"] == "UNKNOWN_TOOL"


def test_a_name_is_a_tools_by_what_it_says() -> None:
    class Name(StrEnum):
        HEAT = "see_heat"

    said = opened().call(Name.HEAT, {})
    assert (said.data, said.record.tool) == ({"heat": [230]}, "see_heat")


def test_an_observation_too_large_to_send_is_not_committed() -> None:
    @operation()
    def shout(call: Call) -> Json:
        """Say too much."""
        call.world.advance(1)
        return {"text": "a" * 70_000}

    session = opened()
    tools = {**session.toolbox.tools, "shout": shout}
    session.toolbox = Toolbox(tools)
    assert session.call("shout", {}).outcome == "internal_error"
    assert session.world.clock == 0
