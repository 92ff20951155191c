"""Workload bands and the measured volume of a reference run (protocol, section 1)."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from skillhorizon.errors import UnknownName

K = 1024


@attrs.frozen
class Band:
    """A range of L_ref in tokens: low exclusive, high inclusive."""

    name: str
    low: int
    high: int

    def __contains__(self, tokens: int) -> bool:
        """Whether a workload of `tokens` belongs to the band."""
        return self.low < tokens <= self.high


SMOKE = Band("smoke", 0, 24_000)
HEADLINE = (
    Band("64k", 0, 64 * K),
    Band("128k", 64 * K, 128 * K),
    Band("256k", 128 * K, 256 * K),
    Band("512k", 256 * K, 512 * K),
    Band("1m", 512 * K, K * K),
)
BANDS = (SMOKE, *HEADLINE, Band("2m", K * K, 2 * K * K), Band("4m", 2 * K * K, 4 * K * K))


def band(name: str) -> Band:
    """Return the band called `name`, in either case.

    Raises:
        UnknownName: when there is none.

    >>> band("1M").high
    1048576
    """
    for candidate in BANDS:
        if candidate.name == name.lower():
            return candidate
    raise UnknownName(f"there is no band {name!r}; the bands are {', '.join(b.name for b in BANDS)}")


@attrs.frozen(kw_only=True)
class Measurement:
    """The volume of a reference run.

    `l_ref` in tokens; `calls` (R), `allowance` (A) and `budget` (B = R + A) in calls; `business_calls` counts
    operations and script runs; `work` holds the environment's own counts, such as packages.
    """

    l_ref: int
    calls: int
    allowance: int
    budget: int
    business_calls: int
    work: Mapping[str, int]


def allowance(calls: int) -> int:
    """Return the default allowance A = ceil(R / 2) of a reference run of R calls."""
    return (calls + 1) // 2
