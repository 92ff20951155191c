from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, NewType

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillhorizon import Call, Columns, Items, Number, Text, operation
from skillhorizon.gateway.shapes import Faults, shape
from skillhorizon.model.canonical import dumps

Account = NewType("Account", str)


class Colour(StrEnum):
    RED = "red"


Line = Annotated[tuple[Annotated[str, Text(max=4)], int], Columns("item", "amount")]


@attrs.frozen
class Address:
    street: str
    number: int = 1


LINES = Annotated[list[Line], Items(max=3, unordered=True, unique="item")]
BAG = Annotated[list[int], Items(unordered=True)]
Sack = Annotated[tuple[str, BAG], Columns("name", "sizes")]


def faults(hint: Any, value: Any) -> tuple[str, ...]:
    with pytest.raises(Faults) as caught:
        shape(hint).parse(value, "$")
    return caught.value.faults


@pytest.mark.parametrize(
    ("hint", "value", "parsed"),
    [
        (int, 5, 5),
        (bool, True, True),
        (Account, "AC-1", "AC-1"),
        (Colour, "red", Colour.RED),
        (Literal["net", "gross"], "net", "net"),
        (dict[str, int], {"E01": 2}, {"E01": 2}),
        (int | None, None, None),
        (Address, {"street": "s"}, Address("s")),
        (LINES, [["b", 1], ["a", 2]], [("a", 2), ("b", 1)]),
    ],
)
def test_valid_values_parse(hint: Any, value: Any, parsed: Any) -> None:
    assert shape(hint).parse(value, "$") == parsed


@pytest.mark.parametrize(
    ("hint", "given_value", "verbatim"),
    [
        (list[Line], [["b", 1], ["a", 2]], True),
        (LINES, [["b", 1], ["a", 2]], False),
        (dict[str, list[int]], {"b": [2, 1], "a": []}, True),
        (dict[str, LINES], {"b": [["b", 1], ["a", 2]]}, False),
        (Sack, ["b", [2, 1]], False),
        (list[Sack], [["b", [2, 1]]], False),
        (Colour | None, None, True),
        (Address, {"street": "s"}, False),
        (list[Address], [{"street": "s"}], False),
        (Any, {"b": [None], "a": 1}, True),
    ],
)
def test_a_verbatim_shape_says_what_was_given(hint: Any, given_value: Any, verbatim: bool) -> None:
    made = shape(hint)
    assert made.verbatim is verbatim
    assert (dumps(made.parse(given_value, "$")) == dumps(given_value)) is verbatim


def test_arguments_are_kept_as_they_mean_not_as_they_were_written() -> None:
    @operation()
    def book(call: Call, lines: LINES, note: str | None = None) -> dict[str, Any]:
        return {}

    @operation()
    def label(call: Call, text: str, note: str | None = None) -> dict[str, Any]:
        return {}

    for tool, arguments, kept in [
        (book, {"lines": [["b", 1], ["a", 2]]}, '{"lines":[["a",2],["b",1]]}'),
        (label, {"text": "x", "note": None}, '{"text":"x"}'),
        (label, {"text": "x", "note": "y"}, '{"note":"y","text":"x"}'),
    ]:
        assert tool.args_text(tool.parse(arguments), dumps(arguments)) == kept


@pytest.mark.parametrize(
    ("hint", "value", "path"),
    [
        (int, "5", "$: expected integer, got string"),
        (int, True, "$: expected integer, got boolean"),
        (int, 2**53, "outside"),
        (int, 5.0, "$: expected integer, got number"),
        (str, None, "$: expected string, got null"),
        (str, "a\0", "NUL"),
        (str, "\ud800", "surrogate"),
        (str, "x" * 401, "at most 400"),
        (Annotated[int, Number(low=0)], -1, "outside [0,"),
        (Colour, "blue", "$: expected one of red, got 'blue'"),
        (LINES, [["a", 1], ["a", 1]], "$[1]: item 'a' stands in the list twice"),
        (LINES, [["a", 1], ["b", "1"]], "$[1][1]: expected integer, got string"),
        (LINES, [["a"]], "$[0]: expected [item, amount], got an array of 1"),
        (LINES, [["a", 1]] * 4, "4 items, at most 3"),
        (Address, {"street": "s", "zip": 1}, "$.zip: unknown"),
        (Address, {}, "$.street: missing"),
        (dict[str, int], {"E01": "x"}, "$.E01: expected integer"),
        (list[int], {"0": 1}, "$: expected array, got object"),
    ],
)
def test_faults_name_their_path(hint: Any, value: Any, path: str) -> None:
    assert any(path in fault for fault in faults(hint, value))


def test_the_path_of_a_tools_faults_starts_at_its_arguments() -> None:
    @operation()
    def book(call: Call, lines: LINES) -> dict[str, Any]:
        return {}

    for arguments, fault in [
        ([], "$: expected object, got array"),
        ({}, "$.lines: missing"),
        ({"lines": [["a", "1"]]}, "$.lines[0][1]: expected integer, got string"),
    ]:
        with pytest.raises(Faults) as caught:
            book.parse(arguments)
        assert caught.value.faults == (fault,)


def test_every_fault_is_reported() -> None:
    assert len(faults(LINES, [["a", "1"], ["toolong", 2]])) == 2


@attrs.frozen
class Delivery:
    day: int
    lines: Annotated[list[Line], Items(max=3)]
    note: str = ""


def test_every_fault_of_every_field_is_reported_once() -> None:
    told = faults(Delivery, {"lines": [["a", "1"], ["toolong", 2]], "note": 5, "colour": "red"})
    paths = [fault.partition(": ")[0] for fault in told]
    assert sorted(paths) == ["$.colour", "$.day", "$.lines[0][1]", "$.lines[1][0]", "$.note"]


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        (tuple[str, int], "Columns"),
        (Annotated[tuple[str, int], Columns("item")], "2 items needs as many different names"),
    ],
)
def test_a_tuple_names_each_of_its_items(hint: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        shape(hint)


def test_rows_are_arrays_of_fixed_length_in_the_schema() -> None:
    schema = shape(Line).schema
    assert (schema["type"], schema["minItems"], schema["maxItems"]) == ("array", 2, 2)
    assert schema["description"] == "[item, amount]"


def test_a_schema_has_neither_one_of_nor_prefix_items() -> None:
    text = str(shape(LINES).schema)
    assert "oneOf" not in text
    assert "prefixItems" not in text


def test_references_are_known_by_their_place() -> None:
    hint = Annotated[list[Annotated[str, Text(ref="source")]], Items()]
    assert shape(hint).refs == ((("*",), "source"),)


Source = Annotated[str, Text(ref="source")]
Run = Annotated[str, Text(ref="run")]
Feed = Annotated[tuple[int, Source, list[Run]], Columns("day", "source", "runs")]


def test_references_in_a_tuple_are_known_by_their_index() -> None:
    assert shape(Feed).refs == (((1,), "source"), ((2, "*"), "run"))
    assert shape(list[Feed]).refs == ((("*", 1), "source"), (("*", 2, "*"), "run"))


def test_a_tuple_parsed_alone_is_a_tuple() -> None:
    assert type(shape(Line).parse(["a", 1], "$")) is tuple


@pytest.mark.parametrize(
    ("hint", "value"),
    [(list[int], [1, 2]), (list[str], ["a"]), (list[Any], [None]), (BAG, [2, 1]), (list[int], [])],
)
def test_a_parsed_list_is_a_copy(hint: Any, value: list[Any]) -> None:
    before = [*value]
    parsed = shape(hint).parse(value, "$")
    parsed.append(9)
    assert value == before
    value.clear()
    assert len(parsed) == len(before) + 1


@pytest.mark.parametrize(
    ("hint", "value"), [(dict[str, int], {"a": 1}), (dict[str, Any], {"a": None}), (dict[str, bool], {"a": True})]
)
def test_a_parsed_map_is_a_copy(hint: Any, value: dict[str, Any]) -> None:
    before = {**value}
    parsed = shape(hint).parse(value, "$")
    parsed["z"] = 9
    assert value == before
    value.clear()
    assert parsed == {**before, "z": 9}


def test_a_unique_column_is_found_by_its_name() -> None:
    hint = Annotated[list[Line], Items(unique="amount")]
    assert shape(hint).parse([["a", 1], ["a", 2]], "$") == [("a", 1), ("a", 2)]
    assert faults(hint, [["a", 1], ["b", 1]]) == ("$[1]: amount 1 stands in the list twice; name each once",)


def test_a_list_may_have_a_least_length() -> None:
    made = shape(Annotated[list[int], Items(min=1, max=2)])
    assert (made.schema["minItems"], made.parse([7], "$")) == (1, [7])
    assert faults(Annotated[list[int], Items(min=1)], []) == ("$: 0 items, at least 1 must be given",)
    assert "minItems" not in shape(list[int]).schema


@pytest.mark.parametrize("hint", [float, int | str, set[int], object])
def test_other_types_are_no_shapes(hint: Any) -> None:
    with pytest.raises(TypeError, match="no argument shape"):
        shape(hint)


@given(st.permutations([["a", 1], ["b", 2], ["c", 3]]))
def test_unordered_lists_arrive_in_one_order(rows: list[list[Any]]) -> None:
    assert shape(LINES).parse(rows, "$") == [("a", 1), ("b", 2), ("c", 3)]


class Mark(StrEnum):
    LOUD = "a!"
    PLAIN = "a"


Flag = Annotated[tuple[int, bool], Columns("day", "open")]
Gap = Annotated[tuple[int, str | None], Columns("day", "note")]


@pytest.mark.parametrize(
    ("item", "value", "ordered"),
    [
        (int, [10, 9, -1], [-1, 9, 10]),
        (str, ["a!", "b", "a"], ["a", "a!", "b"]),
        (Annotated[str, Text(max=2)], ["a!", "a"], ["a", "a!"]),
        (Account, ["a!", "a"], ["a", "a!"]),
        (Line, [["a", 10], ["a!", 1], ["a", 9]], [("a", 9), ("a", 10), ("a!", 1)]),
        (bool, [True, False, True], [False, True, True]),
        (Literal["a!", "a"], ["a!", "a"], ["a", "a!"]),
        (Mark, ["a!", "a"], [Mark.PLAIN, Mark.LOUD]),
    ],
)
def test_unordered_plain_values_and_tuples_of_them_have_their_own_order(item: Any, value: Any, ordered: Any) -> None:
    assert shape(Annotated[list[item], Items(unordered=True)]).parse(value, "$") == ordered


@pytest.mark.parametrize(
    ("item", "value", "ordered"),
    [
        (Flag, [[9, True], [10, True], [10, False]], [(10, False), (10, True), (9, True)]),
        (Gap, [[1, None], [9, "a"], [10, None], [1, "a"]], [(1, "a"), (1, None), (10, None), (9, "a")]),
        (list[int], [[9], [10], []], [[10], [9], []]),
        (Address, [{"street": "a", "number": 9}, {"street": "b", "number": 10}], [Address("b", 10), Address("a", 9)]),
    ],
)
def test_other_unordered_values_are_put_in_the_order_of_their_json(item: Any, value: Any, ordered: Any) -> None:
    assert shape(Annotated[list[item], Items(unordered=True)]).parse(value, "$") == ordered


def test_unordered_numbers_stand_before_what_is_absent() -> None:
    assert shape(Annotated[list[int | None], Items(unordered=True)]).parse([None, 10, 9], "$") == [9, 10, None]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_any_json_either_parses_or_is_a_fault(value: Any) -> None:
    try:
        parsed = shape(LINES).parse(value, "$")
    except Faults as error:
        parsed = error.faults or None
    assert parsed is not None


cells = st.one_of(st.text(max_size=5), st.integers(-3, 3), st.sampled_from([2**53, True, None, 1.5, "\0", "\ud800"]))


@given(st.lists(st.one_of(st.tuples(cells, cells).map(list), st.lists(cells, max_size=3), cells), max_size=4))
def test_a_list_parsed_at_once_gives_what_its_items_give_alone(value: list[Any]) -> None:
    whole, item = shape(Annotated[list[Line], Items(max=9)]), shape(Line)
    try:
        alone: Any = [item.parse(each, f"$[{i}]") for i, each in enumerate(value)]
    except Faults:
        assert faults(Annotated[list[Line], Items(max=9)], value)
    else:
        assert whole.parse(value, "$") == alone


@given(st.lists(cells, max_size=4))
def test_what_a_shape_parses_at_once_it_parses_alone(value: list[Any]) -> None:
    for hint in (Annotated[str, Text(max=3)], Annotated[int, Number(low=-1, high=2)]):
        one = shape(hint)
        parsed = one.parse_all(value) if value else None
        assert parsed is None or list(parsed) == [one.parse(each, "$") for each in value]


def test_a_plain_list_is_parsed_at_once() -> None:
    assert shape(Annotated[str, Text(max=3)]).parse_all(["a", "b"]) == ["a", "b"]
    assert shape(Line).parse_all([["a", 1], ["b", 2]]) == [("a", 1), ("b", 2)]
