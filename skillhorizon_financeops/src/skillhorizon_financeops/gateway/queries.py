"""What agents read: sources, packages, reference data, staff, open items, obligations."""

from __future__ import annotations

from typing import Any

from skillhorizon import Call, Cursor, Json, Limit, page, query
from skillhorizon_financeops.gateway.answers import unknown
from skillhorizon_financeops.gateway.arguments import (
    AccountId,
    Day,
    Entities,
    EntityId,
    Format,
    IdentitySourceId,
    Lockbox,
    MapId,
    ShownStatus,
    SourceId,
    SourceKind,
    StageNumber,
)
from skillhorizon_financeops.gateway.open_items import open_items
from skillhorizon_financeops.gateway.released import (
    known_entities,
    known_lockbox,
    opened_stage,
    released_identity,
    released_map,
    released_source,
)
from skillhorizon_financeops.reference import parsed
from skillhorizon_financeops.rows import COLUMNS, AccountValue, Contract, IdentityMap, Staff

_HEADER = ("source_id", "kind", "format", "day", "identity_source_id", "conflict_policy", "lockbox", "version")
_PACKAGE = ("source_id", "kind", "NRM", "MAT", "AGG")
_CONTRACT = ("contract_id", "from", "to", "rank", "num", "den", "sign", "basis", "tax_bps", "codes")
_TERMS = ("disc_bps", "disc_days", "tol")
_OBLIGATION = ("obligation_id", "kind", "due_stage", "status")
_OPENED = "FROM source s JOIN stage t ON t.stage = s.stage WHERE t.status <> 'unopened'"
_VERSIONS = """
    (SELECT count(*) FROM artifact a WHERE a.id = 'NRM:' || s.source_id),
    (SELECT count(*) FROM artifact a WHERE a.id = 'MAT:' || s.source_id),
    (SELECT count(*) FROM artifact a WHERE a.id = 'AGG:' || s.source_id)"""
_ROWS = "SELECT cells, added_version FROM source_row WHERE source_id = ? ORDER BY pos"
_LISTED = """
    SELECT EXISTS (SELECT 1 FROM opening_item WHERE lockbox = ?),
        EXISTS (SELECT 1 FROM stage WHERE stage = ? AND status <> 'unopened')"""
_OBLIGATIONS = "SELECT obligation_id, kind, due_stage, status FROM obligation WHERE status <> 'hidden'"


def _filtered(text: str, order: str, **equals: str | int | None) -> tuple[str, list[str | int]]:
    """Return a statement narrowed to the columns that are given, and its values."""
    given = {name: value for name, value in equals.items() if value is not None}
    where = "".join(f" AND {name} = ?" for name in given)
    return f"{text}{where} ORDER BY {order}", list(given.values())


@query
def list_sources(
    call: Call,
    stage: StageNumber | None = None,
    kind: SourceKind | None = None,
    identity_source_id: IdentitySourceId | None = None,
    lockbox: Lockbox | None = None,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List the headers of released sources, by source id."""
    if stage is not None:
        opened_stage(call, stage)
    if identity_source_id is not None:
        released_identity(call, identity_source_id)
    if lockbox is not None:
        known_lockbox(call, lockbox)
    chosen = {"s.stage": stage, "kind": kind, "identity_source_id": identity_source_id, "lockbox": lockbox}
    text, values = _filtered(f"SELECT {', '.join(_HEADER)} {_OPENED}", "source_id", **chosen)
    return page(call.world.sql(text, *values), _HEADER, limit=limit, cursor=cursor)


@query
def get_source(call: Call, source_id: SourceId) -> dict[str, Json]:
    """Read one source: header, columns and all rows in order; added_version is the version that brought a row."""
    source = released_source(call, source_id)
    found = call.world.sql(_ROWS, source_id)
    rows = parsed([text for text, _ in found])
    for at, (_, version) in enumerate(found):
        rows[at].append(version)
    return {**vars(source), "columns": [*COLUMNS[source.format], "added_version"], "rows": rows}


@query
def list_packages(
    call: Call, stage: StageNumber | None = None, limit: Limit | None = None, cursor: Cursor | None = None
) -> dict[str, Json]:
    """List released sources with the latest version numbers of NRM, MAT and AGG (0: none), valid or not."""
    if stage is not None:
        opened_stage(call, stage)
    text, values = _filtered(f"SELECT source_id, kind, {_VERSIONS} {_OPENED}", "source_id", **{"s.stage": stage})
    return page(call.world.sql(text, *values), _PACKAGE, limit=limit, cursor=cursor)


@query
def list_contracts(
    call: Call, format: Format, day: Day | None = None, limit: Limit | None = None, cursor: Cursor | None = None
) -> dict[str, Json]:
    """List the contracts of a format, or those whose range contains a day."""
    columns = (*_CONTRACT, *_TERMS) if format == "FR" else _CONTRACT
    rows = [_contract(each) for each in call.world.select(Contract, format=format) if _covers(each, day)]
    return page([row[: len(columns)] for row in rows], columns, limit=limit, cursor=cursor)


def _contract(each: Contract) -> list[Any]:
    head = [each.contract_id, each.from_day, each.to_day, each.rank, each.num, each.den, each.sign, each.basis]
    return [*head, each.tax_bps, each.codes, each.disc_bps, each.disc_days, each.tol]


def _covers(record: Contract | IdentityMap, day: int | None) -> bool:
    return day is None or record.from_day <= day <= record.to_day


@query
def list_identity_maps(
    call: Call,
    identity_source_id: IdentitySourceId,
    day: Day | None = None,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List the maps of an identity source, or those whose range contains a day; entries is their number."""
    released_identity(call, identity_source_id)
    found = [m for m in call.world.select(IdentityMap, identity_source_id=identity_source_id) if _covers(m, day)]
    rows = [[each.map_id, each.from_day, each.to_day, each.rank, len(each.entries)] for each in found]
    return page(rows, ("map_id", "from", "to", "rank", "entries"), limit=limit, cursor=cursor)


@query
def get_identity_map(call: Call, map_id: MapId) -> dict[str, Json]:
    """Read one identity map: its range, rank and accounts by alias."""
    found = released_map(call, map_id)
    return {
        "map_id": map_id,
        "identity_source_id": found.identity_source_id,
        "from": found.from_day,
        "to": found.to_day,
        "rank": found.rank,
        "entries": found.entries,
    }


@query
def list_accounts(
    call: Call,
    account: AccountId | None = None,
    entity: EntityId | None = None,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List the values of accounts: the entity that each belongs to, by range and rank."""
    if account is not None and not call.world.count(AccountValue, account=account):
        unknown(call, "account", account, "list_accounts without it names all accounts")
    known_entities(call, [] if entity is None else [entity])
    chosen = {"account": account, "entity": entity}
    text, values = _filtered(
        "SELECT account, rank, from_day, to_day, entity FROM account_value WHERE 1", "account, rank", **chosen
    )
    columns = ("account", "rank", "from", "to", "entity")
    return page(call.world.sql(text, *values), columns, limit=limit, cursor=cursor)


@query
def list_staff(call: Call, limit: Limit | None = None, cursor: Cursor | None = None) -> dict[str, Json]:
    """List the staff with the reviews granted to each and left."""
    rows = [[each.staff, each.granted, each.left] for each in call.world.select(Staff)]
    return page(rows, ("staff", "granted", "left"), limit=limit, cursor=cursor)


@query
def list_open_items(
    call: Call,
    lockbox: Lockbox,
    stage: StageNumber,
    entities: Entities | None = None,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List a lockbox's items open before a stage's own match, of some entities or all, by item."""
    if call.world.sql(_LISTED, lockbox, stage) != [(1, 1)]:
        known_lockbox(call, lockbox)
        opened_stage(call, stage)
    known_entities(call, entities or ())
    rows = [row for row in open_items(call.world, lockbox, stage) if entities is None or row[1] in entities]
    return page(rows, ("item", "entity", "amount", "open", "day", "due"), limit=limit, cursor=cursor)


@query
def list_obligations(
    call: Call,
    status: ShownStatus | None = None,
    due_stage: StageNumber | None = None,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List obligations, open and discharged, or those due at a stage."""
    if due_stage is not None:
        opened_stage(call, due_stage)
    text, values = _filtered(_OBLIGATIONS, "obligation_id", status=status, due_stage=due_stage)
    return page(call.world.sql(text, *values), _OBLIGATION, limit=limit, cursor=cursor)
