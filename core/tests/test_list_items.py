"""How the items of a list compare: in one order whatever their form, each once by a field that they have."""

from __future__ import annotations

from itertools import permutations
from typing import Annotated, Any, NewType

import attrs
import pytest

from skillhorizon import Columns, Items
from skillhorizon.gateway.shapes import Faults, shape

Line = Annotated[tuple[str, int], Columns("item", "amount")]
Named = NewType("Named", Line)


@attrs.frozen
class Box:
    name: str
    size: int = 1


@pytest.mark.parametrize(
    ("hint", "items"),
    [
        (int | None, [None, 3, -1]),
        (Any, ["b", 2, None, [1], {"a": 1}]),
        (Box, [{"name": "a"}, {"name": "b"}, {"name": "a", "size": 2}]),
        (Annotated[tuple[str, int | None], Columns("name", "size")], [["a", None], ["a", 1], ["b", None]]),
    ],
)
def test_unordered_items_of_any_form_arrive_in_one_order(hint: Any, items: list[Any]) -> None:
    made = shape(Annotated[list[hint], Items(unordered=True)])
    arrived = [made.parse(list(turned), "$") for turned in permutations(items)]
    assert all(each == arrived[0] for each in arrived)


@pytest.mark.parametrize(
    ("hint", "field", "items"),
    [
        (Line, "amount", [["a", 1], ["b", 1]]),
        (Named, "item", [["a", 1], ["a", 2]]),
        (Box, "name", [{"name": "a"}, {"name": "a", "size": 2}]),
    ],
)
def test_items_stand_once_by_a_field_of_tuples_and_objects(hint: Any, field: str, items: list[Any]) -> None:
    made = shape(Annotated[list[hint], Items(unique=field)])
    assert len(made.parse(items[:1], "$")) == 1
    with pytest.raises(Faults, match=rf"\$\[1\]: {field} .* stands in the list twice"):
        made.parse(items, "$")


@pytest.mark.parametrize("hint", [Line, Line | None, Box, str])
def test_a_field_that_items_do_not_have_is_refused_with_the_declaration(hint: Any) -> None:
    with pytest.raises(TypeError, match="names no field"):
        shape(Annotated[list[hint], Items(unique="price")])


@pytest.mark.parametrize(
    ("hint", "names"),
    [
        (tuple[()], ()),
        (tuple[str, int], ("a", "a")),
        (tuple[str], ("a", "b")),
        (tuple[str, int], ("a", "a", "b")),
    ],
)
def test_a_tuples_names_are_different_and_as_many_as_its_items(hint: Any, names: tuple[str, ...]) -> None:
    with pytest.raises(TypeError, match="as many different names"):
        shape(Annotated[hint, Columns(*names)])
