"""Reference data as remembered, and what of it governs a day (R1, R4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import attrs

from skillhorizon import Skipped, listed

if TYPE_CHECKING:
    from skillhorizon import Client

FORMATS = ("FA", "FB", "FC", "FD", "FR")
PRICING = ("num", "den", "sign", "basis", "tax_bps", "codes")
TERMS = ("disc_bps", "disc_days", "tol")


class Dated(Protocol):
    """A reference record: a rank, and a range of days with both ends."""

    @property
    def rank(self) -> int:
        """Its rank among the records of its key."""

    @property
    def first(self) -> int:
        """The first day of its range."""

    @property
    def last(self) -> int:
        """The last day of its range."""


D = TypeVar("D", bound=Dated)


@attrs.frozen
class Contract:
    """What `normalize.py` (`pricing`) and `match.py` (`terms`, of cash) take of a contract."""

    id: str
    rank: int
    first: int
    last: int
    pricing: dict[str, Any]
    terms: dict[str, Any]


@attrs.frozen
class IdentityMap:
    """Accounts by alias."""

    id: str
    rank: int
    first: int
    last: int
    entries: Mapping[str, str]


@attrs.frozen
class Holder:
    """The entity that an account belongs to."""

    rank: int
    first: int
    last: int
    entity: str


class Resolution(NamedTuple):
    """The map to submit, and for each alias its entity and citation [alias, map, account, account rank]."""

    map_id: str
    entities: dict[str, str]
    citations: Mapping[str, list[Any]]


def covering(records: Iterable[D], day: int) -> list[D]:
    """Return the records whose range contains the day, the governing one first (R1).

    Raises:
        Skipped: none of the remembered records covers it.
    """
    found = [each for each in records if each.first <= day <= each.last]
    if not found:
        raise _uncovered(day)
    if len(found) > 1:
        found.sort(key=_rank, reverse=True)
    return found


_rank = attrgetter("rank")


def _uncovered(day: int) -> Skipped:
    return Skipped(f"no record in memory covers day {day}; read the reference data again")


def governing(records: Iterable[D], day: int) -> D:
    """Return the record that governs the day (R1).

    Raises:
        Skipped: none of the remembered records covers it.
    """
    found: D | None = None
    for each in records:
        if each.first <= day <= each.last and (found is None or each.rank > found.rank):
            found = each
    if found is None:
        raise _uncovered(day)
    return found


class Reference:
    """What was read of contracts, identity maps and accounts; every later record is added to it."""

    def __init__(self) -> None:
        self.contracts: dict[str, dict[str, Contract]] = {}
        self.maps: dict[str, dict[str, IdentityMap]] = {}
        self.accounts: dict[str, dict[int, Holder]] = {}

    def read_contracts(self, client: Client, form: str, **filters: int) -> None:
        """Read a format's contracts, all or those that cover a day."""
        for row in listed(client, "list_contracts", format=form, **filters):
            pricing, terms = [{name: row[name] for name in names if name in row} for names in (PRICING, TERMS)]
            contract = Contract(row["contract_id"], row["rank"], row["from"], row["to"], pricing, terms)
            self.contracts.setdefault(form, {})[contract.id] = contract

    def read_accounts(self, client: Client, **filters: str) -> None:
        """Read accounts, all or one."""
        for row in listed(client, "list_accounts", **filters):
            holder = Holder(row["rank"], row["from"], row["to"], row["entity"])
            self.accounts.setdefault(row["account"], {})[holder.rank] = holder

    def read_maps(self, client: Client, identity: str) -> None:
        """Read every map of an identity source."""
        for row in listed(client, "list_identity_maps", identity_source_id=identity):
            self.read_map(client, row["map_id"])

    def read_map(self, client: Client, map_id: str) -> None:
        """Read one map with its entries."""
        row = client.call("get_identity_map", map_id=map_id)
        found = IdentityMap(row["map_id"], row["rank"], row["from"], row["to"], row["entries"])
        self.maps.setdefault(row["identity_source_id"], {})[found.id] = found

    def contract(self, form: str, day: int) -> Contract:
        """Return the contract that governs a format's day.

        Raises:
            Skipped: none in memory covers the day.
        """
        return governing(self.contracts.get(form, {}).values(), day)

    def resolve(self, identity: str, day: int, aliases: Set[str]) -> Resolution:
        """Resolve the aliases that the identity source's maps contain on that day (R4).

        Raises:
            Skipped: no map or no record of an account in memory covers the day.
        """
        maps = covering(self.maps.get(identity, {}).values(), day)
        citations: dict[str, list[Any]] = {}
        entities: dict[str, str] = {}
        for alias in sorted(aliases):
            for each in maps:
                if alias in each.entries:
                    account = each.entries[alias]
                    holder = governing(self.accounts.get(account, {}).values(), day)
                    entities[alias] = holder.entity
                    citations[alias] = [alias, each.id, account, holder.rank]
                    break
        return Resolution(maps[0].id, entities, citations)
