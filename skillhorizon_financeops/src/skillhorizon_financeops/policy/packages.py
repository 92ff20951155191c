"""Packages: from a source's rows to its aggregate, and remittances matched again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_financeops.policy.desk import REMITTANCE, Desk, Made, Matched, Normalized, Source, told

if TYPE_CHECKING:
    from skillhorizon import Json


def make(desk: Desk, source_id: str) -> None:
    """Normalise, match if it is a remittance, and aggregate a source.

    Raises:
        Refused: when a call is not accepted; the source is then read afresh at the next attempt.
        Skipped: when the reference data it needs are not in memory.
    """
    if source_id not in desk.trusted:
        read(desk, source_id)
    desk.trusted.discard(source_id)
    source = desk.sources[source_id]
    normalized = normalize(desk, source)
    if source.kind == REMITTANCE:
        aggregate_match(desk, source, normalized)
    else:
        aggregate(desk, source, normalized, None, {"records": normalized.records})


def rematch(desk: Desk, source_id: str) -> None:
    """Match and aggregate a remittance again; its records stay.

    Raises:
        Refused: when a call is not accepted; the open items are then listed again at the next attempt.
    """
    source = desk.sources[source_id]
    aggregate_match(desk, source, desk.made[source_id].normalized)


def read(desk: Desk, source_id: str) -> None:
    """Read a source's header and rows."""
    desk.sources[source_id] = Source(source_id, *told(desk.client.call("get_source", source_id=source_id)))
    desk.trusted.add(source_id)


def normalize(desk: Desk, source: Source) -> Normalized:
    """Turn rows into records under what governs the source's day, and submit them (R1-R5)."""
    contract = desk.reference.contract(source.format, source.day)
    columns, rows = source.columns[:-1], [row[:-1] for row in source.rows]  # less the version that added a row
    party = columns.index("party")
    map_id, entities, resolved = desk.reference.resolve(source.identity, source.day, {row[party] for row in rows})
    data: dict[str, Json] = {
        "policy": source.policy,
        "contract": contract.pricing,
        "columns": columns,
        "rows": rows,
        "map": entities,
    }
    result = desk.client.script("normalize-source", "normalize.py", data)
    desk.client.call(
        "submit_normalization",
        source_id=source.id,
        contract_id=contract.id,
        identity_source_id=source.identity,
        identity_map_id=map_id,
        conflict_policy=source.policy,
        records=result["records"],
    )
    used = {alias for _, alias, _, _ in result["records"]}
    return Normalized(result["records"], result["refs"], [cited for cited in resolved if cited[0] in used])


def match(desk: Desk, source: Source, normalized: Normalized) -> Matched:
    """Apply a remittance's receipts to its lockbox's open items, and submit the match (R6)."""
    items = desk.listed_items.pop(source.id, None)
    if items is None:
        items = open_items(desk, source, normalized)
    refs = normalized.refs
    receipts = [[pay, entity, minor, refs.get(pay, "")] for pay, _, entity, minor in normalized.records]
    terms = desk.reference.contract(source.format, source.day).terms
    data = {"day": source.day, **terms, "receipts": receipts, "items": items}
    result = desk.client.script("match-remittance", "match.py", data)
    lines, on_account = result["lines"], result["on_account"]
    desk.client.call("submit_match", source_id=source.id, lines=lines, on_account=on_account)
    return Matched(items, lines, on_account)


def aggregate_match(desk: Desk, source: Source, normalized: Normalized) -> None:
    """Match a remittance and total what its receipts settle (R6, R7)."""
    matched = match(desk, source, normalized)
    entities: dict[str, Json] = {pay: entity for pay, _, entity, _ in normalized.records}
    data = {"lines": matched.lines, "on_account": matched.on_account, "entities": entities}
    aggregate(desk, source, normalized, matched, data)


def aggregate(
    desk: Desk, source: Source, normalized: Normalized, matched: Matched | None, data: dict[str, Json]
) -> None:
    """Total a source, submit the totals and remember what was made (R7)."""
    totals = desk.client.script("aggregate-source", "aggregate.py", data)["totals"]
    answer = desk.client.call("submit_aggregate", source_id=source.id, totals=totals)
    desk.trusted.add(source.id)
    desk.made[source.id] = desk.unreported[source.id] = Made(normalized, matched, totals, answer["artifact"])


def open_items(desk: Desk, source: Source, normalized: Normalized) -> list[list[Any]]:
    """List the open items of a remittance's receipts' entities."""
    chosen: dict[str, Json] = {"lockbox": source.lockbox, "stage": source.stage, "entities": normalized.entities}
    page = desk.client.call("list_open_items", **chosen)
    rows: list[list[Any]] = page["rows"]
    while page["next"] is not None:
        page = desk.client.call("list_open_items", **chosen, cursor=page["next"])
        rows += page["rows"]
    return rows


def moved(desk: Desk, source_id: str) -> bool:
    """Whether a remittance's open items differ from those it was matched against; keeps them for `rematch`."""
    source, made = desk.sources[source_id], desk.made[source_id]
    items = open_items(desk, source, made.normalized)
    if made.matched is not None and items == made.matched.items:
        return False
    desk.listed_items[source_id] = items
    return True
