"""Lamplight, a complete environment in under 200 lines: fill every lamp of a street, then sign the street off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from importlib.resources import files
from typing import Annotated

import attrs

import skillhorizon as shz

LampId = Annotated[str, shz.Text(max=8, ref="lamp", doc="such as L-03")]


@attrs.frozen
class Config:
    lamps: int
    slack: int = 500
    updates: str = "default"


@shz.table("lamp", key=("lamp",))
@attrs.frozen
class Lamp:
    lamp: str
    wick: int
    wind: int

    @property
    def oil(self) -> int:
        return 3 * self.wick + self.wind


@attrs.frozen
class Gale:
    id: str
    lamp: str
    wind: int
    trigger: shz.After
    kind: str = "gale"
    decoy: bool = False


@attrs.frozen(kw_only=True)
class Plan:
    graph: shz.Graph
    goals: tuple[shz.Goal, ...]
    requirements: tuple[shz.Requirement, ...]
    updates: tuple[Gale, ...]
    resources: Mapping[str, int]
    brief: Mapping[str, shz.Json]
    work: Mapping[str, int]
    lamps: tuple[Lamp, ...]
    oil: Mapping[str, int]


def module(kind: str, name: str) -> shz.Module:
    outputs, completion = (f"{kind.upper()}:{name}",), "its result is valid and true"
    skills = ("measure-oil",) if kind == "fill" else ()
    return shz.Module(
        id=f"{kind}:{name}", kind=kind, skills=skills, objects=(name,), inputs=(), outputs=outputs,
        completion=completion, unit=1,
    )  # fmt: skip


def compose(config: Config, rng: shz.Rng) -> Plan:
    lamps = tuple(Lamp(f"L-{i:02d}", rng.integer(10, 90), rng.integer(0, 9)) for i in range(1, config.lamps + 1))
    gale = Gale("N-01", lamps[0].lamp, lamps[0].wind + 5, shz.After("filled", 2))
    updates = () if config.updates == "none" else (gale,)
    oil = {lamp.lamp: lamp.oil + (5 if updates and lamp is lamps[0] else 0) for lamp in lamps}
    fills, off = [module("fill", lamp.lamp) for lamp in lamps], module("sign", "street")
    edge = partial(shz.Edge, downstream=off.id, patterns=(shz.Pattern.JOIN,), conditions=(shz.Concern.VALIDITY,))
    return Plan(
        graph=shz.Graph((*fills, off), tuple(edge(upstream=fill.id, outputs=fill.outputs) for fill in fills)),
        goals=tuple(shz.Goal(f"lamp:{lamp.lamp}", "lamp", (f"fill:{lamp.lamp}", off.id)) for lamp in lamps),
        requirements=(shz.Requirement("D1", shz.Demand.ACHIEVEMENT, "the street is signed off"),),
        updates=updates,
        resources={},
        brief={"lamps": config.lamps},
        work={"lamps": config.lamps},
        lamps=lamps,
        oil=oil,
    )


@shz.query
def list_lamps(call: shz.Call, limit: shz.Limit | None = None, cursor: shz.Cursor | None = None) -> shz.Json:
    """List the lamps."""
    return shz.page([[lamp.lamp] for lamp in call.world.select(Lamp)], ("lamp",), limit=limit, cursor=cursor)


@shz.query
def read_lamp(call: shz.Call, lamp: LampId) -> shz.Json:
    """Read a lamp's wick and the wind at it."""
    found = known(call, lamp)
    return {"wick": found.wick, "wind": found.wind}


def known(call: shz.Call, lamp: str) -> Lamp:
    found = call.world.get(Lamp, lamp)
    if found is None:
        call.reject("UNKNOWN_ID", f"there is no lamp {lamp!r}; list_lamps names them", object=lamp)
    return found


@shz.operation(makes="FILL:{lamp}")
def fill_lamp(call: shz.Call, lamp: LampId, oil: Annotated[int, shz.Number(low=0, high=999)]) -> shz.Json:
    """Fill a lamp with a measure of oil (4 minutes)."""
    found = known(call, lamp)
    if oil != found.oil:
        call.reject("WRONG_MEASURE", f"lamp {lamp} burns another measure; reckon it by R1", object=lamp)
    call.world.advance(4)
    made = call.ledger.produce(f"FILL:{lamp}", {"oil": oil}, cites={"wind": (f"wind:{lamp}", str(found.wind))})
    call.ledger.happened("filled", lamp)
    return {"artifact": made.ref, "clock": call.world.clock}


@shz.operation(makes="SIGN:street")
def sign_street(call: shz.Call) -> shz.Json:
    """Sign the street off, once every lamp is filled (1 minute)."""
    for lamp in call.world.select(Lamp):
        call.ledger.require(f"FILL:{lamp.lamp}", "NOT_FILLED")
    call.world.advance(1)
    made = call.ledger.produce("SIGN:street", {}, cites={"fill": [fill.ref for fill in call.ledger.live("FILL")]})
    return {"artifact": made.ref, "clock": call.world.clock}


def apply(update: Gale, world: shz.World, subject: str) -> shz.Notice:
    world.update(Lamp, update.lamp, wind=update.wind)
    world.ledger.changed(f"wind:{update.lamp}", str(update.wind))
    return shz.Notice(update.id, update.kind, {"lamp": update.lamp, "wind": update.wind})


def fill(client: shz.Client, lamp: str) -> None:
    found = client.call("read_lamp", lamp=lamp)
    oil = client.script("measure-oil", "measure.py", found)["oil"]
    client.call("fill_lamp", lamp=lamp, oil=oil)


def steps(client: shz.Client, brief: Mapping[str, shz.Json], prefer: shz.Prefer) -> Iterator[shz.Step]:
    lamps = [row[0] for row in client.call("list_lamps")["rows"]]
    for lamp in sorted(lamps, key=lambda lamp: (prefer(f"fill:{lamp}"), lamp)):
        yield shz.Step(f"fill:{lamp}", partial(fill, client, lamp))
    for notice in client.notices():
        yield shz.Step(f"fill:{notice['lamp']}", partial(fill, client, notice["lamp"]), notice["id"])
    yield shz.Step("sign:street", partial(client.call, "sign_street"))


def check(world: shz.World, plan: Plan) -> shz.Report:
    signed, goals = world.ledger.current("SIGN:street"), []
    for lamp, oil in plan.oil.items():
        made = world.ledger.current(f"FILL:{lamp}")
        true = made is not None and made.content["oil"] == oil
        conditions = {"filled": true, "signed": world.ledger.consumes(signed, made)}
        goals.append(shz.Finding(f"lamp:{lamp}", conditions))
    return shz.Report(tuple(goals), (shz.Finding("D1", {"signed": signed is not None}),))


def left_dark(plan: Plan) -> shz.Sabotage:
    dark = plan.lamps[-1].lamp
    return shz.Sabotage(skip=lambda step: step.module == f"fill:{dark}", fails=frozenset({f"lamp:{dark}", "D1"}))


environment: shz.Environment[Config, Plan] = shz.Environment(
    name="lamplight",
    package="lamplight",
    title="Fill the lamps of a street while the wind changes",
    config=Config,
    tables=(Lamp,),
    compose=compose,
    base=lambda world: None,
    build=lambda plan, world: world.insert(*plan.lamps),
    tools=(list_lamps, read_lamp, fill_lamp, sign_street),
    steps=steps,
    apply=apply,
    check=check,
    mutations=(
        shz.Mutation("left-dark", left_dark),
        shz.Mutation(
            "backwards", lambda plan: shz.Sabotage(prefer=lambda name: -int(name[-2:]) if "L-" in name else 0)
        ),
    ),
    handbook=files("lamplight") / "handbook",
    skills=files("lamplight") / "skills",
    instruction=lambda config, plan: f"Every one of {config.lamps} lamps must burn, and the street be signed off.",
    scale=shz.Scale(
        cells=(("street", "plain"),),
        bounds=lambda band, family, variant: (3, 18),
        step=lambda band, family, variant: 1,
        config=lambda band, family, variant, knob, options: Config(knob, **options),
        reach=lambda band, family, variant: (900, 3000),
        accept=lambda band, work: None,
        bands=("smoke",),
    ),
)
