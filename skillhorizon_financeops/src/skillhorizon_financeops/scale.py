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
    ("64k", INTEGRATION): ((47, 62), (42, 64), (39, 65)),
    ("64k", RECEIVABLES): ((41, 60), (44, 65), (39, 63)),
    ("64k", MAINTENANCE): ((39, 54), (40, 58), (38, 57)),
    ("128k", INTEGRATION): ((93, 131), (81, 131), (81, 131)),
    ("128k", RECEIVABLES): ((72, 122), (79, 124), (86, 120)),
    ("128k", MAINTENANCE): ((73, 104), (75, 113), (76, 113)),
    ("256k", INTEGRATION): ((186, 262), (166, 262), (149, 262)),
    ("256k", RECEIVABLES): ((143, 248), (160, 258), (173, 261)),
    ("256k", MAINTENANCE): ((144, 215), (149, 238), (139, 235)),
    ("512k", INTEGRATION): ((366, 524), (319, 524), (306, 524)),
    ("512k", RECEIVABLES): ((295, 499), (293, 519), (321, 524)),
    ("512k", MAINTENANCE): ((298, 422), (294, 465), (291, 471)),
    ("1m", INTEGRATION): ((766, 1048), (668, 1048), (589, 1048)),
    ("1m", RECEIVABLES): ((544, 991), (610, 1019), (688, 1048)),
    ("1m", MAINTENANCE): ((579, 918), (573, 965), (581, 1021)),
    ("2m", INTEGRATION): ((1546, 2097), (1349, 2097), (1188, 2097)),
    ("2m", RECEIVABLES): ((1099, 2003), (1232, 2059), (1389, 2097)),
    ("2m", MAINTENANCE): ((1170, 1856), (1156, 1949), (1173, 2063)),
    ("4m", INTEGRATION): ((3084, 4194), (2692, 4194), (2370, 4194)),
    ("4m", RECEIVABLES): ((2192, 3997), (2458, 4109), (2770, 4194)),
    ("4m", MAINTENANCE): ((2334, 3702), (2306, 3889), (2340, 4116)),
}
"""Thousands of tokens from the least W to the greatest that stays in the band, measured; 2m and 4m from 1m's."""
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
