"""Where the release stands."""

from __future__ import annotations

from skillhorizon import Call, Json, query
from skillhorizon_financeops.gateway.answers import TICKETS, allowance
from skillhorizon_financeops.gateway.closing import openings
from skillhorizon_financeops.rows import IdentitySource, Stage

_OPEN = "SELECT kind, count(*) FROM obligation WHERE status = 'open' GROUP BY kind"


@query
def get_release_status(call: Call) -> dict[str, Json]:
    """Read where the release stands: stages, allowances, open obligations, publications, opening balances."""
    opened = [each for each in call.world.select(Stage) if each.status != "unopened"]
    released = call.world.select(IdentitySource)
    release = call.ledger.current("REL:release")
    return {
        "stages": [
            [each.stage, [row.identity_source_id for row in released if row.released_stage == each.stage]]
            for each in opened
        ],
        "open_stage": next((each.stage for each in opened if each.status == "open"), None),
        "published": sorted(each.period for each in call.ledger.live("PUB")),
        "tickets": _spent(call, TICKETS),
        "reliefs": {kind: _spent(call, f"relief:{kind}") for kind in ("revision", "review")},
        "obligations_open": {"attest": 0, "restate": 0, "view": 0, **dict(call.world.sql(_OPEN))},
        "release": None if release is None else release.ref,
        "opening": openings(call),
    }


def _spent(call: Call, name: str) -> dict[str, int]:
    found = allowance(call, name)
    return {"granted": found.granted, "spent": found.spent, "left": found.granted - found.spent}
