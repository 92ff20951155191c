"""Acknowledging notices with the briefs that they affect."""

from __future__ import annotations

from skillhorizon import Call, Json, operation
from skillhorizon_socialops.gateway.answers import done, not_found
from skillhorizon_socialops.gateway.arguments import Affected, NoticeId
from skillhorizon_socialops.gateway.known import check_brief
from skillhorizon_socialops.rows import Acknowledgement, Impact


@operation(makes="ack:{notice_id}", repeat=False, reveals=("impact.affected",))
def acknowledge_update(call: Call, notice_id: NoticeId, affected_briefs: Affected) -> dict[str, Json]:
    """Resolve a notice by naming exactly the briefs that it affects, as things stood when it came."""
    impact = call.world.get(Impact, notice_id)
    if impact is None:
        not_found(call, "notice", notice_id, "list_notices names those received")
    for name in affected_briefs:
        check_brief(call, name)
    if affected_briefs != impact.affected:
        message = "these are not exactly the briefs affected when the notice came; see the topic `updates` of get_rules"
        call.reject("IMPACT_MISMATCH", message, object=notice_id)
    if call.world.get(Acknowledgement, notice_id) is None:
        call.ledger.resolve(notice_id)
        call.world.insert(Acknowledgement(notice_id, call.index, affected_briefs))
    return done(call)
