"""How a band becomes a configuration: the knob is n, the briefs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import ConfigError, Json, Scale, UnknownName
from skillhorizon_socialops.config import (
    COOLDOWN,
    MERGE,
    MIXED,
    OVERLAPPING,
    PATTERNS,
    SCENARIOS,
    SMALLEST,
    SocialConfig,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_BANDS = ("smoke", "64k", "128k", "256k", "512k", "1m", "2m", "4m")
_BRIEFS: Mapping[tuple[str, str], tuple[int, int]] = {
    ("64k", OVERLAPPING): (5, 6),
    ("64k", COOLDOWN): (5, 7),
    ("64k", MIXED): (5, 6),
    ("128k", OVERLAPPING): (9, 14),
    ("128k", COOLDOWN): (9, 15),
    ("128k", MIXED): (9, 14),
    ("256k", OVERLAPPING): (16, 28),
    ("256k", COOLDOWN): (18, 31),
    ("256k", MIXED): (17, 29),
    ("512k", OVERLAPPING): (31, 57),
    ("512k", COOLDOWN): (35, 63),
    ("512k", MIXED): (33, 60),
    ("1m", OVERLAPPING): (62, 113),
    ("1m", COOLDOWN): (70, 126),
    ("1m", MIXED): (66, 119),
    ("2m", OVERLAPPING): (123, 226),
    ("2m", COOLDOWN): (139, 252),
    ("2m", MIXED): (131, 238),
    ("4m", OVERLAPPING): (246, 450),
    ("4m", COOLDOWN): (278, 500),
    ("4m", MIXED): (262, 474),
}
"""The least and the greatest n at which every measured seed lies inside the band."""
_REACH: Mapping[tuple[str, str], tuple[tuple[int, int], ...]] = {
    ("64k", OVERLAPPING): ((45, 50), (48, 52), (47, 52)),
    ("64k", COOLDOWN): ((44, 56), (43, 55), (46, 56)),
    ("64k", MIXED): ((46, 49), (46, 49), (46, 49)),
    ("128k", OVERLAPPING): ((69, 120), (71, 123), (72, 122)),
    ("128k", COOLDOWN): ((73, 117), (73, 117), (75, 116)),
    ("128k", MIXED): ((75, 115), (75, 115), (77, 119)),
    ("256k", OVERLAPPING): ((142, 237), (144, 241), (146, 243)),
    ("256k", COOLDOWN): ((143, 236), (150, 240), (147, 241)),
    ("256k", MIXED): ((147, 231), (148, 232), (151, 235)),
    ("512k", OVERLAPPING): ((269, 496), (277, 500), (277, 508)),
    ("512k", COOLDOWN): ((272, 479), (278, 498), (279, 495)),
    ("512k", MIXED): ((271, 493), (276, 504), (280, 502)),
    ("1m", OVERLAPPING): ((539, 989), (556, 1_009), (554, 1_012)),
    ("1m", COOLDOWN): ((547, 977), (557, 1_005), (568, 999)),
    ("1m", MIXED): ((552, 984), (561, 1_012), (570, 1_008)),
    ("2m", OVERLAPPING): ((1_078, 1_992), (1_113, 2_044), (1_106, 2_036)),
    ("2m", COOLDOWN): ((1_079, 1_959), (1_122, 2_035), (1_135, 2_061)),
    ("2m", MIXED): ((1_095, 1_998), (1_118, 2_041), (1_114, 2_042)),
    ("4m", OVERLAPPING): ((2_167, 3_980), (2_226, 4_085), (2_217, 4_086)),
    ("4m", COOLDOWN): ((2_167, 3_918), (2_248, 4_044), (2_273, 4_089)),
    ("4m", MIXED): ((2_199, 3_982), (2_250, 4_086), (2_250, 4_084)),
}
"""Thousands of tokens from the least n to the greatest of each pattern, measured."""
_SMOKE_REACH = (0, 24_000)
_OPTIONS = frozenset({"slack", "updates"})


def _checked(band: str) -> str:
    if band not in _BANDS:
        raise UnknownName(f"SocialOps has no band {band!r}; its bands are {', '.join(_BANDS)}")
    return band


def bounds(band: str, scenario: str, pattern: str) -> tuple[int, int]:  # noqa: ARG001  # all patterns alike
    """Return the least and greatest n of a cell, both included.

    >>> bounds("1m", "overlapping_conversions", "relay")
    (62, 113)
    """
    if _checked(band) == "smoke":
        return SMALLEST, SMALLEST
    return _BRIEFS[band, scenario]


def step(_band: str, _scenario: str, _pattern: str) -> int:
    """Return by how much n moves."""
    return 1


def config(band: str, scenario: str, pattern: str, knob: int, options: Mapping[str, Json]) -> SocialConfig:
    """Return a cell's configuration at n = `knob`.

    Raises:
        ConfigError: for an option that is neither `slack` nor `updates`, or a value outside its rule.
    """
    _checked(band)
    unknown = sorted(options.keys() - _OPTIONS)
    if unknown:
        raise ConfigError(f"SocialOps has no option {unknown[0]!r}; its options are {', '.join(sorted(_OPTIONS))}")
    return SocialConfig(scenario, pattern, knob, **options)


def reach(band: str, scenario: str, pattern: str) -> tuple[int, int]:
    """Return the tokens that a cell's tasks come to, from the least n to the greatest, as measured."""
    if _checked(band) == "smoke":
        return _SMOKE_REACH
    low, high = _REACH[band, scenario][PATTERNS.index(pattern)]
    return 1000 * low, 1000 * high


def accept(band: str, _work: Mapping[str, int]) -> str | None:
    """Return None: the paper gives no range of work for this business."""
    _checked(band)
    return None


_CELLS = tuple((scenario, pattern) for scenario in SCENARIOS for pattern in PATTERNS)
SCALE: Scale[SocialConfig] = Scale(
    cells=_CELLS,
    fewer={"smoke": tuple(cell for cell in _CELLS if OVERLAPPING not in cell and MERGE not in cell)},
    bounds=bounds,
    step=step,
    config=config,
    reach=reach,
    accept=accept,
)
