"""Which artifacts an operation attempts, from the template that it declares and the arguments of a call."""

from __future__ import annotations

from typing import Annotated, Any, NewType

import attrs
import pytest

from skillhorizon import Call, Columns, Items, operation

Line = Annotated[tuple[str, int], Columns("item", "amount")]
Named = NewType("Named", tuple[str, int])


@attrs.frozen
class Box:
    name: str
    lines: list[Line]


def attempted(template: str, hint: Any, value: Any) -> list[str]:
    def body(call: Call, given: hint) -> dict[str, Any]:
        return {}

    body.__annotations__["given"] = hint
    tool = operation(makes=template)(body)
    return tool.attempts(tool.parse({"given": value}))


@pytest.mark.parametrize(
    ("template", "hint", "value"),
    [
        ("X:{given.item}", Line, ["a", 1]),
        ("X:{given.item}", Line | None, ["a", 1]),
        ("X:{given.item}", list[Line], [["a", 1]]),
        ("X:{given.item}", Annotated[list[Line], Items(max=3, unordered=True, unique="item")], [["a", 1]]),
        ("X:{given.lines.item}", Box, {"name": "b", "lines": [["a", 1]]}),
        ("X:{given.lines.item}", list[Box], [{"name": "b", "lines": [["a", 1]]}]),
        ("X:{given.b.item}", dict[str, Line], {"b": ["a", 1]}),
        ("X:{given.line.item}", Annotated[tuple[int, Line], Columns("number", "line")], [1, ["a", 1]]),
    ],
)
def test_a_template_names_items_of_tuples_by_their_columns(template: str, hint: Any, value: Any) -> None:
    assert attempted(template, hint, value) == ["X:a"]


def test_a_list_of_tuples_attempts_one_artifact_each() -> None:
    assert attempted("X:{given.item}-{given.amount}", list[Line], [["a", 1], ["b", 2]]) == ["X:a-1", "X:b-2"]


def test_what_is_absent_attempts_nothing() -> None:
    assert attempted("X:{given.item}", Line | None, None) == []


def test_a_template_with_a_name_that_no_item_has_is_refused() -> None:
    with pytest.raises(TypeError, match="no item 'price' in a tuple of item, amount"):
        attempted("X:{given.price}", list[Line], [])
