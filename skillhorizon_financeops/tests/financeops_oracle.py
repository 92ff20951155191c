"""A slow, obvious replay of R1 to R8 over plain dicts: everything is worked out anew for every question."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan

COLUMNS = {
    "FA": "order rev code party amt",
    "FB": "party amt order code rev",
    "FC": "code order party rev amt",
    "FD": "rev order amt party code",
    "FR": "order rev code party amt ref",
}


def tables(plan: Plan, notices: int) -> dict[str, list[dict[str, Any]]]:
    """The tables after the first `notices` updates, every row a dict."""
    facts = plan.facts
    out = {
        "contract": [attrs.asdict(row) for row in facts.contracts],
        "map": [attrs.asdict(row) for row in facts.identity_maps],
        "value": [attrs.asdict(row) for row in facts.account_values],
        "row": [row._asdict() for row in facts.source_rows],
        "source": [attrs.asdict(row) for row in facts.sources],
        "opening": [attrs.asdict(row) for row in facts.opening_items],
    }
    for update in plan.updates[:notices]:
        for table, field in (("map", "overlay"), ("value", "value"), ("contract", "contract")):
            if hasattr(update, field):
                out[table].append(attrs.asdict(getattr(update, field)))
        out["row"] += [row._asdict() for row in getattr(update, "rows", ())]
    return out


def governing(records: list[dict[str, Any]], day: int) -> dict[str, Any]:
    """R1."""
    return max((r for r in records if r["from_day"] <= day <= r["to_day"]), key=lambda r: r["rank"])


def rdiv(x: int, d: int) -> int:
    """Halves away from zero."""
    sign = -1 if x < 0 else 1
    return sign * int(Fraction(abs(x), d) + Fraction(1, 2))


def minor(contract: dict[str, Any], amount: int) -> int:
    """R3."""
    gross = rdiv(contract["sign"] * amount * contract["num"], contract["den"])
    return gross if contract["basis"] == "net" else rdiv(gross * 10_000, 10_000 + contract["tax_bps"])


def selected(source: dict[str, Any], contract: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """R2: order -> its row as a dict."""
    named = [
        {"pos": r["pos"], "ref": "", **dict(zip(COLUMNS[source["format"]].split(), r["cells"], strict=True))}
        for r in sorted(rows, key=lambda r: r["pos"])
        if r["source_id"] == source["source_id"]
    ]
    out = {}
    for order in sorted({r["order"] for r in named}):
        own = [r for r in named if r["order"] == order]
        kinds = [contract["codes"][r["code"]] for r in own]
        counted = [r for r, kind in zip(own, kinds, strict=True) if kind in ("sale", "correction")]
        if source["conflict_policy"] == "first":
            if kinds[0] in ("sale", "correction"):
                out[order] = own[0]
        elif "withdrawn" not in kinds and counted:
            out[order] = max(counted, key=lambda r: r["rev"])
    return out


def read(data: dict[str, list[dict[str, Any]]], source: dict[str, Any]) -> dict[str, Any]:
    """R1 to R5 for one source."""
    day = source["day"]
    contract = governing([c for c in data["contract"] if c["format"] == source["format"]], day)
    chosen = selected(source, contract, data["row"])
    records, citations = [], set()
    for order, row in chosen.items():
        maps = [
            m
            for m in data["map"]
            if m["identity_source_id"] == source["identity_source_id"] and row["party"] in m["entries"]
        ]
        found = governing(maps, day)
        account = found["entries"][row["party"]]
        value = governing([v for v in data["value"] if v["account"] == account], day)
        records.append((order, row["party"], value["entity"], minor(contract, row["amt"])))
        citations.add((row["party"], found["map_id"], account, value["rank"]))
    return {
        "contract": contract,
        "chosen": {order: row["pos"] for order, row in chosen.items()},
        "refs": {order: row["ref"] for order, row in chosen.items()},
        "records": sorted(records),
        "citations": sorted(citations),
    }


def match(source: dict[str, Any], package: dict[str, Any], listed: list[dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """R6, the matching of one remittance."""
    contract, items = package["contract"], [dict(item) for item in listed]
    lines, on_account = [], []
    for payment, _, entity, amount in package["records"]:
        cash = amount
        own = sorted((i for i in items if i["entity"] == entity), key=lambda i: (i["due"], i["item"]))
        own.sort(key=lambda i: i["item"] != package["refs"][payment])
        for item in own:
            if not cash or item["open"] <= 0:
                continue
            applied = min(cash, item["open"])
            cash -= applied
            rest, discount, writeoff = item["open"] - applied, 0, 0
            if cash == 0 and rest > 0:
                within = source["day"] <= item["day"] + contract["disc_days"]
                if within and rest <= rdiv(item["amount"] * contract["disc_bps"], 10_000):
                    discount = rest
                elif rest <= contract["tol"]:
                    writeoff = rest
            item["open"] = rest - discount - writeoff
            lines.append((payment, item["item"], applied, discount, writeoff))
        if cash:
            on_account.append((payment, entity, cash))
    return sorted(lines), sorted(on_account)


def replay(data: dict[str, list[dict[str, Any]]], stages: int) -> dict[str, dict[str, Any]]:
    """R1 to R7 for all sources of the first `stages` stages."""
    out = {s["source_id"]: {**s, **read(data, s)} for s in data["source"] if s["stage"] <= stages}
    for lockbox in sorted({s["lockbox"] for s in out.values() if s["lockbox"]}):
        items = [{**item, "open": item["amount"]} for item in data["opening"] if item["lockbox"] == lockbox]
        for stage in range(1, stages + 1):
            pair = {s["kind"]: s for s in out.values() if (s["lockbox"], s["stage"]) == (lockbox, stage)}
            cash, sales = pair["remittance"], pair["sales"]
            cash["lines"], cash["on_account"] = match(cash, cash, items)
            for _, name, *amounts in cash["lines"]:
                next(i for i in items if i["item"] == name)["open"] -= sum(amounts)
            items = [i for i in items if i["open"] > 0] + [
                {"item": o, "entity": e, "amount": m, "open": m, "day": sales["day"], "due": sales["day"] + 150}
                for o, _, e, m in sales["records"]
                if m > 0
            ]
    for source in out.values():
        source["totals"] = totals(source)
    return out


def totals(source: dict[str, Any]) -> list[tuple[str, int, int]]:
    """R7."""
    nets: dict[str, list[int]] = {}
    for order, _, entity, amount in source["records"]:
        if source["kind"] == "remittance":
            paid = sum(sum(line[2:]) for line in source["lines"] if line[0] == order)
            amount = -(paid + sum(row[2] for row in source["on_account"] if row[0] == order))  # noqa: PLW2901
        nets.setdefault(entity, []).append(amount)
    return sorted((entity, len(amounts), sum(amounts)) for entity, amounts in nets.items())
