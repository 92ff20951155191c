"""Reading what does not change hands: the brief, manuals, procedures, stock and crews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Call, Cursor, Json, Limit, dumps, page, query
from skillhorizon_fieldops.gateway.answers import name_once
from skillhorizon_fieldops.gateway.arguments import DeviceClass, ModelId, Parts, WaveNumber
from skillhorizon_fieldops.gateway.known import known_model, known_part, known_wave, programme
from skillhorizon_fieldops.rows import (
    Card,
    Device,
    Manual,
    Procedure,
    Relief,
    Rule,
    Service,
    Travel,
    Zone,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SECTIONS = "SELECT DISTINCT section FROM service ORDER BY section"
_PERMITS = "SELECT count(DISTINCT zone) FROM isolation"
_BATCHES = """
    SELECT batch, part, expiry_wave, pack, free, held, consumed, scrapped, status FROM batch
    WHERE part IN (SELECT value FROM json_each(?)) ORDER BY part, expiry_wave, batch"""
_BATCH = ("batch", "part", "expiry_wave", "pack", "free", "held", "consumed", "scrapped", "status")
_CREWS = """
    SELECT c.crew, c.region, c.primary_class, c.other_class, b.block, b.free, b.status
    FROM crew c JOIN crew_block b ON b.crew = c.crew AND b.wave = ?1
    WHERE c.primary_class = ?2 OR c.other_class = ?2 ORDER BY c.crew, b.block"""
_CREW = ("crew", "region", "primary", "other", "block", "free", "status")
_CLASS_OF_MODEL = "SELECT device_class FROM device WHERE model = ? LIMIT 1"
_FITS = """
    SELECT family, part, rev_lo, rev_hi, derate_bp FROM fit WHERE device_class = ? ORDER BY family, part"""
_FIT = ("family", "part", "rev_lo", "rev_hi", "derate_bp")


@query
def get_brief(call: Call) -> dict[str, Json]:
    """Read the task: scenario, waves, counts, sections, travel minutes, permit limit, relief budget and use."""
    fixed, world = programme(call), call.world
    return {
        "scenario": fixed.scenario,
        "waves": fixed.waves,
        "open_wave": world.clock if world.clock <= fixed.waves + 1 else None,
        "devices": world.count(Device),
        "services": world.count(Service),
        "zones": world.count(Zone),
        "sections": [section for (section,) in world.sql(_SECTIONS)],
        "travel": [[each.origin, each.destination, each.minutes] for each in world.select(Travel)],
        "permits": {"limit": fixed.permits, "open": world.sql(_PERMITS)[0][0]},
        "relief": {"budget": fixed.relief, "used": world.count(Relief)},
    }


@query
def list_batches(call: Call, parts: Parts, limit: Limit | None = None, cursor: Cursor | None = None) -> dict[str, Json]:
    """List the batches of one to four parts, those that expire first before others."""
    for part in parts:
        known_part(call, part)
    name_once(call, parts)
    return page(call.world.sql(_BATCHES, dumps(parts)), _BATCH, limit=limit, cursor=cursor)


@query
def list_crews(
    call: Call,
    wave: WaveNumber,
    device_class: DeviceClass,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List the crews that may work a class, with the minutes free in each block of a wave."""
    known_wave(call, wave)
    return page(call.world.sql(_CREWS, wave, device_class), _CREW, limit=limit, cursor=cursor)


def _sheet(rows: Iterable[Any], columns: Sequence[str]) -> dict[str, Json]:
    """Return the named fields of rows, under their columns."""
    return {"columns": list(columns), "rows": [[getattr(row, column) for column in columns] for row in rows]}


@query
def get_manual(call: Call, model: ModelId) -> dict[str, Json]:
    """Read a model's manual: its editions with their rules, the work on each fault, the parts that fit its class."""
    known_model(call, model)
    editions, found = call.world.select(Manual, model=model), call.world.sql(_CLASS_OF_MODEL, model)
    rules = [rule for each in editions for rule in call.world.select(Rule, edition=each.edition)]
    device_class = found[0][0] if found else None
    return {
        "model": model,
        "class": device_class,
        "editions": _sheet(editions, ("edition", "issue", "rev_lo", "rev_hi")),
        "rules": _sheet(rules, ("edition", "rank", "metric", "op", "threshold", "fault")),
        "cards": _sheet(call.world.select(Card, model=model), ("fault", "action", "family", "qty", "base_min")),
        "fits": {"columns": list(_FIT), "rows": [list(row) for row in call.world.sql(_FITS, device_class)]},
    }


@query
def get_procedure(call: Call, device_class: DeviceClass) -> dict[str, Json]:
    """Read the test procedure of a class: its editions; the highest is in force."""
    editions = call.world.select(Procedure, device_class=device_class)
    return {
        "class": device_class,
        "in_force": max((each.edition for each in editions), default=None),
        "editions": {
            "columns": ["edition", "coef_bp", "limit", "kind"],
            "rows": [[each.edition, each.coef_bp, each.bound, each.kind] for each in editions],
        },
    }
