"""Accepting sections, then the system (R10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Artifact, Call, Json, operation
from skillhorizon_fieldops.gateway.answers import again, all_cited, done, odd_one
from skillhorizon_fieldops.gateway.arguments import Accounts, Commissions, SectionId, Sections
from skillhorizon_fieldops.gateway.known import known_section, sweep
from skillhorizon_fieldops.gateway.ledgers import account

if TYPE_CHECKING:
    from collections.abc import Sequence

_SERVICES = "SELECT service FROM service WHERE section = ? ORDER BY service"
_SECTIONS = "SELECT DISTINCT section FROM service ORDER BY section"
_PERMIT = "SELECT permit FROM isolation ORDER BY permit LIMIT 1"
_RESERVED = "SELECT device FROM reservation WHERE status IN ('held', 'unsettled') ORDER BY device LIMIT 1"


@operation(makes="SEC:{section}", again=again)
def accept_section(call: Call, section: SectionId, commissions: Commissions) -> dict[str, Json]:
    """Accept a section on the current commissionings of exactly its services."""
    known_section(call, section)
    cited = all_cited(call, commissions, "COM")
    wanted = [service for (service,) in call.world.sql(_SERVICES, section)]
    culprit = odd_one(wanted, [each.subject for each in cited])
    if culprit is not None:
        message = f"service {culprit} of section {section} is not cited, or one too many is"
        told = f"{message}; cite exactly what list_services names, all current (R10)"
        call.reject("section_incomplete", told, object=culprit)
    made = call.ledger.produce(
        f"SEC:{section}",
        {"commissions": commissions},
        cites={"commission": commissions},
        period=call.world.clock,
    )
    return done(call, made.ref)


@operation(makes="SYS:system", again=again)
def accept_system(call: Call, sections: Sections, accounts: Accounts) -> dict[str, Json]:
    """Accept the system on all sections and on the exact accounts of all waves that used anything (R10)."""
    accepted, posted = all_cited(call, sections, "SEC"), all_cited(call, accounts, "ACC")
    _check_settled(call)
    _check_complete(call, accepted, posted)
    for each in posted:
        lines, minutes = account(call.world, each.period)
        if [sorted(each.content["lines"]), each.content["crew_minutes"]] != [lines, minutes]:
            message = f"{each.ref} is not what wave {each.period} used; post_account what get_wave_ledger adds up to"
            call.reject("account_mismatch", f"{message} (R9)", object=each.ref)
    made = call.ledger.produce(
        "SYS:system",
        {"sections": sections, "accounts": accounts},
        cites={"section": sections, "account": accounts},
        period=call.world.clock,
    )
    return done(call, made.ref)


def _check_settled(call: Call) -> None:
    """Check that no permit and no reservation is open (R10).

    Raises:
        Rejection: isolation_open, reservation_open.
    """
    isolated = call.world.sql(_PERMIT)
    if isolated:
        permit = isolated[0][0]
        call.reject("isolation_open", f"permit {permit} is open; close_isolation it first (R10)", object=permit)
    reserved = call.world.sql(_RESERVED)
    if reserved:
        device = reserved[0][0]
        message = f"{device} has a held or unsettled reservation; settle it, or close its wave (R10)"
        call.reject("reservation_open", message, object=device)


def _check_complete(call: Call, accepted: Sequence[Artifact], posted: Sequence[Artifact]) -> None:
    """Check that exactly all sections, and all waves that need an account, are cited (R10).

    Raises:
        Rejection: acceptance_incomplete.
    """
    last = sweep(call)
    lines, minutes = account(call.world, last)
    waves = [str(wave) for wave in range(1, last + bool(lines or minutes))]
    wanted = [section for (section,) in call.world.sql(_SECTIONS)]
    culprit = odd_one(wanted, [each.subject for each in accepted])
    culprit = culprit or odd_one(waves, [each.subject for each in posted])
    if culprit is not None:
        message = f"{culprit} is not cited, or one too many is; cite every section and the account of every wave"
        call.reject("acceptance_incomplete", f"{message}, the sweep's if it used anything (R10)", object=culprit)
