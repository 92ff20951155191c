"""How a band becomes a configuration: the knob is S, the services; the band's cell draws the ratio of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillhorizon import ConfigError, Json, Rng, Scale, UnknownName
from skillhorizon_fieldops.config import (
    LEAST_RATIO,
    LEAST_SERVICES,
    MODERNISATION,
    PROFILES,
    RESTORATION,
    SCENARIOS,
    FieldConfig,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_BANDS = ("smoke", "64k", "128k", "256k", "512k", "1m", "2m", "4m")
_RATIOS: Mapping[str, tuple[int, int]] = {RESTORATION: (14_500, 17_500), MODERNISATION: (16_000, 17_500)}
_RATIO_STEP = 500
_SERVICES: Mapping[tuple[str, str], tuple[tuple[int, int], tuple[int, int]]] = {
    ("64k", RESTORATION): ((11, 20), (9, 17)),
    ("128k", RESTORATION): ((25, 36), (21, 36)),
    ("256k", RESTORATION): ((52, 68), (45, 68)),
    ("512k", RESTORATION): ((101, 182), (87, 154)),
    ("1m", RESTORATION): ((204, 352), (176, 298)),
    ("2m", RESTORATION): ((390, 620), (338, 540)),
    ("4m", RESTORATION): ((735, 1_070), (615, 910)),
    ("64k", MODERNISATION): ((12, 20), (11, 19)),
    ("128k", MODERNISATION): ((29, 36), (27, 36)),
    ("256k", MODERNISATION): ((63, 68), (58, 68)),
    ("512k", MODERNISATION): ((124, 184), (117, 168)),
    ("1m", MODERNISATION): ((251, 396), (237, 366)),
    ("2m", MODERNISATION): ((470, 685), (435, 630)),
    ("4m", MODERNISATION): ((800, 1_200), (735, 1_110)),
}
"""The least and the greatest S that all profiles allow, at either end of the scenario's ratios."""
_REACH: Mapping[tuple[str, str], tuple[tuple[int, int], ...]] = {
    ("64k", RESTORATION): ((38, 54), (40, 58), (38, 56)),
    ("128k", RESTORATION): ((68, 111), (73, 101), (76, 101)),
    ("256k", RESTORATION): ((143, 191), (149, 196), (149, 195)),
    ("512k", RESTORATION): ((277, 492), (281, 498), (283, 493)),
    ("1m", RESTORATION): ((563, 1003), (580, 1014), (579, 1009)),
    ("2m", RESTORATION): ((1_129, 1_892), (1_140, 1_926), (1_142, 1_944)),
    ("4m", RESTORATION): ((2_299, 3_688), (2_338, 3_742), (2_307, 3_662)),
    ("64k", MODERNISATION): ((37, 51), (39, 51), (39, 52)),
    ("128k", MODERNISATION): ((70, 79), (74, 90), (75, 85)),
    ("256k", MODERNISATION): ((139, 151), (146, 156), (149, 161)),
    ("512k", MODERNISATION): ((280, 392), (286, 427), (293, 433)),
    ("1m", MODERNISATION): ((583, 931), (590, 945), (615, 973)),
    ("2m", MODERNISATION): ((1_163, 1_890), (1_169, 1_836), (1_205, 1_940)),
    ("4m", MODERNISATION): ((2_271, 3_820), (2_183, 3_735), (2_288, 3_811)),
}
"""Thousands of tokens from the least S to the greatest of each profile, measured."""
_SMOKE_REACH = (0, 24_000)
_DEVICES: Mapping[str, tuple[int, int]] = {
    "smoke": (6, 6),
    "64k": (9, 33),
    "128k": (30, 64),
    "256k": (49, 128),
    "512k": (120, 294),
    "1m": (294, 768),
}
_SERVICE_COUNTS: Mapping[str, tuple[int, int]] = {
    "smoke": (6, 6),
    "64k": (8, 20),
    "128k": (16, 36),
    "256k": (32, 68),
    "512k": (64, 196),
    "1m": (176, 446),
}
"""Devices and services of each band: the paper's ranges; bands beyond have none."""
_OPTIONS = frozenset({"device_ratio", "slack", "updates"})


def _checked(band: str) -> str:
    if band not in _BANDS:
        raise UnknownName(f"FieldOps has no band {band!r}; its bands are {', '.join(_BANDS)}")
    return band


def device_ratio(band: str, scenario: str, profile: str) -> int:
    """Return the ratio of devices to services of a cell, in basis points; drawn once, and fixed for the smoke band.

    >>> device_ratio("smoke", "restoration", "ring")
    10500
    """
    if _checked(band) == "smoke":
        return LEAST_RATIO
    low, high = _RATIOS[scenario]
    steps = (high - low) // _RATIO_STEP
    return low + _RATIO_STEP * Rng("fieldops", "device-ratio", band, scenario, profile).integer(0, steps)


def bounds(band: str, scenario: str, profile: str) -> tuple[int, int]:
    """Return the least and greatest S of a cell, both included."""
    if _checked(band) == "smoke":
        return LEAST_SERVICES, LEAST_SERVICES
    (low, high), (low_end, high_end) = _SERVICES[band, scenario]
    first, last = _RATIOS[scenario]
    along, whole = device_ratio(band, scenario, profile) - first, last - first
    return low + -(-(low_end - low) * along // whole), high + (high_end - high) * along // whole


def step(_band: str, _scenario: str, _profile: str) -> int:
    """Return by how much S moves."""
    return 1


def config(band: str, scenario: str, profile: str, knob: int, options: Mapping[str, Json]) -> FieldConfig:
    """Return a cell's configuration at S = `knob`.

    Raises:
        ConfigError: for an unknown option, a ratio that suites do not draw, or a value outside its rule.
    """
    unknown = sorted(options.keys() - _OPTIONS)
    if unknown:
        raise ConfigError(f"FieldOps has no option {unknown[0]!r}; its options are {', '.join(sorted(_OPTIONS))}")
    given = dict(options)
    ratio = given.pop("device_ratio", device_ratio(band, scenario, profile))
    low, high = _RATIOS[scenario]
    if band != "smoke" and not (isinstance(ratio, int) and low <= ratio <= high):
        raise ConfigError(f"device_ratio = {ratio!r} is outside its rule: suites of {scenario} have {low} to {high}")
    return FieldConfig(scenario, profile, knob, ratio, **given)


def reach(band: str, scenario: str, profile: str) -> tuple[int, int]:
    """Return the tokens that a cell's tasks come to, from the least S to the greatest, as measured."""
    if _checked(band) == "smoke":
        return _SMOKE_REACH
    low, high = _REACH[band, scenario][PROFILES.index(profile)]
    return 1000 * low, 1000 * high


def accept(band: str, work: Mapping[str, int]) -> str | None:
    """Return why the numbers of devices and services do not fit the band, or None when they do."""
    for what, ranges in (("devices", _DEVICES), ("services", _SERVICE_COUNTS)):
        low, high = ranges.get(_checked(band), (0, work[what]))
        if not low <= work[what] <= high:
            return f"{work[what]} {what}; band {band} has {low} to {high}"
    return None


SCALE: Scale[FieldConfig] = Scale(
    cells=tuple((scenario, profile) for scenario in SCENARIOS for profile in PROFILES),
    bounds=bounds,
    step=step,
    config=config,
    reach=reach,
    accept=accept,
)
