"""Bakeries that are broken in one place each; `BROKEN` tells which check must find it, and with what words."""

from __future__ import annotations

import atexit
import datetime
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import bakery as sound
from bakery import HERE, MUTATIONS, TOOLS, Batch, Config, NewRecipe, Plan, bakery, with_tools

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
    Json,
    Limit,
    Mutation,
    Notice,
    Pattern,
    Prefer,
    Refused,
    Report,
    Requirement,
    Rng,
    Sabotage,
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

Bakery = Environment[Config, Plan]
BROKEN: dict[str, tuple[str, str]] = {
    "lacks_its_checker": ("bundle", "lacks its role check"),
    "has_no_mutations": ("bundle", "no tuple with at least one Mutation"),
    "has_no_slack": ("bundle", "has no option slack"),
    "breaks_on_loading": ("bundle", "cannot be loaded"),
    "prints": ("bundle", "prints at tests/broken_bakeries.py"),
    "hashes": ("repeatable", "two processes run differently"),
    "looks_at_the_clock": ("repeatable", "asks time.time at"),
    "looks_at_the_calendar": ("repeatable", "asks datetime.now at"),
    "draws_on_its_own": ("repeatable", "asks random at"),
    "breaks_while_composing": ("reference", "does not succeed"),
    "hangs": ("reference", "does not succeed"),
    "bakes_wrongly": ("reference", "does not succeed"),
    "is_refused_once": ("reference", "is rejected"),
    "waits_for_ever": ("reference", "updates do not fire"),
    "has_achieved_something": ("start", "the achievement D2 holds at the start"),
    "has_broken_something": ("start", "the invariant D2 is broken at the start"),
    "idles_at_the_end": ("start", "leaves out the last step succeeds"),
    "sweeps": ("necessity", "the module sweep is not necessary"),
    "has_an_empty_edge": ("necessity", "the edge bake:B00 -> bake:B01 is not real"),
    "hides_a_dependency": ("necessity", "loses goals that the graph does not connect"),
    "has_an_unneeded_edge": ("necessity", "is not real"),
    "has_an_idle_module": ("necessity", "a module has no step"),
    "claims_a_failure": ("mutations", "the mutation idle does not fail what it says"),
    "claims_one_failure": ("mutations", "the mutation left-out fails more than it says"),
    "claims_harmlessness": ("mutations", "the harmless mutation left-out fails"),
    "has_a_mutation_for_nothing": ("mutations", "the mutation nowhere applies nowhere"),
    "keeps_its_order": ("orders", "does not follow the preferred order"),
    "knows_one_order": ("orders", "fails in another order"),
    "writes_and_refuses": ("rejections", "a rejected call of peek changed the world"),
    "trips_over_names": ("arguments", "weigh fails inside"),
    "has_an_unmarked_decoy": ("updates", "is not marked as a decoy"),
    "has_a_false_decoy": ("updates", "the decoy N-1 ends accepted work"),
    "has_no_update": ("updates", "no update of the task ends accepted work"),
    "needs_no_attention": ("updates", "an agent that ignores updates succeeds"),
    "insists_on_updates": ("updates", "has updates"),
    "grows_too_fast": ("scaling", "L_ref is not linear"),
    "remembers_the_first_run": ("replays", "a replay differs from its journal"),
    "has_a_malformed_skill": ("skills", "breaks the Agent Skills format"),
    "has_a_two_faced_script": ("skills", "answers otherwise as a program"),
    "gives_a_task_away": ("skills", "holds data of a task"),
    "needs_its_scripts": ("unaided", "cannot be solved without skills"),
    "hides_codes_and_rules": ("unaided", "stand in no topic"),
    "has_a_loud_name": ("tools", "'makeBread' is not accepted everywhere"),
    "does_not_page": ("tools", "takes no limit and cursor"),
    "loses_a_row": ("tools", "gives other rows in other pages"),
    "writes_while_reading": ("tools", "the query peek writes"),
    "talks_too_much": ("tools", "list_crumbs answers with"),
    "judges_and_writes": ("reading", "tries to write"),
    "tells_the_order": ("instruction", "tells an order of work"),
    "names_a_skill": ("instruction", "names a skill"),
}
"""Function of this module -> the check that finds its fault, and words of the finding."""
OrderId = Annotated[str, Text(max=8, ref="order")]


def lacks_its_checker() -> Bakery:
    return bakery(check=None)


def has_no_mutations() -> Bakery:
    return bakery(mutations=())


@attrs.frozen
class Thrifty:
    size: int
    updates: str = "default"


def has_no_slack() -> Bakery:
    return bakery(config=Thrifty)


def breaks_on_loading() -> Bakery:
    raise RuntimeError("the flour is wet")


def prints() -> Bakery:
    def compose(config: Config, rng: Rng) -> Plan:
        print("composing")  # noqa: T201  # the fault
        return sound.compose(config, rng)

    return bakery(compose=compose)


def noticing(tag: Any) -> Bakery:
    """Return a bakery whose notices hold something more."""

    def apply(update: NewRecipe, world: World, subject: str) -> Notice | None:
        notice = sound.apply(update, world, subject)
        return None if notice is None else attrs.evolve(notice, body={**notice.body, "tag": tag(update)})

    return bakery(apply=apply)


def hashes() -> Bakery:
    return noticing(lambda update: hash(update.order) % 1000)


def looks_at_the_clock() -> Bakery:
    return noticing(lambda update: len(str(time.time())) * 0)  # noqa: TID251  # the fault


def looks_at_the_calendar() -> Bakery:
    return noticing(lambda update: datetime.datetime.now().day * 0)  # noqa: DTZ005, TID251  # the fault


def draws_on_its_own() -> Bakery:
    import random  # noqa: PLC0415, TID251  # the fault

    return noticing(lambda update: int(random.random()))  # noqa: S311  # the fault


def breaks_while_composing() -> Bakery:
    def compose(config: Config, rng: Rng) -> Plan:
        raise ValueError("no recipe is left")

    return bakery(compose=compose)


def hangs() -> Bakery:
    def compose(config: Config, rng: Rng) -> Plan:
        while True:
            pass

    return bakery(compose=compose)


def bakes_wrongly() -> Bakery:
    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        yield Step("bake:B00", lambda: client.call("bake", order="B00", loaves=99))

    return bakery(steps=steps)


def is_refused_once() -> Bakery:
    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        try:
            client.call("bake", order="B99", loaves=1)
        except Refused:
            yield from sound.steps(client, brief, prefer)

    return bakery(steps=steps)


def planned(**changes: Any) -> Bakery:
    """Return a bakery whose plans are changed: each value is a function of the plan."""

    def compose(config: Config, rng: Rng) -> Plan:
        plan = sound.compose(config, rng)
        return attrs.evolve(plan, **{name: change(plan) for name, change in changes.items()})

    return bakery(compose=compose)


def waits_for_ever() -> Bakery:
    late = NewRecipe("N-2", "B00", 2, After("baked", 99), decoy=True)
    return planned(updates=lambda plan: (*plan.updates, late) if plan.updates else ())


def demanding(demand: Demand, holds: Any) -> Bakery:
    """Return a bakery with one requirement more; `holds` judges it by (world, plan)."""
    made = planned(requirements=lambda plan: (*plan.requirements, Requirement("D2", demand, "all is well")))

    def check(world: World, plan: Plan) -> Report:
        report = sound.check(world, plan)
        more = Finding("D2", {"well": holds(world, plan)})
        return attrs.evolve(report, requirements=(*report.requirements, more))

    return attrs.evolve(made, check=check)


def has_achieved_something() -> Bakery:
    return demanding(Demand.ACHIEVEMENT, lambda world, plan: True)


def has_broken_something() -> Bakery:
    return demanding(Demand.INVARIANT, lambda world, plan: world.clock > 0)


def stepping(extra: Any) -> Bakery:
    """Return a bakery whose policy takes further steps, `extra` of the client, at the end."""

    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        yield from sound.steps(client, brief, prefer)
        yield from extra(client)

    return bakery(steps=steps)


def idles_at_the_end() -> Bakery:
    return stepping(lambda client: [Step("ship", partial(client.call, "list_batches"))])


def graphed(environment: Bakery, change: Any) -> Bakery:
    """Return a bakery whose graph is changed."""

    def compose(config: Config, rng: Rng) -> Plan:
        plan = sound.compose(config, rng)
        return attrs.evolve(plan, graph=change(plan.graph))

    return attrs.evolve(environment, compose=compose)


def sweeps() -> Bakery:
    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        yield Step("sweep", partial(client.call, "list_batches"))
        yield from sound.steps(client, brief, prefer)

    swept = (sound.module("sweep", "sweep"),)
    return graphed(bakery(steps=steps), lambda graph: attrs.evolve(graph, modules=graph.modules + swept))


def edge(upstream: str, downstream: str, **more: Any) -> Edge:
    """Return an edge of the bakery."""
    made = partial(Edge, outputs=("tray",), patterns=(Pattern.SEQUENTIAL,), conditions=(Concern.CONTENT,))
    return made(upstream=upstream, downstream=downstream, **more)


def has_an_empty_edge() -> Bakery:
    return graphed(bakery(), lambda g: attrs.evolve(g, edges=(*g.edges, edge("bake:B00", "bake:B01"))))


def has_an_unneeded_edge() -> Bakery:
    more = edge("bake:B01", "bake:B02", necessary=False)
    return graphed(bakery(), lambda g: attrs.evolve(g, edges=(*g.edges, more)))


def hides_a_dependency() -> Bakery:
    def cut(plan: Plan) -> tuple[Goal, ...]:
        return tuple(attrs.evolve(goal, modules=goal.modules[:1]) for goal in plan.goals)

    def compose(config: Config, rng: Rng) -> Plan:
        plan = sound.compose(config, rng)
        edges = tuple(e for e in plan.graph.edges if e.upstream != "bake:B01")
        return attrs.evolve(plan, goals=cut(plan), graph=attrs.evolve(plan.graph, edges=edges))

    return bakery(compose=compose)


def has_an_idle_module() -> Bakery:
    idle = (sound.module("rest", "rest"),)
    return graphed(bakery(), lambda graph: attrs.evolve(graph, modules=graph.modules + idle))


def claims_a_failure() -> Bakery:
    idle = Mutation[Plan]("idle", lambda plan: Sabotage(fails=frozenset({"D1"})))
    return bakery(mutations=(*MUTATIONS, idle))


def replacing(name: str, **claims: Any) -> Bakery:
    """Return a bakery one of whose mutations claims something else."""

    def placed(mutation: Mutation[Plan], plan: Plan) -> Sabotage | None:
        sabotage = mutation.place(plan)
        return None if sabotage is None else attrs.evolve(sabotage, **claims)

    changed = [Mutation(m.name, partial(placed, m)) if m.name == name else m for m in MUTATIONS]
    failing = Mutation[Plan]("nothing-shipped", lambda plan: Sabotage(skip=lambda s: s.module == "ship", fails=D1))
    return bakery(mutations=(*changed, failing))


D1 = frozenset({"D1"})


def claims_one_failure() -> Bakery:
    return replacing("left-out", fails=D1, only=True)


def claims_harmlessness() -> Bakery:
    return replacing("left-out", fails=frozenset())


def has_a_mutation_for_nothing() -> Bakery:
    return bakery(mutations=(*MUTATIONS, Mutation[Plan]("nowhere", lambda plan: None)))


def keeps_its_order() -> Bakery:
    return bakery(steps=lambda client, brief, prefer: sound.steps(client, brief, lambda module: 0))


def knows_one_order() -> Bakery:
    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        baked: list[str] = []
        for step in sound.steps(client, brief, prefer):
            baked.append(step.module)
            order = baked == sorted(baked) or step.update or step.module == "ship" or len(baked) == 1
            yield step if order else Step(step.module, partial(client.call, "bake", order="B99", loaves=0))

    return bakery(steps=steps, mutations=(MUTATIONS[0], Mutation[Plan]("untouched", lambda plan: Sabotage())))


def noted(world: World, text: str) -> None:
    """Write a row about a call."""
    if world.get(Note, text) is None:
        world.insert(Note(text))


@table("note", key=("text",))
@attrs.frozen
class Note:
    text: str


def writes_and_refuses() -> Bakery:
    @query
    def peek(call: Call, order: OrderId) -> Json:
        """Look into the oven."""
        batch = call.world.get(Batch, order)
        if batch is None:
            noted(call.world, order)
            call.reject("UNKNOWN_ID", f"there is no order {order!r}")
        return {"order": batch.order}

    return with_tools(peek, tables=(Batch, Note))


def trips_over_names() -> Bakery:
    @query
    def weigh(call: Call, order: OrderId) -> Json:
        """Weigh an order."""
        batch = call.world.get(Batch, order)
        return {"weight": batch.loaves * 750}  # type: ignore[union-attr]  # the fault

    return with_tools(weigh)


def has_an_unmarked_decoy() -> Bakery:
    def idle(plan: Plan) -> tuple[NewRecipe, ...]:
        return (*plan.updates, NewRecipe("N-2", "B01", 1, After("baked", 3))) if plan.updates else ()

    return planned(updates=idle)


def has_a_false_decoy() -> Bakery:
    return planned(updates=lambda plan: tuple(attrs.evolve(update, decoy=True) for update in plan.updates))


def has_no_update() -> Bakery:
    def recipes(plan: Plan) -> dict[str, int]:
        return dict.fromkeys(plan.recipes, 1)

    return planned(updates=lambda plan: (), recipes=recipes)


def needs_no_attention() -> Bakery:
    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        return (attrs.evolve(step, update="") for step in sound.steps(client, brief, prefer))

    return bakery(steps=steps)


def insists_on_updates() -> Bakery:
    def compose(config: Config, rng: Rng) -> Plan:
        return sound.compose(attrs.evolve(config, updates="default"), rng)

    return bakery(compose=compose)


def grows_too_fast() -> Bakery:
    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        for _ in client.call("list_batches")["rows"]:
            client.call("list_batches")
            client.call("list_batches")
        yield from sound.steps(client, brief, prefer)

    return bakery(steps=steps)


def remembers_the_first_run() -> Bakery:
    known: set[tuple[Batch, ...]] = set()

    @query
    def list_batches(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> Json:
        """List the orders, and tell whether this kitchen has seen them before."""
        orders = tuple(call.world.select(Batch))
        rows = [[b.order, b.loaves, b.recipe] for b in orders]
        answer = page(rows, ("order", "loaves", "recipe"), limit=limit, cursor=cursor)
        seen = orders in known
        if call.world.clock and call.ledger.current("SHP:all") is None and len(call.ledger.live("TRAY")) == len(orders):
            known.add(orders)
        return {**answer, "known": seen}

    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        for step in sound.steps(client, brief, prefer):
            if step.module == "ship":
                client.call("list_batches")
            yield step

    return bakery(tools=(list_batches, *TOOLS[1:]), steps=steps)


def skilled(file: str, old: str, new: str, **changes: Any) -> Bakery:
    """Return a bakery whose skill says something else in one of its files."""
    home = Path(tempfile.mkdtemp(prefix="bakery-skills-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    shutil.copytree(HERE / "bakery_skills" / "count-loaves", home / "count-loaves")
    changed = home / "count-loaves" / file
    changed.write_text(changed.read_text().replace(old, new))
    return bakery(skills=home, **changes)


def has_a_malformed_skill() -> Bakery:
    return skilled("SKILL.md", "name: count-loaves", "name: loaves")


def has_a_two_faced_script() -> Bakery:
    return skilled("scripts/count.py", "(run(json.load(sys.stdin))", '({"total": -1}')


def gives_a_task_away() -> Bakery:
    """Return a bakery whose skill speaks of a customer of the first task."""

    def customer(rng: Rng) -> Note:
        return Note(f"customer-{rng.stream('customer').integer(10**7, 10**8)}")

    def compose(config: Config, rng: Rng) -> Plan:
        plan = sound.compose(config, rng)
        return attrs.evolve(plan, brief={**plan.brief, "customer": customer(rng).text})

    def build(plan: Plan, world: World) -> None:
        sound.build(plan, world)
        world.insert(Note(str(plan.brief["customer"])))

    told = f"; {customer(Rng('bakery', 'dev', 1)).text} wants seven"
    return skilled("SKILL.md", "`.\n", f"`{told}.\n", compose=compose, build=build, tables=(Batch, Note))


def needs_its_scripts() -> Bakery:
    def steps(client: Client, brief: Mapping[str, Json], prefer: Prefer) -> Iterator[Step]:
        for step in sound.steps(client, brief, prefer):
            yield Step("ship", partial(ship, client)) if step.module == "ship" else step

    def ship(client: Client) -> None:
        client.call("run_skill_script", skill="count-loaves", script="count.py", input={"loaves": [1, 2]})
        client.call("ship")

    return bakery(steps=steps)


def hides_codes_and_rules() -> Bakery:
    return bakery(handbook=HERE / "broken_bakery_handbook")


def has_a_loud_name() -> Bakery:
    @operation()
    def makeBread(call: Call) -> Json:  # noqa: N802  # the fault
        """Make bread."""
        return {}

    return with_tools(makeBread)


def does_not_page() -> Bakery:
    @query
    def list_ovens(call: Call) -> Json:
        """List the ovens."""
        return page([["O-1"], ["O-2"]], ("oven",))

    return with_tools(list_ovens)


def loses_a_row() -> Bakery:
    @query
    def list_ovens(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> Json:
        """List the ovens."""
        return page([["O-1"], ["O-2"], ["O-3"]][: 3 if limit != 1 else 2], ("oven",), limit=limit, cursor=cursor)

    return with_tools(list_ovens)


def writes_while_reading() -> Bakery:
    @query
    def peek(call: Call) -> Json:
        """Look into the oven."""
        noted(call.world, f"peeked at {call.world.clock}")
        return {"warm": True}

    return with_tools(peek, tables=(Batch, Note))


def talks_too_much() -> Bakery:
    @query
    def list_crumbs(call: Call) -> Json:
        """Describe every crumb."""
        return {"crumbs": "a small one, " * 1000}

    return with_tools(list_crumbs)


def judges_and_writes() -> Bakery:
    def check(world: World, plan: Plan) -> Report:
        world.insert(Note("judged"))
        return sound.check(world, plan)

    return bakery(check=check, tables=(Batch, Note))


def tells_the_order() -> Bakery:
    return bakery(instruction=lambda config, plan: "First bake all orders. Then ship them.")


def names_a_skill() -> Bakery:
    return bakery(instruction=lambda config, plan: "Bake all orders; the skill count-loaves helps.")
