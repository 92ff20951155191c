"""Faults of choice: a neighbouring contract, the map below an overlay, a receipt applied first in, first out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Json, Sabotage
from skillhorizon_financeops.mutations.places import contracts, final_replay, goal, normalizes, quiet_sales
from skillhorizon_financeops.rows import Contract, IdentityMap, Source, SourceRow
from skillhorizon_financeops.truth import OpenItem, Replay, match_receipts, scaled, select

if TYPE_CHECKING:
    from collections.abc import Mapping

    from skillhorizon_financeops.plan import Plan

_LOSES = ("D1", "D2", "D3")


def adjacent_contract(plan: Plan) -> Sabotage | None:
    """Read a source under the contract of a neighbouring span."""
    tiles: dict[str, list[Contract]] = {}
    for contract in plan.facts.contracts:
        tiles.setdefault(contract.format, []).append(contract)
    for source in quiet_sales(plan):
        used = contracts(plan)[plan.truth.sources[source.source_id].contract_id]
        for wrong in tiles[source.format]:
            if abs(wrong.rank - used.rank) == 1 and _changes(plan, source, wrong):
                return under(source, wrong)
    return None


def _rows(plan: Plan, source_id: str) -> list[SourceRow]:
    return [row for row in plan.facts.source_rows if row.source_id == source_id]


def _changes(plan: Plan, source: Source, wrong: Contract) -> bool:
    """Whether a contract gives other amounts than the true ones, by entity."""
    truth = plan.truth.sources[source.source_id]
    rows = select(source.format, source.conflict_policy, wrong.codes, _rows(plan, source.source_id))
    amounts = {order: scaled(wrong, chosen[2]) for order, chosen in rows.items()}
    return sum(amounts.values()) != sum(minor for _, _, _, minor in truth.records)


def under(source: Source, wrong: Contract) -> Sabotage:
    """Read a source under a wrong contract, and submit it as read."""

    def script(name: str, data: Any, output: Any) -> Any:
        if not normalizes(name, data, source.source_id):
            return output
        width = len(data["columns"]) - data["columns"].count("added_version")
        rows = [SourceRow(source.source_id, pos, 1, row[:width]) for pos, row in enumerate(data["rows"])]
        chosen = select(source.format, source.conflict_policy, wrong.codes, rows)
        records = [[order, c[1], data["map"][c[1]], scaled(wrong, c[2])] for order, c in sorted(chosen.items())]
        return {**output, "records": records}

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        mine = tool == "submit_normalization" and said["source_id"] == source.source_id
        return {**said, "contract_id": wrong.contract_id} if mine else said

    return Sabotage(script=script, arguments=arguments, fails=frozenset({goal(source.source_id), *_LOSES}))


def below_overlay(plan: Plan, source: Source) -> tuple[str, Mapping[str, str]] | None:
    """Return the base map of a source whose seed overlay moves a used alias, and what the base map resolves."""
    maps = [m for m in plan.facts.identity_maps if m.identity_source_id == source.identity_source_id]
    base, overlays = maps[0], [m for m in maps[1:] if m.from_day <= source.day <= m.to_day]
    entities = {alias: _entity(plan, account, source.day) for alias, account in base.entries.items()}
    records = plan.truth.sources[source.source_id].records
    moved = any(_moves(overlay, alias, entity, entities) for overlay in overlays for _, alias, entity, _ in records)
    return (base.map_id, entities) if moved else None


def _moves(overlay: IdentityMap, alias: str, entity: str, entities: Mapping[str, str]) -> bool:
    return alias in overlay.entries and entities[alias] != entity


def _entity(plan: Plan, account: str, day: int) -> str:
    """Return an account's entity on a day under final knowledge (R1)."""
    brought = [update.value for update in plan.updates if hasattr(update, "value")]
    values = [v for v in (*plan.facts.account_values, *brought) if v.account == account]
    return max((v for v in values if v.from_day <= day <= v.to_day), key=lambda v: v.rank).entity


def map_below_overlay(plan: Plan) -> Sabotage | None:
    """Resolve a source through the base map although an overlay governs."""
    for source in quiet_sales(plan):
        found = below_overlay(plan, source)
        if found is not None:
            return _through(source.source_id, found)
    return None


def _through(source_id: str, found: tuple[str, Mapping[str, str]]) -> Sabotage:
    base, entities = found

    def script(name: str, data: Any, output: Any) -> Any:
        return resolved_through(entities, output) if normalizes(name, data, source_id) else output

    def arguments(tool: str, said: dict[str, Json]) -> dict[str, Json]:
        mine = tool == "submit_normalization" and said["source_id"] == source_id
        return {**said, "identity_map_id": base} if mine else said

    return Sabotage(script=script, arguments=arguments, fails=frozenset({goal(source_id), *_LOSES}))


def resolved_through(entities: Mapping[str, str], output: Any) -> Any:
    """Return a normalization's output with the entities of another map."""
    return {**output, "records": [[o, alias, entities[alias], minor] for o, alias, _, minor in output["records"]]}


def first_in_first_out(plan: Plan) -> Sabotage | None:
    """Apply a remittance's receipts to the oldest items, whatever they refer to."""
    replay = final_replay(plan) if plan.facts.opening_items else None
    remittances = (source for source in plan.facts.sources if source.kind == "remittance")
    for source in remittances if replay is not None else ():
        if replay is not None and _refers_elsewhere(replay, source):
            return _unreferenced(plan, source)
    return None


def _refers_elsewhere(replay: Replay, source: Source) -> bool:
    package, listed = replay.package(source.source_id), replay.items(source.lockbox or "", source.stage)
    receipts = [(order, entity, minor, "") for order, _, entity, minor in package.records]
    lines, _ = match_receipts(package.contract, source.day, receipts, listed)
    return lines != replay.truths[source.source_id].lines


def _unreferenced(plan: Plan, source: Source) -> Sabotage:
    contract = contracts(plan)[plan.truth.sources[source.source_id].contract_id]
    letter = "Q" + source.source_id[1:3] + source.source_id[4:6]

    def script(name: str, data: Any, output: Any) -> Any:
        if name != "match.py" or not any(row[0].startswith(letter) for row in data["receipts"]):
            return output
        listed: dict[str, list[OpenItem]] = {}
        for item, entity, amount, still, day, due in sorted(data["items"], key=lambda row: (row[5], row[0])):
            listed.setdefault(entity, []).append((due, item, amount, still, day))
        receipts = [(pay, entity, minor, "") for pay, entity, minor, _ in data["receipts"]]
        items = {entity: tuple(rows) for entity, rows in listed.items()}
        lines, on_account = match_receipts(contract, data["day"], receipts, items)
        return {**output, "lines": [list(row) for row in lines], "on_account": [list(row) for row in on_account]}

    return Sabotage(script=script, fails=frozenset({goal(source.source_id)}))
