from __future__ import annotations

from typing import Any

import attrs
import pytest

from skillhorizon import Call, Rejection, World, query_page, table

COLUMNS = ("name", "crust")


@table("loaf", key=("name",))
@attrs.frozen
class Loaf:
    name: str
    crust: str
    weight: int


def shelf() -> Call:
    world = World.empty((Loaf,))
    world.insert(*(Loaf(f"L{number}", "dark" if number % 2 else "light", 9 - number) for number in range(1, 8)))
    return Call(world, 1, "", list)


def read(**asked: Any) -> dict[str, Any]:
    chosen = {"crust": asked.pop("crust", None), "name": asked.pop("name", None)}
    text, options = "SELECT name, crust FROM loaf", {"order": "weight", "limit": None, "cursor": None, **asked}
    return query_page(shelf(), text, COLUMNS, chosen, **options)


def names(page: dict[str, Any]) -> list[str]:
    return [row[0] for row in page["rows"]]


def test_nothing_chosen_is_everything_in_its_order() -> None:
    page = read()
    assert page["columns"] == ["name", "crust"]
    assert names(page) == ["L7", "L6", "L5", "L4", "L3", "L2", "L1"]
    assert page["next"] is None


def test_what_is_chosen_must_all_hold() -> None:
    assert names(read(crust="light")) == ["L6", "L4", "L2"]
    assert names(read(crust="light", name="L4")) == ["L4"]
    assert names(read(crust="dark", name="L4")) == []


def test_pages_follow_each_other() -> None:
    first = read(crust="dark", limit=3)
    assert names(first) == ["L7", "L5", "L3"]
    assert names(read(crust="dark", limit=3, cursor=first["next"])) == ["L1"]


def test_a_cursor_of_no_page_is_refused() -> None:
    with pytest.raises(Rejection, match="came from no page"):
        read(cursor="first")
