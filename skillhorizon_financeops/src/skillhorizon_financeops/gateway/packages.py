"""Normalizing a source: its records, what they were resolved through, what may end them (R1 to R5, R11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_financeops.gateway.allowances import spend_ticket
from skillhorizon_financeops.gateway.answers import again, done
from skillhorizon_financeops.gateway.arguments import (
    ContractId,
    IdentitySourceId,
    MapId,
    Policy,
    Record,
    Records,
    SourceId,
)
from skillhorizon_financeops.gateway.open_items import record_sales
from skillhorizon_financeops.gateway.released import (
    contract_format,
    known_entities,
    released_identity,
    released_map,
    released_source,
)
from skillhorizon_financeops.reference import (
    account_key,
    alias_key,
    alias_token,
    cells_of,
    contract_key,
    contract_of,
    rows_key,
    rows_token,
    values_of,
)
from skillhorizon_financeops.rows import COLUMNS, Citations, IdentityMap, Source
from skillhorizon_financeops.rules import Citation, resolve, usable

MINUTES = 6
_OPEN_VIEWS = """
    UPDATE obligation SET status = 'open'
    WHERE obligation_id > ? AND obligation_id < ? AND status = 'hidden'
        AND due_stage IN (SELECT stage FROM stage WHERE status <> 'unopened')"""

Cells = Sequence[tuple[int, Sequence[Any]]]
Keys = dict[str, tuple[str, str] | list[tuple[str, str]]]
"""Watched keys with their tokens, by the role in which a normalization cites them."""


@operation(makes="NRM:{source_id}", again=again)
def submit_normalization(
    call: Call,
    source_id: SourceId,
    contract_id: ContractId,
    identity_source_id: IdentitySourceId,
    identity_map_id: MapId,
    conflict_policy: Policy,
    records: Records,
) -> dict[str, Json]:
    """Submit a source's normalized records [[order, alias, entity, minor]], one per included order (6 minutes).

    A second or later version costs one ticket.
    """
    source = released_source(call, source_id)
    read = contract_format(call, contract_id)
    released_identity(call, identity_source_id, opened=source.stage)
    maps = call.world.select(IdentityMap, identity_source_id=identity_source_id)
    submitted = next((m for m in maps if m.map_id == identity_map_id), None) or released_map(call, identity_map_id)
    known_entities(call, (record.entity for record in records))
    if read != source.format:
        message = f"contract {contract_id} is for format {read}; {source_id} has format {source.format}"
        call.reject("CONTRACT_FORMAT", f"{message}; list that format's contracts", object=contract_id)
    if submitted.identity_source_id != identity_source_id:
        message = f"map {identity_map_id} does not belong to {identity_source_id}; list_identity_maps names its maps"
        call.reject("MAP_SOURCE", message, object=identity_map_id)
    cells = cells_of(call.world, source_id)
    _check_orders(call, source, cells, records)
    covering = usable(maps, source.day)
    cited = _resolved(call, source, [each for each in covering if each.rank <= submitted.rank], records)
    tokens = {each.alias: alias_token(covering, each.alias) for each in cited}
    content = {
        "contract_id": contract_id,
        "identity_source_id": identity_source_id,
        "identity_map_id": identity_map_id,
        "conflict_policy": conflict_policy,
        "records": records,
    }
    call.world.advance(MINUTES)
    cites = {**_own_keys(call, source, cells), **_identity_keys(source.day, identity_source_id, cited, tokens)}
    made = call.ledger.produce(f"NRM:{source_id}", content, cites=cites, period=source.stage)
    _settle(call, source, made, cited, records)
    return done(call, made)


def _own_keys(call: Call, source: Source, cells: Cells) -> Keys:
    """Return what ends a normalization whatever was submitted: the governing contract and the selection (R1, R2)."""
    governing, codes = contract_of(call.world, source.format, source.day)
    return {
        "contract": (contract_key(source.format, source.day), governing),
        "rows": (rows_key(source.source_id), rows_token(source, codes, cells)),
    }


def _identity_keys(day: int, identity_source_id: str, cited: Sequence[Citation], tokens: Mapping[str, str]) -> Keys:
    """Return the keys of the aliases and accounts used; tokens hold the governing map, not the one used."""
    return {
        "alias": [(alias_key(identity_source_id, each.alias, day), tokens[each.alias]) for each in cited],
        "account": sorted({(account_key(each.account, day), str(each.rank)) for each in cited}),
    }


def _settle(call: Call, source: Source, made: Artifact, cited: Sequence[Citation], records: Records) -> None:
    """Keep the citations and the lockbox's items; a later version costs a ticket and opens hidden views.

    Raises:
        Rejection: NO_TICKETS, which undoes the version, too.
    """
    source_id = source.source_id
    call.world.insert(Citations(source_id, made.version, [list(each) for each in cited]))
    record_sales(call.world, source, made.version, records)
    if made.version > 1:
        spend_ticket(call, made.ref)
        call.world.sql(_OPEN_VIEWS, f"view:{source_id}.", f"view:{source_id}/")


def _check_orders(call: Call, source: Source, cells: Cells, records: Records) -> None:
    """Check the records' orders, then that each order stands once, then its alias.

    Raises:
        Rejection: ORDER_UNKNOWN, ORDER_DUPLICATE, ALIAS_NOT_ON_ORDER.
    """
    names = COLUMNS[source.format]
    order, party = names.index("order"), names.index("party")
    known = {(row[order], row[party]) for _, row in cells}
    orders = {name for name, _ in known}
    for record in records:
        if record.order not in orders:
            message = f"order {record.order} is on no row of {source.source_id}; submit orders of that source only"
            call.reject("ORDER_UNKNOWN", message, object=record.order)
    for before, record in pairwise(records):
        if before.order == record.order:
            message = f"order {record.order} has more than one record; submit one per included order"
            call.reject("ORDER_DUPLICATE", message, object=record.order)
    for record in records:
        if (record.order, record.alias) not in known:
            message = f"alias {record.alias} is on no row of order {record.order}; take the alias of its selected row"
            call.reject("ALIAS_NOT_ON_ORDER", message, object=record.order, alias=record.alias)


def _resolved(call: Call, source: Source, usables: Sequence[IdentityMap], records: Records) -> list[Citation]:
    """Resolve every alias through the maps that the submission may use, by alias (R4).

    Raises:
        Rejection: ALIAS_UNRESOLVABLE, at the first record whose alias none of them gives an entity.
    """
    aliases = sorted({record.alias for record in records})
    accounts = {each.entries[alias] for each in usables for alias in aliases if alias in each.entries}
    values = values_of(call.world, accounts, source.day)
    cited = {alias: resolve(alias, usables, values) for alias in aliases}
    for record in records:
        if cited[record.alias] is None:
            call.reject("ALIAS_UNRESOLVABLE", _unresolvable(record, source), object=record.alias)
    return [each for each in cited.values() if each is not None]


def _unresolvable(record: Record, source: Source) -> str:
    return (
        f"alias {record.alias} of order {record.order} is in no map of the submitted identity source with a rank up to "
        f"the submitted map's that covers day {source.day}; submit a source and map that resolve it (R4)"
    )
