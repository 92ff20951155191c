"""Building packages out of licensed assets (R1, R2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import Call, Json, operation
from skillhorizon_socialops.gateway.answers import again, done, package_id
from skillhorizon_socialops.gateway.arguments import Arm, AssetId, Basis, BriefId
from skillhorizon_socialops.gateway.known import arms_of, check_opened, known_asset, known_brief
from skillhorizon_socialops.gateway.upstream import upstream_of
from skillhorizon_socialops.keys import CONTROL, GRANTED, PUBLISHED, rights_key

if TYPE_CHECKING:
    from skillhorizon_socialops.rows import Asset, Brief

BRIEF = "brief"
"""The basis of a package that follows from the brief alone."""
_WITHDRAWN = "SELECT asset_id, since FROM withdrawal WHERE asset_id IN (?1, ?2) ORDER BY asset_id = ?2"


@operation(makes="pk:{brief_id}.{arm}", again=again)
def build_package(
    call: Call, brief_id: BriefId, arm: Arm, visual: AssetId, copy: AssetId, basis: Basis
) -> dict[str, Json]:
    """Build an arm's package from a visual and a copy.

    `basis` is `brief` in wave 1 and for test, the predecessor's current report for a later control, and the package's
    own latest version once the arm is published.
    """
    brief = known_brief(call, brief_id)
    check_opened(call, brief)
    chosen = {"visual": known_asset(call, visual), "copy": known_asset(call, copy)}
    for role, asset in chosen.items():
        _check_kind(call, brief, role, asset)
    _check_rights(call, visual, copy)
    _check_basis(call, brief, arm, basis)
    made = call.ledger.produce(
        package_id(brief, arm),
        {"arm": arm, "visual": visual, "copy": copy, "basis": basis},
        cites={role: (rights_key(asset.asset_id), GRANTED) for role, asset in chosen.items()},
        mentions={} if basis == BRIEF else {"basis": basis},
        period=brief.wave,
    )
    return done(call, made.ref)


def _check_kind(call: Call, brief: Brief, role: str, asset: Asset) -> None:
    """Check an asset's role, locale and format (R1).

    Raises:
        Rejection: ASSET_KIND.
    """
    if (asset.role, asset.locale, asset.format) != (role, brief.locale, brief.format):
        message = f"{asset.asset_id} is a {asset.role} for {asset.locale} {asset.format}; {brief.brief_id} needs a"
        told = f"{message} {role} for {brief.locale} {brief.format} (R1)"
        call.reject("ASSET_KIND", told, object=asset.asset_id)


def _check_rights(call: Call, visual: str, copy: str) -> None:
    """Check that no asset's rights are withdrawn (R1).

    Raises:
        Rejection: ASSET_WITHDRAWN.
    """
    for asset, since in call.world.sql(_WITHDRAWN, visual, copy):
        message = f"the rights of {asset} were withdrawn at minute {since}; choose another one (R1, R2)"
        call.reject("ASSET_WITHDRAWN", message, object=asset)


def _check_basis(call: Call, brief: Brief, arm: str, basis: str) -> None:
    """Check what a package follows from (R2).

    Raises:
        Rejection: BASIS_NOT_CURRENT.
    """
    if arms_of(call, brief)[arm].status == PUBLISHED:
        own = call.ledger.last(package_id(brief, arm))
        right, needed = "" if own is None else own.ref, "this package's own latest version, since its arm is published"
    elif arm == "b" or brief.wave == 1:
        right, needed = BRIEF, "`brief`"
    else:
        (control,) = upstream_of(call, brief, CONTROL)
        report = call.ledger.current(f"rp:{control}")
        right, needed = "" if report is None else report.ref, f"the current report of {control}"
    if basis != right:
        message = f"{basis!r} is not the basis of arm {arm} of {brief.brief_id}; it is {needed} (R2)"
        call.reject("BASIS_NOT_CURRENT", message, object=basis)
