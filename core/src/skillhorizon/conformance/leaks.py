"""Check 9: nothing hidden is told: twins of a task answer the same calls alike until a call may reveal them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.conformance.probing import Call, bare, checkpoints, gone_wrong, knowledge, narrowed, queries, said
from skillhorizon.construction.workshop import Built
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.canonical import Json
from skillhorizon.model.outcome import Outcome
from skillhorizon.model.rng import Rng
from skillhorizon.session.session import Nowhere, Observation
from skillhorizon.world.rows import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from skillhorizon.conformance.subject import Specimen, Subject
    from skillhorizon.model.journal import Record
    from skillhorizon.session.references import Known
    from skillhorizon.session.session import Session
    from skillhorizon.world.rows import Layout
    from skillhorizon.world.world import World

NAME = "leaks"
found = partial(Finding, check=NAME)
_STATES = 12
_MOST_PAGES = 8
"""Pages that are read of one list in one state."""
_OWN = 4
"""How many of the reference's queries are asked in one state, for each try."""
_TELLING = (Outcome.ACCEPTED, Outcome.FAILED)


@attrs.frozen(kw_only=True)
class Told:
    """A call that was put to a task, what it answered, and whether it was a probe beside the reference's calls."""

    call: Call
    answer: Observation
    probe: bool


@attrs.frozen(kw_only=True)
class Pair:
    """A twin's world and how far it must look the same: up to an update's firing, or to a call that may reveal it."""

    name: str
    built: Built
    update: str = ""
    column: str = ""
    reveals: Callable[[str, Mapping[str, Json]], bool] | None = None


def check(subject: Subject) -> Iterator[Finding]:
    """Put the reference's calls, queries and refused operations to each specimen and its twins."""
    for specimen in subject.proven(subject.few()):
        told = _interrogated(specimen, subject.profile.tries)
        for pair in _pairs(subject, specimen):
            yield from _compared(specimen, told, pair)
            pair.built.close()


def _pairs(subject: Subject, specimen: Specimen) -> Iterator[Pair]:
    """Yield the twins: without each update, with each hidden column permuted, and the environment's own."""
    plan: Any = specimen.built.plan
    built, rng = specimen.built, Rng("twins", str(specimen.spot))
    for update in plan.updates:
        rest = tuple(other for other in plan.updates if other.id != update.id)
        other = subject.shop.replanned(built, attrs.evolve(plan, updates=rest))
        yield Pair(name=f"without update {update.id}", built=other, update=update.id)
    for made in map(layout, built.template.store.rows):
        for column in sorted(made.hidden):
            other = subject.shop.replanned(built, plan)
            _permute(other.template, made, column, rng.stream(made.table.name, column))
            yield Pair(name=f"{made.table.name}.{column} permuted", built=other, column=f"{made.table.name}.{column}")
    twins = subject.environment.twins
    for twin in twins(plan, rng) if twins is not None else ():
        yield Pair(name=twin.name, built=subject.shop.replanned(built, twin.plan), reveals=twin.reveals)


def _permute(world: World, made: Layout, column: str, rng: Rng) -> None:
    """Exchange a column's values among the rows of its table."""
    keys = ", ".join(made.key)
    rows = world.sql(f"SELECT {keys}, {column} FROM {made.table.name} ORDER BY {keys}")  # noqa: S608  # declared names
    where = " AND ".join(f"{name} = ?" for name in made.key)
    with world.transaction():
        for row, value in zip(rows, rng.shuffled([row[-1] for row in rows]), strict=True):
            world.sql(f"UPDATE {made.table.name} SET {column} = ? WHERE {where}", value, *row[:-1])  # noqa: S608


def _interrogated(specimen: Specimen, tries: int) -> list[Told]:
    """Return the reference's calls with probes between them, and what was answered."""
    session, records = specimen.session(), specimen.run.records
    known, rng = knowledge(session, records), Rng("leaks", str(specimen.spot))
    probed = set(checkpoints(records, _STATES))
    told: list[Told] = []
    try:
        for made in range(len(records) + 1):
            if made in probed:
                for call in _probes(session, records, known, rng, tries):
                    told += _pages(session, call)
            for call in map(said, records[made : made + 1]):
                told.append(Told(call=call, answer=session.call(*call), probe=False))
    finally:
        session.world.close()
    return told


def _pages(session: Session, call: Call) -> Iterator[Told]:
    """Put a probe, and what asks for the further pages of a list, up to so many."""
    name, arguments = call
    for _ in range(_MOST_PAGES):
        answer = session.call(name, arguments)
        yield Told(call=(name, arguments), answer=answer, probe=True)
        after = answer.data.get("next")
        if not isinstance(after, str) or "cursor" not in session.tools[name].fields:
            return
        arguments = {**arguments, "cursor": after}


def _probes(session: Session, records: Sequence[Record], known: Known, rng: Rng, tries: int) -> list[Call]:
    """Return the calls to try in a state of the reference run.

    They are every query that needs no argument, without and with one; queries that the reference makes at any time;
    queries about anything at all; and operations that are refused in this state.
    """
    read = (record for record in records if session.tools[record.tool].kind is Kind.QUERY)
    own = {(record.tool, record.arguments_text): said(record) for record in read}
    wrong: list[Call] = []
    for record in rng.sample(records, min(tries, len(records))):
        tool = session.tools[record.tool]
        if tool.kind is Kind.OPERATION:
            wrong += gone_wrong(tool, said(record)[1], known, rng, 2)
    return [
        *bare(session),
        *narrowed(session, known, rng),
        *rng.sample(list(own.values()), min(_OWN * tries, len(own))),
        *queries(session, known, rng, 2 * tries),
        *(call for call in wrong if _is_refused(session, call)),
    ]


def _is_refused(session: Session, call: Call) -> bool:
    fork = session.fork(Nowhere())
    try:
        return fork.call(*call).outcome not in _TELLING
    finally:
        fork.world.close()


def _compared(specimen: Specimen, told: Sequence[Told], pair: Pair) -> Iterator[Finding]:
    """Put the same calls to a twin until one may reveal the difference; probes that may are left out."""
    session = pair.built.session(Nowhere())
    try:
        for each in told:
            tool, arguments = each.call
            if _reveals(session, each, pair):
                if not each.probe:
                    return
                session.index += 1  # what is made later tells the number of its call
                continue
            text = session.call(tool, arguments).text
            if text != each.answer.text:
                shown = f"{short(arguments)}\n{_difference(each.answer.text, text)}"
                yield found(message=f"{tool} tells of what is hidden: {pair.name} ({specimen.spot})", evidence=shown)
                return
    finally:
        session.world.close()


def _reveals(session: Session, told: Told, pair: Pair) -> bool:
    tool, arguments = told.call
    if pair.reveals is not None:
        return told.answer.outcome in _TELLING and pair.reveals(tool, arguments)
    return pair.update in told.answer.record.fired or pair.column in session.tools[tool].reveals


def _difference(one: str, other: str) -> str:
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    cut = slice(max(start - 60, 0), start + 120)
    return f"task: ...{one[cut]}...\ntwin: ...{other[cut]}..."
