"""A slow, obvious reading of R2 to R9 over plain dicts: everything is worked out anew for every question."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon import draws

if TYPE_CHECKING:
    from skillhorizon_fieldops.plan import Plan

Row = dict[str, Any]


def tables(plan: Plan) -> dict[str, list[Row]]:
    """The tables of the start, every row a dict."""
    return {name: [attrs.asdict(row) for row in rows] for name, rows in attrs.asdict(plan.facts, recurse=False).items()}


def row(rows: list[Row], **wanted: Any) -> Row:
    """The one row with these values."""
    (found,) = [each for each in rows if all(each[key] == value for key, value in wanted.items())]
    return found


def fault(data: dict[str, list[Row]], device: Row, how: str = "median") -> str:
    """R2, by the edition in force and the median; or by the plain mean."""
    return _fault_by(data, device, max(_editions(data, device), key=lambda m: m["issue"]), how)


def superseded(data: dict[str, list[Row]], device: Row) -> list[str]:
    """What the other editions in range say."""
    editions = sorted(_editions(data, device), key=lambda m: m["issue"])
    return [_fault_by(data, device, edition, "median") for edition in editions[:-1]]


def _editions(data: dict[str, list[Row]], device: Row) -> list[Row]:
    own = [m for m in data["manuals"] if m["model"] == device["model"]]
    return [m for m in own if m["rev_lo"] <= device["hw_rev"] <= m["rev_hi"]]


def _fault_by(data: dict[str, list[Row]], device: Row, edition: Row, how: str) -> str:
    readings = {r["metric"]: list(r["samples"]) for r in data["readings"] if r["device"] == device["device"]}
    for rule in sorted((r for r in data["rules"] if r["edition"] == edition["edition"]), key=lambda r: r["rank"]):
        values = sorted(readings[rule["metric"]])
        if how == "mean":
            level = Fraction(sum(values), len(values))
        else:
            level = Fraction(floor(Fraction(values[2] + values[3], 2)) if len(values) == 6 else values[0])
        if {">": level > rule["threshold"], "<": level < rule["threshold"]}[rule["op"]]:
            return str(rule["fault"])
    raise AssertionError("no rule holds")


def card(data: dict[str, list[Row]], device: Row) -> Row:
    """The card of a device's true fault."""
    return row(data["cards"], model=device["model"], fault=device["fault"])


def upstream(data: dict[str, list[Row]], device: str) -> set[str]:
    """All closed-feed ancestors, by repeated search."""
    found: set[str] = set()
    while True:
        below = {device, *found}
        more = {f["upstream"] for f in data["feeds"] if f["normal"] == "closed" and f["downstream"] in below}
        if more <= found:
            return found
        found |= more


def minutes(data: dict[str, list[Row]], device: Row, base: int) -> int:
    """R4 for one device."""
    site = row(data["sites"], site=row(data["zones"], zone=device["zone"])["site"])
    stored = any(point["device"] == device["device"] for point in data["stored_points"])
    return ceil(Fraction(base * (10_000 + site["access_bp"] + (1_500 if stored else 0)), 10_000))


def samples(seed_text: str, first: Row, device: str, version: int, good: bool) -> list[tuple[int, int]]:
    """The physics of TST:device@version; `first` is edition 1 of its class."""
    rng = draws(seed_text, f"TST:{device}", version)
    warm_side = good if first["kind"] == "min" else not good
    target = first["bound"] + rng.integer(55, 70) if warm_side else first["bound"] - rng.integer(28, 60)
    hot = rng.integer(20, 25) * (1 if warm_side else -1) if rng.chance(3000) else rng.integer(-25, 25)
    out = []
    for _ in range(6):
        ambient = max(-5, min(45, 20 + hot + rng.integer(-1, 1)))
        wanted = target + rng.integer(-10, 10)
        out.append((ceil(Fraction(wanted * 10_000, 10_000 + first["coef_bp"] * (ambient - 20))), ambient))
    return out


def value(taken: list[tuple[int, int]], procedure: Row, offset: int) -> int:
    """R6."""
    corrected = []
    for raw, ambient in taken:
        whole = floor(Fraction(raw * (10_000 + procedure["coef_bp"] * (ambient - 20)), 10_000))
        corrected.append(whole - offset)
    corrected.remove(min(corrected))
    corrected.remove(max(corrected))
    return floor(Fraction(sum(corrected), 4))


def passes(found: int, procedure: Row) -> bool:
    """R6's verdict."""
    return bool({"min": found >= procedure["bound"], "max": found <= procedure["bound"]}[procedure["kind"]])


def figures(data: dict[str, list[Row]], service: Row, derates: dict[str, int]) -> tuple[int, int, int]:
    """R8 with the demands of the start: capacity, load, headroom."""
    members = [m["device"] for m in data["members"] if m["service"] == service["service"]]
    ratings = [row(data["devices"], device=m)["rated"] * (10_000 - derates.get(m, 0)) for m in members]
    capacity = floor(Fraction(min(ratings), 10_000))
    load = service["demand"]
    for need in data["needs"]:
        if need["need"] == service["service"]:
            load += floor(Fraction(row(data["services"], service=need["service"])["demand"] * need["share_bp"], 10_000))
    return capacity, load, floor(Fraction((capacity - load) * 10_000, load))


def account(issues: list[Row], booked: list[int]) -> tuple[list[tuple[str, int, int, int, int]], int]:
    """R9: one line per part."""
    lines = []
    for part in sorted({issue["part"] for issue in issues}):
        own = [issue for issue in issues if issue["part"] == part]
        issued, consumed = sum(i["issued"] for i in own), sum(i["consumed"] for i in own)
        scrapped = sum(i["issued"] - i["consumed"] for i in own if i["scrapped"])
        lines.append((part, issued, consumed, issued - consumed - scrapped, scrapped))
    return lines, sum(booked)
