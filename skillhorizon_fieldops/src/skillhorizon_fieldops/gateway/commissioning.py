"""Commissioning a service (R8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_fieldops.gateway.answers import again, all_cited, done, odd_one
from skillhorizon_fieldops.gateway.arguments import Certificates, Needs, ServiceId
from skillhorizon_fieldops.gateway.known import known_service
from skillhorizon_fieldops.gateway.status import passing
from skillhorizon_fieldops.keys import demand_key
from skillhorizon_fieldops.rows import Certificate, Device, Procedure, Service
from skillhorizon_fieldops.rules import HEADROOM_BP, Figures, figures, judged, value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST_OFFSET, _MOST_OFFSET = 5, 25
_MEMBERS = """
    SELECT m.device, d.rated, c.derate_bp, i.permit
    FROM member m JOIN device d ON d.device = m.device JOIN condition c ON c.device = m.device
    LEFT JOIN isolation i ON i.device = m.device WHERE m.service = ? ORDER BY m.device"""
_NEEDS = "SELECT need FROM need WHERE service = ? ORDER BY need"
_DEPENDENTS = "SELECT s.demand, n.share_bp FROM need n JOIN service s ON s.service = n.service WHERE n.need = ?"


def _again(call: Call, artifact: Artifact) -> dict[str, Json]:
    return {**again(call, artifact), "offset": artifact.content["offset"]}


@operation(makes="COM:{service}", again=_again)
def commission_service(
    call: Call,
    service: ServiceId,
    certificates: Certificates,
    needs: Needs,
    capacity: int,
    load: int,
    headroom_bp: int,
) -> dict[str, Json]:
    """Commission a service on its members' certificates and its needs' commissionings, with its figures."""
    found, name = known_service(call, service), f"COM:{service}"
    current = call.ledger.current(name)
    if current is not None:
        message = f"{current.ref} is current; a service is commissioned again once it has ended"
        call.reject("already_current", message, object=current.ref)
    passed, needed = all_cited(call, certificates, "CRT"), all_cited(call, needs, "COM")
    members = call.world.sql(_MEMBERS, service)
    _check_members(call, service, members, passed)
    _check_needs(call, service, needed)
    given = Figures(capacity, load, headroom_bp)
    _check_figures(call, found, members, given)
    last = call.ledger.last(name)
    version = 1 if last is None else last.version + 1
    offset = call.draws(name, version).integer(_LEAST_OFFSET, _MOST_OFFSET)
    made = call.ledger.produce(
        name,
        {
            "certificates": certificates,
            "needs": needs,
            "capacity": capacity,
            "load": load,
            "headroom_bp": headroom_bp,
            "offset": offset,
        },
        cites={"certificate": certificates, "need": needs, "demand": (demand_key(service), str(found.demand))},
        period=call.world.clock,
    )
    call.ledger.happened(f"commissioned:{found.wave}", service)
    return done(call, made.ref, offset=offset)


def _check_members(call: Call, service: str, members: Sequence[tuple[Any, ...]], passed: Sequence[Artifact]) -> None:
    """Check that exactly the members are certified as passing, rightly (R8).

    Raises:
        Rejection: member_isolated, members_incomplete, certificate_not_substantiated, verdict_fail.
    """
    for device, _, _, permit in members:
        if permit is not None:
            message = f"{device}, a member of {service}, is isolated by {permit}; close it first (R8)"
            call.reject("member_isolated", message, object=device)
    culprit = odd_one([row[0] for row in members], [each.subject for each in passed])
    if culprit is not None:
        call.reject("members_incomplete", _inexact(culprit), object=culprit)
    for certificate in passed:
        if not _substantiated(call, certificate):
            message = (
                f"{certificate.ref} does not say what its test does: the edition in force when it was made, the value "
                "and the verdict are those of R6; certify_tests it anew"
            )
            call.reject("certificate_not_substantiated", message, object=certificate.ref)
    for certificate in passed:
        if not passing(certificate):
            message = f"{certificate.ref} says fail; rework {certificate.subject} until it passes (R5)"
            call.reject("verdict_fail", message, object=certificate.ref)


def _inexact(name: str) -> str:
    return f"{name} is not cited, or does not belong to it; cite exactly what get_service lists, all current (R8)"


def _substantiated(call: Call, certificate: Artifact) -> bool:
    """Return whether edition, value and verdict are those of R6."""
    content, device = certificate.content, call.world.built(Device, certificate.subject)
    row = call.world.get(Certificate, certificate.subject, certificate.version)
    test = call.ledger.named(content["test"])
    if row is None or test is None or content["edition"] != row.in_force:
        return False
    edition = call.world.get(Procedure, device.device_class, row.in_force)
    if edition is None:
        return False
    value = value_of(test.content["samples"], edition.coef_bp, _offset(call, test))
    return bool(content["value"] == value and content["verdict"] == judged(value, edition.kind, edition.bound))


def _offset(call: Call, test: Artifact) -> int:
    """Return the offset of the commissioning that a test refers to, else 0 (R6)."""
    for cite in call.ledger.cites(test):
        if cite.role == "reference":
            reference = call.ledger.named(cite.version_ref)
            return 0 if reference is None else int(reference.content["offset"])
    return 0


def _check_needs(call: Call, service: str, needed: Sequence[Artifact]) -> None:
    culprit = odd_one([need for (need,) in call.world.sql(_NEEDS, service)], [each.subject for each in needed])
    if culprit is not None:
        call.reject("needs_incomplete", _inexact(culprit), object=culprit)


def _check_figures(call: Call, service: Service, members: Sequence[tuple[Any, ...]], given: Figures) -> None:
    """Check the figures and the headroom (R8).

    Raises:
        Rejection: figures_rejected, headroom_short.
    """
    dependents = call.world.sql(_DEPENDENTS, service.service)
    right = figures([(rated, derate_bp) for _, rated, derate_bp, _ in members], service.demand, dependents)
    for figure in ("capacity", "load", "headroom_bp"):
        if getattr(given, figure) != getattr(right, figure):
            message = f"{figure} of {service.service} is not that of R8; compute it from get_service as it stands now"
            call.reject("figures_rejected", message, object=service.service, figure=figure)
    if right.headroom_bp < HEADROOM_BP[service.tier]:
        message = (
            f"{service.service} has less headroom than a {service.tier} service must; replace derated parts of its "
            "members (R8)"
        )
        call.reject("headroom_short", message, object=service.service)
