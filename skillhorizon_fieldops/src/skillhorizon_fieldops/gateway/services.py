"""Reading services."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Cursor, Json, Limit, query, query_page
from skillhorizon_fieldops.gateway.arguments import SectionId, ServiceId, ServiceStatus, WaveNumber
from skillhorizon_fieldops.gateway.known import known_section, known_service, known_wave
from skillhorizon_fieldops.gateway.status import CURRENT, OPEN, SERVICE_STANDING, SERVICE_STATUS

if TYPE_CHECKING:
    from collections.abc import Sequence

_COLUMNS = ("service", "section", "tier", "status")
_MEMBERS = """
    SELECT m.device, d.rated, c.derate_bp, k.id || '@' || k.version
    FROM member m JOIN device d ON d.device = m.device JOIN condition c ON c.device = m.device
    LEFT JOIN artifact k ON k.id = 'CRT:' || m.device AND k.ended IS NULL
        AND json_extract(k.content_text, '$.verdict') = 'pass'
    WHERE m.service = ? ORDER BY m.device"""
_NEEDS = """
    SELECT s.service, s.demand, n.share_bp, k.id || '@' || k.version
    FROM need n JOIN service s ON s.service = n.need
    LEFT JOIN artifact k ON k.id = 'COM:' || s.service AND k.ended IS NULL
    WHERE n.service = ? ORDER BY s.service"""
_DEPENDENTS = """
    SELECT s.service, s.demand, n.share_bp, k.id || '@' || k.version
    FROM need n JOIN service s ON s.service = n.service
    LEFT JOIN artifact k ON k.id = 'COM:' || s.service AND k.ended IS NULL
    WHERE n.need = ? ORDER BY s.service"""
_MEMBER = ("device", "rated", "derate_bp", "certificate")
_OTHER = ("service", "demand", "share_bp", "commission")


@query
def list_services(
    call: Call,
    wave: WaveNumber | None = None,
    section: SectionId | None = None,
    status: ServiceStatus | None = None,
    limit: Limit | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List services of a wave or a section, or of one status: open, or current once commissioned."""
    if wave is not None:
        known_wave(call, wave)
    if section is not None:
        known_section(call, section)
    text = f"SELECT s.service, s.section, s.tier, {SERVICE_STATUS} AS status FROM {SERVICE_STANDING}"  # noqa: S608  # fixed texts
    chosen = {"s.wave": wave, "s.section": section, "status": status}
    return query_page(call, text, _COLUMNS, chosen, order="s.service", limit=limit, cursor=cursor)


@query
def get_service(call: Call, service: ServiceId) -> dict[str, Json]:
    """Read one service: its members with passing certificates, its needs and dependents, its commissioning."""
    found, current = known_service(call, service), call.ledger.current(f"COM:{service}")
    return {
        "service": service,
        "tier": found.tier,
        "wave": found.wave,
        "section": found.section,
        "demand": found.demand,
        "status": OPEN if current is None else CURRENT,
        "commission": None if current is None else current.ref,
        "offset": None if current is None else current.content["offset"],
        "members": _rows(call, _MEMBERS, service, _MEMBER),
        "needs": _rows(call, _NEEDS, service, _OTHER),
        "dependents": _rows(call, _DEPENDENTS, service, _OTHER),
    }


def _rows(call: Call, text: str, service: str, columns: Sequence[str]) -> dict[str, Json]:
    return {"columns": list(columns), "rows": [list(row) for row in call.world.sql(text, service)]}
