"""Matching a remittance with the open items of its lockbox (R6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Json, loads, operation
from skillhorizon_financeops.gateway.answers import again, done
from skillhorizon_financeops.gateway.arguments import Line, Lines, OnAccount, OnAccounts, SourceId
from skillhorizon_financeops.gateway.open_items import entity_tokens, open_items, record_match
from skillhorizon_financeops.gateway.released import current_input, inputs_of, known_entities
from skillhorizon_financeops.reference import open_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MINUTES = 8


@operation(makes="MAT:{source_id}", again=again)
def submit_match(call: Call, source_id: SourceId, lines: Lines, on_account: OnAccounts) -> dict[str, Json]:
    """Submit a match: [[pay, item, applied, discount, writeoff]], on account [[pay, entity, amount]] (8 minutes)."""
    kind, stage, lockbox, version, records_text, _, _ = inputs_of(call, source_id)
    known_entities(call, [entity for _, entity, _ in on_account])
    if kind != "remittance" or lockbox is None:
        message = f"{source_id} is a {kind} source; only remittances are matched"
        call.reject("NOT_REMITTANCE", message, object=source_id)
    normalized = current_input(call, f"NRM:{source_id}", version)
    receipts = {order: (entity, minor) for order, _, entity, minor in loads(records_text)["records"]}
    items = open_items(call.world, lockbox, stage)
    left = {item: amount for item, _, _, amount, _, _ in items}
    _check_payments(call, source_id, receipts, lines, on_account)
    _check_listed(call, left, lines)
    _check_conserved(call, receipts, lines, on_account)
    _check_open(call, left, lines)
    call.world.advance(MINUTES)
    tokens = entity_tokens(items, {entity for entity, _ in receipts.values()})
    made = call.ledger.produce(
        f"MAT:{source_id}",
        {"lines": lines, "on_account": on_account},
        cites={
            "normalization": normalized,
            "open": [(open_key(lockbox, stage, entity), token) for entity, token in tokens.items()],
        },
        period=stage,
    )
    record_match(call.world, lockbox, made)
    return done(call, made)


def _check_payments(
    call: Call,
    source_id: str,
    receipts: Mapping[str, tuple[str, int]],
    lines: Iterable[Line],
    on_account: Iterable[OnAccount],
) -> None:
    for pay in [*[pay for pay, _, _, _, _ in lines], *[pay for pay, _, _ in on_account]]:
        if pay not in receipts:
            message = f"payment {pay} is no record of NRM:{source_id}; match the payments of its records"
            call.reject("ORDER_UNKNOWN", message, object=pay)


def _check_listed(call: Call, left: Mapping[str, int], lines: Iterable[Line]) -> None:
    for pay, item, _, _, _ in lines:
        if item not in left:
            message = f"item {item} of payment {pay} is not open; list_open_items names those that are"
            call.reject("ITEM_NOT_OPEN", message, object=item)


def _check_conserved(
    call: Call, receipts: Mapping[str, tuple[str, int]], lines: Iterable[Line], on_account: Iterable[OnAccount]
) -> None:
    used = dict.fromkeys(receipts, 0)
    for pay, _, applied, _, _ in lines:
        used[pay] += applied
    for pay, _, amount in on_account:
        used[pay] += amount
    for pay, (_, minor) in receipts.items():
        if used[pay] != minor:
            message = f"what payment {pay} applies and leaves on account is not its amount; both together must equal it"
            call.reject("NOT_CONSERVED", message, object=pay)


def _check_open(call: Call, left: Mapping[str, int], lines: Iterable[Line]) -> None:
    rest = dict(left)
    for _, item, applied, discount, writeoff in lines:
        rest[item] -= applied + discount + writeoff
    if min(rest.values(), default=0) >= 0:
        return
    for item, amount in rest.items():
        if amount < 0:
            message = f"the lines take more off item {item} than is open; list_open_items shows what is"
            call.reject("OVER_APPLIED", message, object=item)
