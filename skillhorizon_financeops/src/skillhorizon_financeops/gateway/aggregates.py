"""Totals of a source, which must tie to its normalization or match (R7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_financeops.gateway.answers import again, done, support
from skillhorizon_financeops.gateway.arguments import SourceId, Totals
from skillhorizon_financeops.gateway.released import known_entities, released_source
from skillhorizon_financeops.rules import match_totals, record_totals

if TYPE_CHECKING:
    from skillhorizon_financeops.rows import Source

MINUTES = 4


@operation(makes="AGG:{source_id}", again=again)
def submit_aggregate(call: Call, source_id: SourceId, totals: Totals) -> dict[str, Json]:
    """Submit a source's totals [[entity, count, net]], of entities with a record only (4 minutes)."""
    source = released_source(call, source_id)
    given = [(total.entity, total.count, total.net) for total in totals]
    known_entities(call, [entity for entity, _, _ in given])
    used, expected = _expected(call, source)
    if given != expected:
        _refuse(call, used, given, expected)
    call.world.advance(MINUTES)
    made = call.ledger.produce(f"AGG:{source_id}", {"totals": given}, cites={"input": used.ref}, period=source.stage)
    return done(call, made)


def _expected(call: Call, source: Source) -> tuple[Artifact, list[tuple[str, int, int]]]:
    """Return the version that the totals must tie to, and what they must be (R7).

    Raises:
        Rejection: INPUT_NOT_CURRENT.
    """
    if source.kind == "sales":
        normalized = call.ledger.require(f"NRM:{source.source_id}", "INPUT_NOT_CURRENT")
        return normalized, record_totals([(entity, minor) for _, _, entity, minor in normalized.content["records"]])
    matched = call.ledger.require(f"MAT:{source.source_id}", "INPUT_NOT_CURRENT")
    normalized = support(call, f"NRM:{source.source_id}")
    entities = {order: entity for order, _, entity, _ in normalized.content["records"]}
    settled = [(pay, applied + less + off) for pay, _, applied, less, off in matched.content["lines"]]
    settled += [(pay, amount) for pay, _, amount in matched.content["on_account"]]
    return matched, match_totals(settled, entities)


def _refuse(
    call: Call, used: Artifact, given: list[tuple[str, int, int]], expected: list[tuple[str, int, int]]
) -> None:
    entity = min(total[0] for total in set(given) ^ set(expected)) if set(given) != set(expected) else given[0][0]
    message = f"the totals of entity {entity} do not tie to {used.ref}; total its entities' records anew (R7)"
    call.reject("TOTALS_DO_NOT_TIE", message, object=entity)
