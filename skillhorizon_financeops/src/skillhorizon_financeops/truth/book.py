"""The facts known so far: reference data by rank, and the rows of each source."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar, assert_never

from skillhorizon_financeops.plan import AccountReassigned, AnyUpdate, ContractSuperseded, MapSuperseded, SourceAmended
from skillhorizon_financeops.rows import AccountValue, Contract, IdentityMap, SourceRow

if TYPE_CHECKING:
    from collections.abc import Iterable

R = TypeVar("R", Contract, IdentityMap, AccountValue)
_rank = attrgetter("rank")


def _by_rank(records: Iterable[R], key: str) -> dict[str, list[R]]:
    """Group records by a key field, greatest rank first."""
    groups: dict[str, list[R]] = {}
    for record in sorted(records, key=_rank, reverse=True):
        groups.setdefault(getattr(record, key), []).append(record)
    return groups


class Book:
    """What governs a key on a day (R1), and the rows that each source has, as updates bring more."""

    def __init__(
        self, contracts: Iterable[Contract], maps: Iterable[IdentityMap], values: Iterable[AccountValue]
    ) -> None:
        self.contracts = _by_rank(contracts, "format")
        self.maps = _by_rank(maps, "identity_source_id")
        self.values = _by_rank(values, "account")
        self.rows: dict[str, tuple[SourceRow, ...]] = {}

    def copy(self) -> Book:
        """Return a book with the same facts that learns on its own."""
        twin = Book((), (), ())
        twin.contracts = {key: list(records) for key, records in self.contracts.items()}
        twin.maps = {key: list(records) for key, records in self.maps.items()}
        twin.values = {key: list(records) for key, records in self.values.items()}
        twin.rows = dict(self.rows)
        return twin

    def contract(self, source_format: str, day: int) -> Contract:
        """Return the contract that governs a format on a day (R1).

        Raises:
            LookupError: when none does; contracts tile all days.
        """
        for contract in self.contracts[source_format]:
            if contract.from_day <= day <= contract.to_day:
                return contract
        raise LookupError(f"no contract of {source_format} covers day {day}")

    def map_of(self, identity_source_id: str, alias: str, day: int) -> IdentityMap | None:
        """Return the map that governs an alias on a day (R1), or None when none contains it."""
        for candidate in self.maps[identity_source_id]:
            if candidate.from_day <= day <= candidate.to_day and alias in candidate.entries:
                return candidate
        return None

    def value(self, account: str, day: int) -> AccountValue:
        """Return the value that governs an account on a day (R1).

        Raises:
            LookupError: when none does; rank 0 covers all days.
        """
        for value in self.values[account]:
            if value.from_day <= day <= value.to_day:
                return value
        raise LookupError(f"no value of {account} covers day {day}")

    def learn(self, update: AnyUpdate) -> None:
        """Add what an update brings."""
        match update:
            case MapSuperseded():
                self.maps[update.overlay.identity_source_id].insert(0, update.overlay)
            case AccountReassigned():
                self.values[update.value.account].insert(0, update.value)
            case ContractSuperseded():
                self.contracts[update.contract.format].insert(0, update.contract)
            case SourceAmended():
                for row in update.rows:
                    self.rows[row.source_id] = (*self.rows[row.source_id], row)
            case _:
                assert_never(update)
