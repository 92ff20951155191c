"""Which licensed asset is right (R1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import cache

import attrs

from skillhorizon_socialops.catalogue import seed
from skillhorizon_socialops.rows import Asset

ROLES = ("visual", "copy")
_ACTIVE = "active"
_AFTER_MIN = 1_440

Pair = tuple[str, str]
"""A package's visual and copy."""


@attrs.frozen
class Place:
    """Where a package runs: locale, format and channel, from one post's due minute to another's."""

    locale: str
    format: str
    channel: str
    first_due: int
    last_due: int


@attrs.frozen
class Shelf:
    """The assets by (role, locale, format, angle), best first, and by id, with the channels of each."""

    cells: Mapping[tuple[str, str, str, str], Sequence[Asset]]
    assets: Mapping[str, Asset]
    channels: Mapping[str, Collection[str]]

    def best(self, role: str, angle: str, place: Place, barred: Collection[str]) -> str:
        """Return the right asset of a role and angle, without those barred (R1).

        Raises:
            LookupError: when none is left.
        """
        for asset in self.cells[role, place.locale, place.format, angle]:
            if self._fits(asset, place) and asset.asset_id not in barred:
                return asset.asset_id
        raise LookupError(f"no {role} of angle {angle} is left for {place}")

    def _fits(self, asset: Asset, place: Place) -> bool:
        return (
            asset.status == _ACTIVE
            and place.channel in self.channels[asset.asset_id]
            and asset.rights_from <= place.first_due
            and asset.rights_to >= place.last_due + _AFTER_MIN
        )

    def pair(self, angle: str, place: Place, barred: Collection[str]) -> Pair:
        """Return the right visual and copy of an angle."""
        visual, copy = (self.best(role, angle, place, barred) for role in ROLES)
        return visual, copy

    def kept(self, pair: Pair, place: Place, withdrawn: Collection[str]) -> Pair:
        """Return a pair with what is withdrawn replaced by the right asset of its own angle (R2)."""
        visual, copy = (
            self.best(self.assets[each].role, self.assets[each].angle, place, withdrawn) if each in withdrawn else each
            for each in pair
        )
        return visual, copy


@cache
def shelf() -> Shelf:
    """Return the seed's assets, indexed once per process."""
    known = seed()
    cells: dict[tuple[str, str, str, str], list[Asset]] = defaultdict(list)
    channels: dict[str, list[str]] = defaultdict(list)
    for asset in known.assets:
        cells[asset.role, asset.locale, asset.format, asset.angle].append(asset)
    for row in known.asset_channels:
        channels[row.asset_id].append(row.channel_id)
    for rows in cells.values():
        rows.sort(key=lambda asset: (-asset.quality_bp, asset.asset_id))
    return Shelf(cells, {asset.asset_id: asset for asset in known.assets}, channels)
