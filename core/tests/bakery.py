"""A bakery, the smallest whole environment: bake every order, ship every tray; a recipe may change under way."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs

from skillhorizon import (
    After,
    Call,
    Client,
    Concern,
    Cursor,
    Demand,
    Edge,
    Environment,
    Finding,
    Goal,
    Graph,
    Json,
    Limit,
    Module,
    Mutation,
    Notice,
    Number,
    Pattern,
    Prefer,
    Report,
    Requirement,
    Rng,
    Sabotage,
    Scale,
    Step,
    Text,
    World,
    operation,
    page,
    query,
    table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from skillhorizon import Tool

OrderId = Annotated[str, Text(max=8, ref="order")]


@attrs.frozen
class Config:
    size: int
    updates: str = "default"
    slack: int = 500


@table("batch", key=("order",))
@attrs.frozen
class Batch:
    order: str
    loaves: int
    recipe: int


@attrs.frozen
class NewRecipe:
    id: str
    order: str
    recipe: int
    trigger: After
    kind: str = "new_recipe"
    decoy: bool = False


@attrs.frozen(kw_only=True)
class Plan:
    graph: Graph
    goals: tuple[Goal, ...]
    requirements: tuple[Requirement, ...]
    updates: tuple[NewRecipe, ...]
    resources: dict[str, int]
    brief: dict[str, Json]
    work: dict[str, int]
    batches: tuple[Batch, ...]
    recipes: dict[str, int]


def module(name: str, kind: str) -> Module:
    return Module(id=name, kind=kind, skills=(), objects=(name,), inputs=(), outputs=(name,), completion="done", unit=1)


def compose(config: Config, rng: Rng) -> Plan:
    batches = tuple(Batch(f"B{i:02d}", rng.integer(1, 9), 1) for i in range(config.size))
    bakes = [module(f"bake:{b.order}", "bake") for b in batches]
    edges = [
        Edge(
            upstream=m.id,
            downstream="ship",
            outputs=("tray",),
            patterns=(Pattern.JOIN,),
            conditions=(Concern.VALIDITY,),
        )
        for m in bakes
    ]
    changed = batches[0].order
    updates = (NewRecipe("N-1", changed, 2, After("baked", 2)),) if config.updates != "none" else ()
    return Plan(
        graph=Graph((*bakes, module("ship", "ship")), tuple(edges)),
        goals=tuple(Goal(f"batch:{b.order}", "batch", (f"bake:{b.order}", "ship")) for b in batches),
        requirements=(Requirement("D1", Demand.ACHIEVEMENT, "everything is shipped"),),
        updates=updates,
        resources={},
        brief={"orders": config.size},
        work={"batches": config.size},
        batches=batches,
        recipes={b.order: 2 if updates and b.order == changed else 1 for b in batches},
    )


def build(plan: Plan, world: World) -> None:
    world.insert(*plan.batches)


@query
def list_batches(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> Json:
    """List the orders with their loaves and recipes."""
    rows = [[b.order, b.loaves, b.recipe] for b in call.world.select(Batch)]
    return page(rows, ("order", "loaves", "recipe"), limit=limit, cursor=cursor)


@operation(makes="TRAY:{order}")
def bake(call: Call, order: OrderId, loaves: Annotated[int, Number(low=0, high=99)]) -> Json:
    """Bake an order."""
    batch = call.world.get(Batch, order)
    if batch is None:
        call.reject("UNKNOWN_ID", f"there is no order {order!r}; list_batches names them", object=order)
    if loaves != batch.loaves:
        call.reject("WRONG_COUNT", f"order {order} wants another number of loaves; list_batches tells it", object=order)
    call.world.advance(5)
    cites = {"recipe": (f"recipe:{order}", str(batch.recipe))}
    tray = call.ledger.produce(f"TRAY:{order}", {"loaves": loaves}, cites=cites)
    call.ledger.happened("baked", order)
    return {"artifact": tray.ref, "clock": call.world.clock}


@operation(makes="SHP:all")
def ship(call: Call) -> Json:
    """Ship all trays."""
    for batch in call.world.select(Batch):
        call.ledger.require(f"TRAY:{batch.order}", "NOT_BAKED")
    trays = [tray.ref for tray in call.ledger.live("TRAY")]
    made = call.ledger.produce("SHP:all", {}, cites={"tray": trays})
    return {"artifact": made.ref, "clock": call.world.clock}


@operation()
def break_oven(call: Call) -> Json:
    """Write something, then fail inside."""
    call.world.advance(1000)
    raise RuntimeError("the oven is out of order")


@operation(makes="TRAY:{order}", repeat=False)
def burn(call: Call, order: OrderId) -> Json:
    """Bake an order black: committed, but refused as a tray."""
    call.world.advance(1)
    call.failed("BURNT", f"the tray of {order} is black; bake it again", object=order)
    return {"clock": call.world.clock}


def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
    rows = client.call("list_batches")["rows"]
    for order, loaves, _ in sorted(rows, key=lambda row: (prefer(f"bake:{row[0]}"), row[0])):
        yield Step(f"bake:{order}", partial(client.call, "bake", order=order, loaves=loaves))
    loaves_of = {row[0]: row[1] for row in rows}
    for notice in client.notices():
        again = partial(client.call, "bake", order=notice["order"], loaves=loaves_of[notice["order"]])
        yield Step(f"bake:{notice['order']}", again, update=notice["id"])
    yield Step("ship", partial(ship_all, client, list(loaves_of.values())))


def ship_all(client: Client, loaves: list[int]) -> None:
    """Count the loaves and ship them."""
    client.script("count-loaves", "count.py", {"loaves": loaves})
    client.call("ship")


def apply(update: NewRecipe, world: World, subject: str) -> Notice | None:
    world.update(Batch, update.order, recipe=update.recipe)
    world.ledger.changed(f"recipe:{update.order}", str(update.recipe))
    return Notice(update.id, update.kind, {"order": update.order, "after": subject})


def check(world: World, plan: Plan) -> Report:
    shipped = world.ledger.current("SHP:all")
    goals = []
    for b in plan.batches:
        tray = world.ledger.current(f"TRAY:{b.order}")
        fresh = tray is not None and any(c.token == str(plan.recipes[b.order]) for c in world.ledger.cites(tray))
        goals.append(Finding(f"batch:{b.order}", {"baked": fresh, "shipped": world.ledger.consumes(shipped, tray)}))
    return Report(tuple(goals), (Finding("D1", {"shipped": shipped is not None}),))


def left_out(plan: Plan) -> Sabotage:
    """Never bake the last order."""
    last = plan.batches[-1].order
    return Sabotage(skip=lambda step: step.module == f"bake:{last}", fails=frozenset({f"batch:{last}", "D1"}))


def reversed_orders(plan: Plan) -> Sabotage:
    """Bake the orders from the last to the first."""
    return Sabotage(prefer=lambda module: -int(module[-2:]) if module.startswith("bake:") else 0)


MUTATIONS = (Mutation("left-out", left_out), Mutation("reversed-orders", reversed_orders))
TOOLS = (list_batches, bake, ship, burn)
SCALE = Scale(
    cells=(("plain", "white"), ("plain", "rye")),
    bounds=lambda band, family, variant: (3, 18),
    step=lambda band, family, variant: 1,
    config=lambda band, family, variant, knob, options: Config(knob, **options),
    reach=lambda band, family, variant: (600, 1600),
    accept=lambda band, work: None,
    bands=("smoke",),
)

HERE = Path(__file__).parent


def bakery(**changes: Any) -> Environment[Config, Plan]:
    """Return the bakery's bundle, or one that is broken somewhere; `break_oven` is no tool of the sound one."""
    parts: dict[str, Any] = {
        "name": "bakery",
        "package": "skillhorizon",
        "title": "A bakery",
        "config": Config,
        "tables": (Batch,),
        "compose": compose,
        "base": lambda world: None,
        "build": build,
        "tools": TOOLS,
        "steps": steps,
        "apply": apply,
        "check": check,
        "mutations": MUTATIONS,
        "handbook": HERE / "bakery_handbook",
        "skills": HERE / "bakery_skills",
        "instruction": lambda config, plan: f"Bake {config.size} orders and ship them.",
        "scale": SCALE,
    }
    return Environment(**{**parts, **changes})


def with_tools(*tools: Tool, **changes: Any) -> Environment[Config, Plan]:
    """Return a bakery with further tools."""
    return bakery(tools=(*TOOLS, *tools), **changes)
