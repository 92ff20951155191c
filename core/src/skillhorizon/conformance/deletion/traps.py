"""Traps: runs of calls, made from a reference run, in which something is wrong and is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from skillhorizon.conformance.examples import corrupted, crossed, valid
from skillhorizon.conformance.probing import Call, knowledge, said, state_after
from skillhorizon.gateway.tools import Kind
from skillhorizon.model.canonical import Json, dumps, loads
from skillhorizon.model.outcome import Outcome
from skillhorizon.session.session import Nowhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from skillhorizon.construction.workshop import Built
    from skillhorizon.model.journal import Record
    from skillhorizon.model.rng import Rng
    from skillhorizon.session.references import Known
    from skillhorizon.session.session import Session

_REFUSED = (Outcome.REJECTED, Outcome.FAILED, Outcome.INTERNAL_ERROR)
_MOST_REPEATS = 80
_PER_CALL, _EARLY, _RANDOM = 10, 3, 3
_RARE, _MANY = 6, 16


@attrs.frozen
class Trap:
    """A run of calls: the reference's, with something put between, left out or changed.

    Attributes:
        name: what is wrong in it.
        calls: the calls.
        code: the code by which the last call must be refused; '' where only what the run leaves unmet counts.
        culprit: the object that this refusal must name; '' where the code alone counts.
    """

    name: str
    calls: tuple[Call, ...]
    code: str = ""
    culprit: str = ""

    @property
    def refusal(self) -> str:
        """How the last call must be refused, as text."""
        return f"{self.code} {self.culprit}".strip()


def calls_of(records: Sequence[Record]) -> list[Call]:
    """Return the calls of some records."""
    return [said(record) for record in records]


def probes(built: Built, records: Sequence[Record], rng: Rng, last: Callable[[], str]) -> Iterator[tuple[Trap, str]]:
    """Yield traps with one refused call put into a reference run, and the site that refused it.

    Args:
        built: the task.
        records: its reference run.
        rng: draws which calls are tried.
        last: returns, and forgets, the last site come to.
    """
    session, calls = built.session(Nowhere()), calls_of(records)
    known = knowledge(session, records)
    operations = [number for number, record in enumerate(records) if _operates(session, record.tool)]
    try:
        for number in sorted({0, *operations, *(number + 1 for number in operations)}):
            state_after(session, records, number)
            for call in _candidates(session, calls, number, known, rng):
                last()
                if _outcome(session, call) is Outcome.REJECTED:
                    yield Trap(f"{call[0]} before call {number + 1}", (*calls[:number], call, *calls[number:])), last()
    finally:
        session.world.close()


def _operates(session: Session, tool: str) -> bool:
    return session.tools[tool].kind is Kind.OPERATION


def _candidates(session: Session, calls: list[Call], number: int, known: Known, rng: Rng) -> Iterator[Call]:
    """Yield calls to try before a call: operations of this moment gone wrong, later ones too early, random ones."""
    operations = [call for call in calls if _operates(session, call[0])]
    for name, arguments in (*calls[number : number + 1], *calls[max(number - 1, 0) : number]):
        if _operates(session, name):
            found = list(corrupted(session.tools[name], arguments, known))
            yield from ((name, other) for other in rng.sample(found, min(_PER_CALL, len(found))))
            given = [other[1] for other in operations if other[0] == name]
            yield from ((name, other) for other in crossed(arguments, rng.sample(given, min(2, len(given)))))
    later = [call for call in calls[number + 1 :] if _operates(session, call[0])]
    yield from rng.sample(later, min(_EARLY, len(later)))
    yield from rng.sample(operations, min(_EARLY, len(operations)))
    for tool in session.tools.values():
        if tool.kind is Kind.OPERATION:
            yield from ((tool.name, valid(tool, rng, known)) for _ in range(_RANDOM))


def _outcome(session: Session, call: Call) -> Outcome:
    """Return what a call comes to, made on a copy."""
    fork = session.fork(Nowhere())
    try:
        return fork.call(*call).outcome
    finally:
        fork.world.close()


def gaps(records: Sequence[Record]) -> Iterator[Trap]:
    """Yield traps that leave one accepted call out that made something."""
    calls = calls_of(records)
    for number, record in enumerate(records):
        if record.made:
            yield Trap(f"without call {number + 1} of {record.tool}", (*calls[:number], *calls[number + 1 :]))


def errors(built: Built, records: Sequence[Record], rng: Rng, count: int) -> Iterator[Trap]:
    """Yield traps in which one operation is given something else: `count` each, of rare ones more."""
    session, calls = built.session(Nowhere()), calls_of(records)
    known = knowledge(session, records)
    operations = [number for number, record in enumerate(records) if _operates(session, record.tool)]
    session.world.close()
    for number in operations:
        name, arguments = calls[number]
        found = list(corrupted(session.tools[name], arguments, known))
        often = sum(1 for other in operations if calls[other][0] == name)
        for other in rng.sample(found, min(count if often > _RARE else _MANY, len(found))):
            yield Trap(f"another {name} as call {number + 1}", (*calls[:number], (name, other), *calls[number + 1 :]))


def exhaustions(built: Built, records: Sequence[Record], rng: Rng) -> Iterator[Trap]:
    """Yield traps that make an operation again and again in two ways, until it is refused, and then go on."""
    calls = calls_of(records)
    last = {record.tool: number for number, record in enumerate(records) if record.made}
    for tool, number in last.items():
        first = next(i for i, record in enumerate(records) if record.tool == tool and record.made)
        for at in sorted({first, number}):
            repeated = _repeated(built, records, at, rng)
            if repeated:
                yield Trap(f"{tool} repeated after call {at + 1}", (*calls[: at + 1], *repeated, *calls[at + 1 :]))


def _repeated(built: Built, records: Sequence[Record], number: int, rng: Rng) -> list[Call]:
    session = built.session(Nowhere())
    known = knowledge(session, records)
    try:
        state_after(session, records, number + 1)
        name, arguments = said(records[number])
        found = list(corrupted(session.tools[name], arguments, known))
        for other in rng.sample(found, min(4 * _PER_CALL, len(found))):
            if _outcome(session, (name, other)) not in _REFUSED:
                return _until_refused(session, name, (other, arguments))
    finally:
        session.world.close()
    return []


def _until_refused(session: Session, name: str, ways: tuple[dict[str, Json], dict[str, Json]]) -> list[Call]:
    made: list[Call] = []
    for number in range(_MOST_REPEATS):
        call = (name, loads(dumps(ways[number % 2])))
        made.append(call)
        if session.call(*call).outcome in _REFUSED:
            return made
    return []
