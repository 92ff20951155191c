"""Reference data as remembered, and what of it governs a day (R1, R4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

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


Resolution = tuple[str, dict[str, str], list[list[Any]]]
"""The map to submit, the entity of each alias, and their citations [alias, map, account, account rank]."""


def ranked(records: Iterable[D], record: D) -> list[D]:
    """Return the records of a key with one more, which replaces that of its rank, the greatest rank first."""
    others = [each for each in records if each.rank != record.rank]
    return sorted([*others, record], key=attrgetter("rank"), reverse=True)


def _uncovered(day: int) -> Skipped:
    return Skipped(f"no record in memory covers day {day}; read the reference data again")


def governing(records: Iterable[D], day: int) -> D:
    """Return the record that governs the day (R1); the given ones are ranked.

    Raises:
        Skipped: none of the remembered records covers it.
    """
    for each in records:
        if each.first <= day <= each.last:
            return each
    raise _uncovered(day)


class Reference:
    """What was read of contracts, identity maps and accounts, ranked; every later record is added to it."""

    def __init__(self) -> None:
        self.contracts: dict[str, list[Contract]] = {}
        self.maps: dict[str, list[IdentityMap]] = {}
        self.accounts: dict[str, list[Holder]] = {}

    def read_contracts(self, client: Client, form: str, **filters: int) -> None:
        """Read a format's contracts, all or those that cover a day."""
        for row in listed(client, "list_contracts", format=form, **filters):
            pricing, terms = [{name: row[name] for name in names if name in row} for names in (PRICING, TERMS)]
            contract = Contract(row["contract_id"], row["rank"], row["from"], row["to"], pricing, terms)
            self.contracts[form] = ranked(self.contracts.get(form, ()), contract)

    def read_accounts(self, client: Client, **filters: str) -> None:
        """Read accounts, all or one."""
        for row in listed(client, "list_accounts", **filters):
            holder = Holder(row["rank"], row["from"], row["to"], row["entity"])
            account = row["account"]
            self.accounts[account] = ranked(self.accounts.get(account, ()), holder)

    def read_maps(self, client: Client, identity: str) -> None:
        """Read every map of an identity source."""
        for row in listed(client, "list_identity_maps", identity_source_id=identity):
            self.read_map(client, row["map_id"])

    def read_map(self, client: Client, map_id: str) -> None:
        """Read one map with its entries."""
        row = client.call("get_identity_map", map_id=map_id)
        found = IdentityMap(row["map_id"], row["rank"], row["from"], row["to"], row["entries"])
        identity = row["identity_source_id"]
        self.maps[identity] = ranked(self.maps.get(identity, ()), found)

    def contract(self, form: str, day: int) -> Contract:
        """Return the contract that governs a format's day.

        Raises:
            Skipped: none in memory covers the day.
        """
        return governing(self.contracts.get(form, ()), day)

    def resolve(self, identity: str, day: int, aliases: Set[str]) -> Resolution:
        """Resolve the aliases that the identity source's maps contain on that day (R4).

        Raises:
            Skipped: no map or no record of an account in memory covers the day.
        """
        accounts = self.accounts
        maps = [each for each in self.maps.get(identity, ()) if each.first <= day <= each.last]
        if not maps:
            raise _uncovered(day)
        citations: list[list[Any]] = []
        entities: dict[str, str] = {}
        for alias in sorted(aliases):
            for each in maps:
                account = each.entries.get(alias)
                if account is not None:
                    holder = governing(accounts.get(account, ()), day)
                    entities[alias] = holder.entity
                    citations.append([alias, each.id, account, holder.rank])
                    break
        return maps[0].id, entities, citations
