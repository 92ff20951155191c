"""Which record governs, and how an alias becomes an entity (R1, R4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Ranged(Protocol):
    """A record that holds for the days `from_day` to `to_day`, both included, with a rank unique per key."""

    @property
    def rank(self) -> int:
        """The greater rank wins."""

    @property
    def from_day(self) -> int:
        """First business day."""

    @property
    def to_day(self) -> int:
        """Last business day."""


class Aliases(Ranged, Protocol):
    """An identity map: ranged, with accounts by alias."""

    @property
    def map_id(self) -> str:
        """The map's id."""

    @property
    def entries(self) -> Mapping[str, str]:
        """Accounts by alias."""


R = TypeVar("R", bound=Ranged)
M = TypeVar("M", bound=Aliases)


class Citation(NamedTuple):
    """What an alias was resolved through: map, account, the account value's rank, and the entity it gave (R4)."""

    alias: str
    map_id: str
    account: str
    rank: int
    entity: str


def governing(records: Iterable[R], day: int) -> R | None:
    """Return the record of one key with the greatest rank whose range contains `day`, or None (R1).

    >>> from skillhorizon_financeops.rows import AccountValue
    >>> values = [AccountValue("AC-19", 0, 0, 9999, "E02"), AccountValue("AC-19", 1, 300, 399, "E05")]
    >>> [governing(values, day).entity for day in (299, 317, 400)]
    ['E02', 'E05', 'E02']
    """
    covering = [record for record in records if record.from_day <= day <= record.to_day]
    return max(covering, key=lambda record: record.rank, default=None)


def usable(maps: Iterable[M], day: int, rank: int | None = None) -> list[M]:
    """Return the maps of one identity source that cover `day`, up to a rank if given, the greatest rank first (R4)."""
    covering = [m for m in maps if m.from_day <= day <= m.to_day and (rank is None or m.rank <= rank)]
    return sorted(covering, key=lambda each: -each.rank)


def resolve(alias: str, maps: Iterable[Aliases], values: Mapping[str, tuple[int, str]]) -> Citation | None:
    """Resolve an alias through the first map that contains it, then its account's value; None without either (R4).

    Worlds read the same in one statement, `reference.readings_of`; a test holds that to this.

    Args:
        alias: the party named on a row.
        maps: those that a submission may use, the greatest rank first (`usable`).
        values: (rank, entity) of the value that governs each account.

    >>> from skillhorizon_financeops.rows import IdentityMap
    >>> base = IdentityMap("MP-2.0", "ID-2", 0, 9999, 0, {"K07": "AC-11"})
    >>> overlay = IdentityMap("MP-2.1", "ID-2", 310, 340, 1, {"K07": "AC-19"})
    >>> values = {"AC-11": (0, "E01"), "AC-19": (1, "E05")}
    >>> resolve("K07", usable([base, overlay], 317), values)
    Citation(alias='K07', map_id='MP-2.1', account='AC-19', rank=1, entity='E05')
    >>> resolve("K07", usable([base, overlay], 317, rank=0), values)
    Citation(alias='K07', map_id='MP-2.0', account='AC-11', rank=0, entity='E01')
    >>> resolve("K02", usable([base, overlay], 317), values) is None
    True
    """
    for each in maps:
        if alias in each.entries:
            account = each.entries[alias]
            value = values.get(account)
            return None if value is None else Citation(alias, each.map_id, account, *value)
    return None
