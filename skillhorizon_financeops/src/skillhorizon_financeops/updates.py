"""How a planned update changes the world: new records, what they end, and the duties they bring."""

from __future__ import annotations

from typing import assert_never

from skillhorizon import Notice, World
from skillhorizon_financeops.plan import AccountReassigned, AnyUpdate, ContractSuperseded, MapSuperseded, SourceAmended
from skillhorizon_financeops.reference import (
    alias_token,
    contract_of,
    feed_of,
    rows_key,
    rows_token,
    values_of,
)
from skillhorizon_financeops.rows import IdentityMap, Obligation, Source
from skillhorizon_financeops.rules import usable


def apply(update: AnyUpdate, world: World, subject: str) -> Notice | None:  # noqa: ARG001  # the event's subject is of no importance
    """Insert an update's records, end what cites another governing record, open its duties, and announce it.

    The notice never lapses. Besides `restate:N` it adds the hidden view obligations that the update carries; each opens
    with the next normalization of its source.
    """
    match update:
        case MapSuperseded():
            _supersede_map(update, world)
        case AccountReassigned():
            _reassign(update, world)
        case ContractSuperseded():
            _supersede_contract(update, world)
        case SourceAmended():
            _amend(update, world)
        case _:
            assert_never(update)
    _oblige(update, world)
    return Notice(update.id, update.kind, update.body)


def watched_days(world: World, prefix: str, first: int, last: int) -> list[tuple[str, int]]:
    """Return the watched keys `prefix` + day whose day lies in [first, last], with the day."""
    keys = [(key, int(key.removeprefix(prefix))) for key, _ in world.ledger.watched(prefix)]
    return [(key, day) for key, day in keys if first <= day <= last]


def _supersede_map(update: MapSuperseded, world: World) -> None:
    overlay = update.overlay
    world.insert(overlay)
    maps = world.select(IdentityMap, identity_source_id=overlay.identity_source_id)
    for alias in sorted(overlay.entries):
        prefix = f"alias:{overlay.identity_source_id}/{alias}/"
        for key, day in watched_days(world, prefix, overlay.from_day, overlay.to_day):
            world.ledger.changed(key, alias_token(usable(maps, day), alias))


def _reassign(update: AccountReassigned, world: World) -> None:
    value = update.value
    world.insert(value)
    for key, day in watched_days(world, f"account:{value.account}/", value.from_day, value.to_day):
        rank, _ = values_of(world, [value.account], day)[value.account]
        world.ledger.changed(key, str(rank))


def _supersede_contract(update: ContractSuperseded, world: World) -> None:
    """A superseding contract keeps sign and codes, so that selections stay as they are."""
    contract = update.contract
    world.insert(contract)
    for key, day in watched_days(world, f"contract:{contract.format}/", contract.from_day, contract.to_day):
        world.ledger.changed(key, contract_of(world, contract.format, day)[0])


def _amend(update: SourceAmended, world: World) -> None:
    world.insert(*update.rows)
    versions = {row.source_id: row.added_version for row in update.rows}
    for source_id in update.sources:
        source = _source(world, source_id)
        if source_id in versions:
            world.update(Source, source_id, version=versions[source_id])
        _, codes = contract_of(world, source.format, source.day)
        world.ledger.changed(rows_key(source_id), rows_token(source, codes, feed_of(world, source)))


def _source(world: World, source_id: str) -> Source:
    found = world.get(Source, source_id)
    if found is None:
        raise LookupError(f"an update amends {source_id!r}, which is no source; compose its plan anew")
    return found


def _oblige(update: AnyUpdate, world: World) -> None:
    world.insert(Obligation(update.obligation_id, "restate", None, "open", None))
    for view in update.views:
        if world.get(Obligation, view.obligation_id) is None:
            world.insert(view.obligation("hidden"))
