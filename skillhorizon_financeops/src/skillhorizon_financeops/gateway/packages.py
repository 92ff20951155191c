"""Normalizing a source: its records, what they were resolved through, what may end them (R1 to R5, R11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from skillhorizon import Artifact, Call, Json, dumps, loads, operation
from skillhorizon_financeops.gateway.allowances import spend_ticket
from skillhorizon_financeops.gateway.answers import again, done
from skillhorizon_financeops.gateway.arguments import (
    ContractId,
    IdentitySourceId,
    MapId,
    Policy,
    Records,
    SourceId,
)
from skillhorizon_financeops.gateway.open_items import record_sales
from skillhorizon_financeops.gateway.released import (
    UNOPENED,
    contract_format,
    known_entities,
    released_identity,
    released_map,
    released_source,
)
from skillhorizon_financeops.reference import (
    NONE,
    Feed,
    Reading,
    around_account,
    around_alias,
    contract_key,
    feed_of,
    readings_of,
    rows_key,
    rows_token,
)
from skillhorizon_financeops.rows import Source

MINUTES = 6
_OPEN_VIEWS = """
    UPDATE obligation SET status = 'open'
    WHERE obligation_id > ? AND obligation_id < ? AND status = 'hidden'
        AND due_stage IN (SELECT stage FROM stage WHERE status <> 'unopened')"""
_NAMED = """
    SELECT s.source_id, s.stage, s.kind, s.format, s.day, s.identity_source_id, s.conflict_policy, s.lockbox, s.version,
        t.status, c.format, i.released_stage, m.rank, g.contract_id, g.codes
    FROM source s JOIN stage t ON t.stage = s.stage
        LEFT JOIN contract c ON c.contract_id = ?2
        LEFT JOIN identity_source i ON i.identity_source_id = ?3
        LEFT JOIN identity_map m ON m.map_id = ?4 AND m.identity_source_id = ?3
        LEFT JOIN contract g ON g.contract_id = (
            SELECT contract_id FROM contract
            WHERE format = s.format AND from_day <= s.day AND to_day >= s.day ORDER BY rank DESC LIMIT 1)
    WHERE s.source_id = ?1"""
_CITE = "INSERT INTO citation (source_id, version, entries) VALUES (?, ?, ?)"

Given = Sequence[tuple[str, str, str, int]]
"""order, alias, entity and minor units of records."""
Citation = tuple[str, str, str, int | None, str | None]
"""alias, map, account, account's rank and entity."""
Cited = Mapping[str, Citation]
"""What every alias used was resolved through, by alias."""
Keys = dict[str, tuple[str, str] | list[tuple[str, str]]]
"""Watched keys with their tokens, by the role in which a normalization cites them."""


class Named(NamedTuple):
    """What a submission names: the source, what its contract reads, its map's rank; then what governs the source."""

    source: Source
    read: str
    rank: int | None
    governing: str
    codes: Mapping[str, str]


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
    named = _named(call, source_id, contract_id, identity_source_id, identity_map_id)
    source, read, rank, _, _ = named
    known_entities(call, [entity for _, _, entity, _ in records])
    if read != source.format:
        message = f"contract {contract_id} is for format {read}; {source_id} has format {source.format}"
        call.reject("CONTRACT_FORMAT", f"{message}; list that format's contracts", object=contract_id)
    if rank is None:
        message = f"map {identity_map_id} does not belong to {identity_source_id}; list_identity_maps names its maps"
        call.reject("MAP_SOURCE", message, object=identity_map_id)
    feed = feed_of(call.world, source)
    _check_orders(call, source, feed, records)
    readings = readings_of(call.world, identity_source_id, source.day, {alias for _, alias, _, _ in records})
    governing, cited = _resolved(readings, rank)
    _check_resolved(call, source, cited, records)
    content = {
        "contract_id": contract_id,
        "identity_source_id": identity_source_id,
        "identity_map_id": identity_map_id,
        "conflict_policy": conflict_policy,
        "records": records,
    }
    call.world.advance(MINUTES)
    cites = {**_own_keys(named, feed), **_identity_keys(source.day, identity_source_id, cited, governing)}
    made = call.ledger.produce(f"NRM:{source_id}", content, cites=cites, period=source.stage)
    _settle(call, source, made, [*cited.values()])
    return done(call, made)


def _named(call: Call, source_id: str, contract_id: str, identity_source_id: str, map_id: str) -> Named:
    """Return what a submission names; the rank is None when the map belongs to another identity source.

    Raises:
        Rejection: UNKNOWN_ID, NOT_RELEASED.
    """
    found = call.world.sql(_NAMED, source_id, contract_id, identity_source_id, map_id)
    if not found or found[0][9] == UNOPENED:
        released_source(call, source_id)
    source = Source(*found[0][:9])
    read, released, rank, governing, codes = found[0][10:]
    if read is None:
        contract_format(call, contract_id)
    if released is None or released > source.stage:
        released_identity(call, identity_source_id, opened=source.stage)
    if rank is None:
        released_map(call, map_id)
    return Named(source, read, rank, governing or NONE, loads(codes) if codes else {})


def _own_keys(named: Named, feed: Feed) -> Keys:
    """Return what ends a normalization whatever was submitted: the governing contract and the selection (R1, R2)."""
    source, _, _, governing, codes = named
    return {
        "contract": (contract_key(source.format, source.day), governing),
        "rows": (rows_key(source.source_id), rows_token(source, codes, feed)),
    }


def _identity_keys(day: int, identity_source_id: str, cited: Cited, governing: Mapping[str, str]) -> Keys:
    """Return the keys of the aliases and accounts used; tokens hold the governing map, not the one used."""
    before, after = around_alias(identity_source_id, day)
    head, tail = around_account(day)
    ranks = {f"{head}{account}{tail}": f"{rank}" for _, _, account, rank, _ in cited.values()}
    return {
        "alias": [(f"{before}{alias}{after}", map_id) for alias, map_id in governing.items()],
        "account": sorted(ranks.items()),
    }


def _settle(call: Call, source: Source, made: Artifact, cited: Sequence[Citation]) -> None:
    """Keep the citations and the lockbox's items; a later version costs a ticket and opens hidden views.

    Raises:
        Rejection: NO_TICKETS, which undoes the version, too.
    """
    source_id = source.source_id
    call.world.sql(_CITE, source_id, made.version, dumps(cited))
    record_sales(call.world, source, made)
    if made.version > 1:
        spend_ticket(call, made.ref)
        call.world.sql(_OPEN_VIEWS, f"view:{source_id}.", f"view:{source_id}/")


def _check_orders(call: Call, source: Source, feed: Feed, records: Given) -> None:
    """Check the records' orders, then that each order stands once, then its alias.

    Raises:
        Rejection: ORDER_UNKNOWN, ORDER_DUPLICATE, ALIAS_NOT_ON_ORDER.
    """
    known = set(zip(feed.orders, feed.parties))  # noqa: B905  # columns of one table
    pairs = [(order, alias) for order, alias, _, _ in records]
    if known.issuperset(pairs) and len(dict(pairs)) == len(pairs):
        return  # what is at fault is looked for only where something is
    for order, _ in pairs:
        if order not in feed.orders:
            message = f"order {order} is on no row of {source.source_id}; submit orders of that source only"
            call.reject("ORDER_UNKNOWN", message, object=order)
    for (before, _), (order, _) in pairwise(pairs):
        if before == order:
            message = f"order {order} has more than one record; submit one per included order"
            call.reject("ORDER_DUPLICATE", message, object=order)
    for order, alias in pairs:
        if (order, alias) not in known:
            message = f"alias {alias} is on no row of order {order}; take the alias of its selected row"
            call.reject("ALIAS_NOT_ON_ORDER", message, object=order, alias=alias)


def _resolved(readings: Sequence[Reading], most: int) -> tuple[Mapping[str, str], Cited]:
    """Return every alias' governing map, and its first reading by maps with a rank up to `most`, by alias (R4)."""
    governing: dict[str, str] = {}
    cited: dict[str, Citation] = {}
    for alias, map_id, account, account_rank, entity, rank in readings:
        if alias not in governing:
            governing[alias] = map_id
        if rank <= most and alias not in cited:
            cited[alias] = (alias, map_id, account, account_rank, entity)
    return governing, cited


def _check_resolved(call: Call, source: Source, cited: Cited, records: Given) -> None:
    """Check that every record's alias got an entity.

    Raises:
        Rejection: ALIAS_UNRESOLVABLE, at the first record whose alias has none.
    """
    for order, alias, _, _ in records:
        found = cited.get(alias)
        if found is None or found[-1] is None:
            call.reject("ALIAS_UNRESOLVABLE", _unresolvable(order, alias, source), object=alias)


def _unresolvable(order: str, alias: str, source: Source) -> str:
    return (
        f"alias {alias} of order {order} is in no map of the submitted identity source with a rank up to "
        f"the submitted map's that covers day {source.day}; submit a source and map that resolve it (R4)"
    )
