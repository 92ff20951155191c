"""What a review finds in a package (R10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from skillhorizon_financeops.rules.governing import Citation


@attrs.frozen(kw_only=True, slots=False)
class Package:
    """A package as submitted and as it should be.

    Attributes:
        contract_id, identity_source_id, policy: as submitted.
        declared_identity, declared_policy: the source's own.
        governing_contract: the contract that governs the source's format on its day, '' for none.
        records: (alias, entity) of each record.
        citations: what each alias used was resolved through.
        maps: governing map by alias, of the submitted identity source.
        ranks: governing rank by account.
    """

    contract_id: str
    identity_source_id: str
    policy: str
    declared_identity: str
    declared_policy: str
    governing_contract: str
    records: Sequence[tuple[str, str]]
    citations: Sequence[Citation]
    maps: Mapping[str, str]
    ranks: Mapping[str, int]


def findings(package: Package) -> list[str]:
    """Return the codes of a package's findings, ascending (R10).

    >>> cited = Citation("K07", "MP-2.0", "AC-11", 0, "E02")
    >>> package = Package(contract_id="FB-3", identity_source_id="ID-2", policy="first", declared_identity="ID-2",
    ...     declared_policy="latest_revision", governing_contract="FB-3", records=[("K07", "E05")], citations=[cited],
    ...     maps={"K07": "MP-2.1"}, ranks={"AC-11": 0})
    >>> findings(package)
    ['F3', 'F4', 'F5']
    >>> findings(attrs.evolve(package, declared_identity="ID-1", declared_policy="first"))
    ['F2', 'F5']
    """
    foreign = package.identity_source_id != package.declared_identity
    entities = {alias: entity for alias, _, _, _, entity in package.citations}
    wrong = [alias for alias, entity in package.records if entities[alias] != entity]
    found = {
        "F1": package.contract_id != package.governing_contract,
        "F2": foreign,
        "F3": not foreign and bool(_outdated(package)),
        "F4": package.policy != package.declared_policy,
        "F5": bool(wrong),
    }
    return [code for code, holds in found.items() if holds]


def _outdated(package: Package) -> list[str]:
    """Return the aliases that another map or another value of their account governs now."""
    maps, ranks = package.maps, package.ranks
    return [
        alias
        for alias, map_id, account, rank, _ in package.citations
        if map_id != maps[alias] or rank != ranks[account]
    ]
