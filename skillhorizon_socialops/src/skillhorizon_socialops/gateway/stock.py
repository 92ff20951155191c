"""Reading licensed assets and audiences."""

from __future__ import annotations

from skillhorizon import Call, Cursor, Json, dumps, loads, page, query
from skillhorizon_socialops.gateway.arguments import PAGE, Angle, AssetStatus, Audiences, Format, Locale, Role, Rows
from skillhorizon_socialops.gateway.known import known_names

_ASSET_COLUMNS = ("asset", "angle", "quality_bp", "rights_from", "rights_to", "channels", "status")
_ASSETS = """
    SELECT a.asset_id, a.angle, a.quality_bp, a.rights_from, a.rights_to,
        (SELECT json_group_array(c.channel_id) FROM asset_channel c WHERE c.asset_id = a.asset_id),
        CASE WHEN w.asset_id IS NULL THEN a.status ELSE 'withdrawn' END
    FROM asset a LEFT JOIN withdrawal w ON w.asset_id = a.asset_id
    WHERE a.role = ? AND a.locale = ? AND a.format = ? ORDER BY a.asset_id"""
_AUDIENCE_COLUMNS = ("audience", "size", "lapsed_bp", "policy", "retention_bp", "cap", "cooldown_min")
_AUDIENCES = """
    SELECT a.audience_id, a.size, a.lapsed_bp, p.policy_version, coalesce(p.retention_bp, a.retention_bp), p.cap,
        a.cooldown_min
    FROM audience a LEFT JOIN policy p ON p.audience_id = a.audience_id AND p.policy_version = (
        SELECT max(l.policy_version) FROM policy l WHERE l.audience_id = a.audience_id)
    WHERE a.audience_id IN (SELECT value FROM json_each(?)) ORDER BY a.audience_id"""
_OVERLAPS = """
    SELECT a, b, users FROM audience_overlap
    WHERE a IN (SELECT value FROM json_each(?1)) AND b IN (SELECT value FROM json_each(?1)) ORDER BY a, b"""


@query
def list_assets(
    call: Call,
    role: Role,
    locale: Locale,
    format: Format,
    angle: Angle | None = None,
    status: AssetStatus | None = None,
    limit: Rows | None = None,
    cursor: Cursor | None = None,
) -> dict[str, Json]:
    """List assets of a role, locale and format, perhaps of one angle or status, with the channels they may run on."""
    rows = [
        (*row[:5], sorted(loads(row[5])), row[6])
        for row in call.world.sql(_ASSETS, role, locale, format)
        if angle in (None, row[1]) and status in (None, row[6])
    ]
    return page(rows, _ASSET_COLUMNS, limit=limit or PAGE, cursor=cursor)


@query
def get_audiences(call: Call, audience_ids: Audiences) -> dict[str, Json]:
    """Read audiences: sizes, the current policy with its cap, cooldowns, and the users [a, b, users] in each pair."""
    wanted = sorted(set(audience_ids))
    names = dumps(wanted)
    rows = call.world.sql(_AUDIENCES, names)
    if len(rows) < len(wanted):
        known_names(call, wanted)
    return {
        "audiences": {"columns": list(_AUDIENCE_COLUMNS), "rows": [list(row) for row in rows]},
        "overlaps": [list(row) for row in call.world.sql(_OVERLAPS, names)],
    }
