"""Totals of a source, which must tie to its normalization or match (R7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Json, loads, operation
from skillhorizon_financeops.gateway.answers import again, done
from skillhorizon_financeops.gateway.arguments import SourceId, Totals
from skillhorizon_financeops.gateway.released import current_input, inputs_of, known_entities
from skillhorizon_financeops.rules import match_totals, record_totals

if TYPE_CHECKING:
    from skillhorizon_financeops.gateway.released import Inputs

MINUTES = 4


@operation(makes="AGG:{source_id}", again=again)
def submit_aggregate(call: Call, source_id: SourceId, totals: Totals) -> dict[str, Json]:
    """Submit a source's totals [[entity, count, net]], of entities with a record only (4 minutes)."""
    inputs = inputs_of(call, source_id)
    known_entities(call, [entity for entity, _, _ in totals])
    used, expected = _expected(call, source_id, inputs)
    if totals != expected:
        _refuse(call, used, totals, expected)
    call.world.advance(MINUTES)
    made = call.ledger.produce(f"AGG:{source_id}", {"totals": totals}, cites={"input": used}, period=inputs.stage)
    return done(call, made)


def _expected(call: Call, source_id: str, inputs: Inputs) -> tuple[str, list[tuple[str, int, int]]]:
    """Return the version that the totals must tie to, and what they must be (R7).

    Raises:
        Rejection: INPUT_NOT_CURRENT.
    """
    kind = "NRM" if inputs.kind == "sales" else "MAT"
    used = current_input(call, f"{kind}:{source_id}", inputs.normalized if kind == "NRM" else inputs.matched)
    records = loads(inputs.records_text)["records"]
    if kind == "NRM":
        return used, record_totals([(entity, minor) for _, _, entity, minor in records])
    entities = {order: entity for order, _, entity, _ in records}
    match = loads(inputs.match_text)
    settled = [(pay, applied + less + off) for pay, _, applied, less, off in match["lines"]]
    settled += [(pay, amount) for pay, _, amount in match["on_account"]]
    return used, match_totals(settled, entities)


def _refuse(call: Call, used: str, given: list[tuple[str, int, int]], expected: list[tuple[str, int, int]]) -> None:
    entity = min(total[0] for total in set(given) ^ set(expected)) if set(given) != set(expected) else given[0][0]
    message = f"the totals of entity {entity} do not tie to {used}; total its entities' records anew (R7)"
    call.reject("TOTALS_DO_NOT_TIE", message, object=entity)
