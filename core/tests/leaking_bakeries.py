"""Bakeries that tell what is hidden; `LEAKING` has words of the finding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import attrs
import bakery as sound
from bakery import Batch, OrderId, Plan, with_tools

from skillhorizon import Call, Cursor, Json, Limit, Number, Twin, World, page, query, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from bakery import Config

    from skillhorizon import Environment, Rng

    Bakery = Environment[Config, Plan]

LEAKING = {
    "tells_the_future": "list_forecasts tells of what is hidden: without update N-1",
    "tells_on_the_last_page": "list_shelves tells of what is hidden: without update N-1",
    "tells_of_another_day": "list_shelves tells of what is hidden: without update N-1",
    "tells_a_secret": "list_secrets tells of what is hidden: other secrets",
    "sorts_by_a_secret": "list_moods tells of what is hidden: oven.mood permuted",
}
"""Function of this module -> what the check `leaks` says of it."""
Day = Annotated[int, Number(low=1, high=99)]


@table("wall", key=("text",))
@attrs.frozen
class Writing:
    text: str


@table("forecast", key=("update",))
@attrs.frozen
class Forecast:
    update: str
    order: str


def tells_the_future() -> Bakery:
    @query
    def list_forecasts(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> Json:
        """List what may change."""
        return page(foreseen(call), ("order",), limit=limit, cursor=cursor)

    return with_tools(list_forecasts, tables=(Batch, Forecast), build=build_with_forecasts)


@attrs.frozen(kw_only=True)
class SecretivePlan(Plan):
    secret: int = 0


def tells_a_secret() -> Bakery:
    @query
    def list_secrets(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> Json:
        """List what is written on the wall."""
        return page([[note.text] for note in call.world.select(Writing)], ("text",), limit=limit, cursor=cursor)

    def compose(config: Config, rng: Rng) -> Plan:
        plan = sound.compose(config, rng)
        fields = {field.name: getattr(plan, field.name) for field in attrs.fields(Plan)}
        return SecretivePlan(**fields, secret=rng.integer(0, 10**6))

    def build(plan: Plan, world: World) -> None:
        sound.build(plan, world)
        world.insert(Writing(str(getattr(plan, "secret", 0))))

    def twins(plan: Any, rng: Rng) -> list[Twin[Plan]]:
        other = attrs.evolve(plan, secret=rng.integer(10**6, 10**7))
        return [Twin(name="other secrets", plan=other, reveals=lambda tool, arguments: tool == "ship")]

    return with_tools(list_secrets, tables=(Batch, Writing), compose=compose, build=build, twins=twins)


@table("oven", key=("name",), hidden=("mood",))
@attrs.frozen
class Oven:
    name: str
    mood: int


def sorts_by_a_secret() -> Bakery:
    @query
    def list_moods(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> Json:
        """List the ovens, the merry ones first."""
        rows = [[oven.name] for oven in call.world.select(Oven, order=("mood",))]
        return page(rows, ("oven",), limit=limit, cursor=cursor)

    def build(plan: Plan, world: World) -> None:
        sound.build(plan, world)
        world.insert(*(Oven(f"O-{i}", 7 - i) for i in range(6)))

    return with_tools(list_moods, tables=(Batch, Oven), build=build)


def build_with_forecasts(plan: Plan, world: World) -> None:
    """Write down what each update will change."""
    sound.build(plan, world)
    world.insert(*(Forecast(update.id, update.order) for update in plan.updates))


def foreseen(call: Call) -> list[list[Json]]:
    return [[each.order] for each in call.world.select(Forecast)]


def listing(rows: Callable[[Call, bool, int | None], list[list[Json]]]) -> Bakery:
    """Return a bakery that lists rows of (call, whether anything is asked for, day)."""

    @query
    def list_shelves(
        call: Call,
        order: OrderId | None = None,
        day: Day | None = None,
        limit: Limit | None = None,
        cursor: Cursor | None = None,
    ) -> Json:
        """List the shelves, of an order or a day if one is given."""
        asked = order is not None or day is not None or limit is not None
        return page(rows(call, asked, day), ("shelf",), limit=limit, cursor=cursor)

    return with_tools(list_shelves, tables=(Batch, Forecast), build=build_with_forecasts)


def tells_on_the_last_page() -> Bakery:
    shelves: list[list[Json]] = [[f"S-{number:02d}"] for number in range(24)]
    return listing(lambda call, asked, day: shelves if asked else [*shelves, *foreseen(call)])


def tells_of_another_day() -> Bakery:
    return listing(lambda call, asked, day: foreseen(call) if day == 2 else [])
