"""How thorough a run of the checks is."""

from __future__ import annotations

import attrs

from skillhorizon.errors import UnknownName


@attrs.frozen(kw_only=True)
class Profile:
    """How many specimens checks look at.

    Attributes:
        name: fast or full.
        full: whether all bands, cells and modules are looked at.
        seeds: seeds of each cell.
        tries: random arguments per tool and state, and the like.
        patience: seconds that one task may take to compose, build and solve.
        limit: seconds that one check may take.
    """

    name: str
    full: bool
    seeds: int
    tries: int
    patience: float
    limit: float


FAST = Profile(name="fast", full=False, seeds=1, tries=6, patience=20, limit=120)
FULL = Profile(name="full", full=True, seeds=5, tries=40, patience=300, limit=7200)
PROFILES = {profile.name: profile for profile in (FAST, FULL)}


def profile_of(name: str) -> Profile:
    """Return a profile by name.

    Raises:
        UnknownName: when there is none.
    """
    if name not in PROFILES:
        raise UnknownName(f"there is no profile {name!r}; the profiles are {', '.join(PROFILES)}")
    return PROFILES[name]
