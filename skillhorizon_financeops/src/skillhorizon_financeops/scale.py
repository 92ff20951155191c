"""How a band becomes a configuration: the knob is W, sources per stage; everything else is fixed by the band."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import ConfigError, Json, Scale, UnknownName
from skillhorizon_financeops.config import FAMILIES, INTEGRATION, MAINTENANCE, RECEIVABLES, FinanceConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

_STAGES: Mapping[str, int] = {
    "smoke": 4,
    "64k": 4,
    "128k": 6,
    "256k": 10,
    "512k": 16,
    "1m": 24,
    "2m": 48,
    "4m": 96,
}
_LIKE = {"2m": "1m", "4m": "1m"}
"""Bands beyond the paper keep the largest band's widths and have more stages."""
_WIDTHS: Mapping[tuple[str, str], tuple[tuple[int, int], ...]] = {
    ("64k", INTEGRATION): ((6, 10), (6, 12), (7, 15)),
    ("64k", RECEIVABLES): ((8, 14), (8, 14), (6, 12)),
    ("64k", MAINTENANCE): ((10, 16), (9, 16), (9, 16)),
    ("128k", INTEGRATION): ((9, 15), (9, 17), (11, 21)),
    ("128k", RECEIVABLES): ((10, 20), (10, 18), (10, 16)),
    ("128k", MAINTENANCE): ((14, 22), (13, 22), (13, 22)),
    ("256k", INTEGRATION): ((11, 17), (11, 20), (12, 25)),
    ("256k", RECEIVABLES): ((12, 24), (12, 22), (12, 20)),
    ("256k", MAINTENANCE): ((16, 27), (15, 27), (14, 27)),
    ("512k", INTEGRATION): ((14, 23), (14, 26), (16, 33)),
    ("512k", RECEIVABLES): ((16, 30), (14, 28), (14, 26)),
    ("512k", MAINTENANCE): ((22, 34), (20, 34), (19, 34)),
    ("1m", INTEGRATION): ((20, 31), (20, 36), (21, 44)),
    ("1m", RECEIVABLES): ((20, 40), (20, 36), (20, 34)),
    ("1m", MAINTENANCE): ((29, 48), (26, 48), (26, 48)),
}
_SMOKE_WIDTH = (2, 2)
_REACH: Mapping[tuple[str, str], tuple[tuple[int, int], ...]] = {
    ("64k", INTEGRATION): ((46, 66), (40, 67), (40, 69)),
    ("64k", RECEIVABLES): ((39, 58), (45, 66), (38, 60)),
    ("64k", MAINTENANCE): ((38, 53), (39, 58), (39, 58)),
    ("128k", INTEGRATION): ((91, 139), (80, 135), (79, 135)),
    ("128k", RECEIVABLES): ((71, 123), (80, 123), (86, 120)),
    ("128k", MAINTENANCE): ((74, 105), (74, 113), (76, 116)),
    ("256k", INTEGRATION): ((188, 266), (163, 269), (149, 271)),
    ("256k", RECEIVABLES): ((144, 248), (158, 261), (174, 260)),
    ("256k", MAINTENANCE): ((142, 215), (146, 232), (141, 240)),
    ("512k", INTEGRATION): ((361, 557), (315, 551), (300, 563)),
    ("512k", RECEIVABLES): ((292, 491), (288, 522), (316, 541)),
    ("512k", MAINTENANCE): ((293, 422), (291, 453), (291, 474)),
    ("1m", INTEGRATION): ((765, 1133), (666, 1124), (590, 1129)),
    ("1m", RECEIVABLES): ((550, 998), (618, 1020), (691, 1061)),
    ("1m", MAINTENANCE): ((576, 902), (563, 964), (605, 998)),
    ("2m", INTEGRATION): ((1528, 2291), (1316, 2260), (1178, 2261)),
    ("2m", RECEIVABLES): ((1138, 2042), (1266, 2102), (1419, 2272)),
    ("2m", MAINTENANCE): ((1157, 1802), (1111, 1912), (1165, 2029)),
    ("4m", INTEGRATION): ((3079, 4606), (2646, 4505), (2361, 4539)),
    ("4m", RECEIVABLES): ((2380, 4315), (2776, 4585), (3125, 4932)),
    ("4m", MAINTENANCE): ((2322, 3611), (2265, 3890), (2355, 4118)),
}
"""Thousands of tokens from the least W to the greatest, measured; the generator stays inside the band."""
_SMOKE_REACH = (0, 24_000)
_PACKAGES: Mapping[str, tuple[int, int]] = {
    "smoke": (8, 8),
    "64k": (24, 64),
    "128k": (54, 132),
    "256k": (110, 270),
    "512k": (224, 544),
    "1m": (480, 1152),
    "2m": (960, 2304),
    "4m": (1920, 4608),
}
"""Packages of each band: the paper's ranges up to 1m."""


def _checked(band: str) -> str:
    if band not in _STAGES:
        raise UnknownName(f"FinanceOps has no band {band!r}; its bands are {', '.join(_STAGES)}")
    return band


def bounds(band: str, family: str, variant: str) -> tuple[int, int]:
    """Return the least and greatest W of a band and variant, both included.

    >>> bounds("1m", "release-maintenance", "rolling-views")
    (26, 48)
    """
    if _checked(band) == "smoke":
        return _SMOKE_WIDTH
    return _WIDTHS[_LIKE.get(band, band), family][FAMILIES[family].index(variant)]


def step(band: str, family: str, variant: str) -> int:  # noqa: ARG001  # every band and variant alike
    """Return by how much W moves: in receivables a lockbox owns two sources."""
    return 2 if family == RECEIVABLES else 1


def config(band: str, family: str, variant: str, knob: int, options: Mapping[str, Json]) -> FinanceConfig:
    """Return a band's configuration at W = `knob`.

    Raises:
        ConfigError: for an option that is neither `slack` nor `updates`, or a value outside its rule.
    """
    unknown = sorted(options.keys() - {"slack", "updates"})
    if unknown:
        raise ConfigError(f"FinanceOps has no option {unknown[0]!r}; its options are slack and updates")
    return FinanceConfig(family, variant, _STAGES[_checked(band)], knob, **options)


def reach(band: str, family: str, variant: str) -> tuple[int, int]:
    """Return the tokens that a band's tasks of a variant come to, from the least to the most, as measured."""
    if _checked(band) == "smoke":
        return _SMOKE_REACH
    low, high = _REACH[band, family][FAMILIES[family].index(variant)]
    return 1000 * low, 1000 * high


def accept(band: str, work: Mapping[str, int]) -> str | None:
    """Return why the number of packages does not fit the band, or None when it does."""
    low, high = _PACKAGES[_checked(band)]
    packages = work["packages"]
    return None if low <= packages <= high else f"{packages} packages; band {band} has {low} to {high}"


SCALE: Scale[FinanceConfig] = Scale(
    cells=tuple((family, variant) for family, variants in FAMILIES.items() for variant in variants),
    bounds=bounds,
    step=step,
    config=config,
    reach=reach,
    accept=accept,
)
