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
    ("64k", OVERLAPPING): ((45, 53), (44, 53), (43, 52)),
    ("64k", COOLDOWN): ((41, 57), (43, 60), (42, 60)),
    ("64k", MIXED): ((44, 52), (44, 52), (45, 54)),
    ("128k", OVERLAPPING): ((78, 124), (77, 125), (78, 124)),
    ("128k", COOLDOWN): ((69, 118), (71, 121), (71, 121)),
    ("128k", MIXED): ((74, 119), (73, 119), (75, 121)),
    ("256k", OVERLAPPING): ((141, 240), (142, 243), (141, 242)),
    ("256k", COOLDOWN): ((142, 240), (147, 247), (147, 247)),
    ("256k", MIXED): ((146, 238), (147, 241), (149, 241)),
    ("512k", OVERLAPPING): ((269, 498), (271, 506), (272, 505)),
    ("512k", COOLDOWN): ((268, 484), (275, 499), (275, 496)),
    ("512k", MIXED): ((273, 498), (276, 508), (279, 511)),
    ("1m", OVERLAPPING): ((538, 991), (546, 1_013), (547, 1_013)),
    ("1m", COOLDOWN): ((541, 982), (555, 1_014), (554, 1_006)),
    ("1m", MIXED): ((548, 995), (558, 1_015), (565, 1_024)),
    ("2m", OVERLAPPING): ((1_079, 1_984), (1_099, 2_032), (1_097, 2_035)),
    ("2m", COOLDOWN): ((1_085, 1_977), (1_112, 2_025), (1_116, 2_032)),
    ("2m", MIXED): ((1_098, 2_000), (1_119, 2_048), (1_138, 2_065)),
    ("4m", OVERLAPPING): ((2_161, 3_977), (2_214, 4_072), (2_212, 4_066)),
    ("4m", COOLDOWN): ((2_174, 3_927), (2_234, 4_042), (2_243, 4_042)),
    ("4m", MIXED): ((2_207, 3_999), (2_254, 4_095), (2_278, 4_134)),
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
