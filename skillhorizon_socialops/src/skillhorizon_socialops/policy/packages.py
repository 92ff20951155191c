"""Packages: the assets of both arms, chosen, built, and built again when rights are withdrawn (R1, R2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_socialops.policy.memory import Package, post_of
from skillhorizon_socialops.policy.reading import rows_of

if TYPE_CHECKING:
    from skillhorizon import Json
    from skillhorizon_socialops.policy.desk import Desk
    from skillhorizon_socialops.policy.memory import Brief

ROLES = ("visual", "copy")
DAY = 1440
Assets = tuple[str, str]


def assemble(desk: Desk, brief: str) -> None:
    """Choose the assets of both arms of a brief and build the packages.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when the brief of the control row has no current report or no package.
    """
    read = desk.brief(brief)
    assets, basis = control(desk, read)
    build(desk, brief, "a", assets, basis)
    visual, copy = (pick(desk, read, role, read.angle, [*assets]) for role in ROLES)
    build(desk, brief, "b", (visual, copy), "brief")


def control(desk: Desk, brief: Brief) -> tuple[Assets, str]:
    """Return the assets of a control package, and the basis it rests on (R2)."""
    if brief.baseline is not None:
        visual, copy = brief.baseline
        return (visual, copy), "brief"
    (before,) = brief.named("control")
    arm = desk.report(before).arm
    return standing(desk, brief, desk.package(before, arm).assets), desk.ref("rp", before)


def refreshed(desk: Desk, brief: str, arm: str) -> str:
    """Return the latest version of a package that ran, built again first where rights were withdrawn.

    Raises:
        Refused: when a call is not accepted.
        Skipped: when it was never built.
    """
    package = desk.package(brief, arm)
    if desk.withdrawn & {*package.assets}:
        build(desk, brief, arm, standing(desk, desk.brief(brief), package.assets), package.ref)
    return desk.package(brief, arm).ref


def standing(desk: Desk, brief: Brief, assets: Assets) -> Assets:
    """Return assets with the withdrawn ones replaced, each by the best with its own angle."""
    visual, copy = (
        replacement(desk, brief, role, asset) if asset in desk.withdrawn else asset
        for role, asset in zip(ROLES, assets, strict=True)
    )
    return visual, copy


def replacement(desk: Desk, brief: Brief, role: str, asset: str) -> str:
    """Return the asset that takes a withdrawn one's place."""
    rows = rows_of(desk, "list_assets", role=role, locale=brief.locale, format=brief.format)
    angles = {name: angle for name, angle, *_ in rows}
    return chosen(desk, brief, [row for row in rows if row[1] == angles[asset]], [])


def pick(desk: Desk, brief: Brief, role: str, angle: str, exclude: list[str]) -> str:
    """Return the right asset of an angle."""
    rows = rows_of(desk, "list_assets", role=role, locale=brief.locale, format=brief.format, angle=angle)
    return chosen(desk, brief, rows, exclude)


def chosen(desk: Desk, brief: Brief, rows: list[list[Any]], exclude: list[str]) -> str:
    """Return the asset that `pick_asset.py` chooses among rows of one angle, which it takes as they come (R1)."""
    first, last = (desk.posts[post_of(brief.id, arm)].due_at for arm in ("a", "d"))
    rights: dict[str, Json] = {"from": first, "until": last + DAY, "exclude": [*exclude]}
    data: dict[str, Json] = {"candidates": [*rows], "channel": brief.channel, **rights}
    return str(desk.client.script("package-assembly", "pick_asset.py", data)["asset"])


def build(desk: Desk, brief: str, arm: str, assets: Assets, basis: str) -> None:
    """Build a package."""
    visual, copy = assets
    desk.do("build_package", brief_id=brief, arm=arm, visual=visual, copy=copy, basis=basis)
    desk.packages[brief, arm] = Package(desk.ref("pk", f"{brief}.{arm}"), assets)
