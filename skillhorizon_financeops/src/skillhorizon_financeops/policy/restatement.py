"""Notices: whom they reach, and the evidence of what they changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon_financeops.policy.packages import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from skillhorizon_financeops.policy.desk import Desk, Source

MOST_PACKAGES, MOST_CITATIONS = 20, 160
"""What one run of `impact.py` takes, so that its input stays under 5 KB; a package counts as three citations more."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "map_superseded": ("identity_source_id", "aliases", "from", "to"),
    "account_reassigned": ("account", "from", "to"),
    "contract_superseded": ("format", "from", "to"),
    "source_amended": ("sources",),
}


def assess(desk: Desk, notice: dict[str, Any]) -> None:
    """Read what a notice changed and work out the packages it reaches, with their totals before it.

    Raises:
        Refused: when a call is not accepted.
    """
    kind, client = notice["kind"], desk.client
    LEARN[kind](desk, notice)
    public = {"kind": kind, **{name: notice[name] for name in FIELDS[kind]}}
    affected: list[str] = []
    for packages in in_runs(described(desk, notice)):
        data: dict[str, Any] = {"notice": public, "packages": packages}
        affected += client.script("assess-change", "impact.py", data)["affected"]
    desk.affected[notice["id"]] = sorted(affected)
    client.keep(f"before:{notice['id']}", [(each, desk.made[each].totals) for each in sorted(affected)])


def in_runs(packages: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Part packages into as many as one run takes."""
    held: list[dict[str, Any]] = []
    weight = 0
    for package in packages:
        more = 3 + len(package.get("citations", ()))
        if len(held) == MOST_PACKAGES or weight + more > MOST_CITATIONS:
            yield held
            held, weight = [], 0
        held.append(package)
        weight += more
    if held:
        yield held


def discharge(desk: Desk, notice: dict[str, Any]) -> None:
    """Discharge a restatement with the changes of each source that its notice reached (R12).

    Raises:
        Refused: when a call is not accepted.
        Skipped: when the notice was not assessed.
    """
    client = desk.client
    before = client.need(f"before:{notice['id']}")
    sources = [[client.need(f"AGG:{each}"), old, desk.made_of(each).totals] for each, old in before]
    evidence = client.script("discharge-obligation", "evidence.py", {"sources": sources})["evidence"]
    client.call("discharge_obligation", obligation_id=notice["obligation"], evidence=evidence)


def learn_map(desk: Desk, notice: dict[str, Any]) -> None:
    """Read the new identity map."""
    desk.reference.read_map(desk.client, notice["map_id"])


def learn_account(desk: Desk, notice: dict[str, Any]) -> None:
    """Read the reassigned account's records."""
    desk.reference.read_accounts(desk.client, account=notice["account"])


def learn_contract(desk: Desk, notice: dict[str, Any]) -> None:
    """Read the format's contracts at the beginning of the new one."""
    desk.reference.read_contracts(desk.client, notice["format"], day=notice["from"])


def learn_rows(desk: Desk, notice: dict[str, Any]) -> None:
    """Read the amended sources."""
    for source_id in sorted(notice["sources"]):
        read(desk, source_id)


LEARN: Mapping[str, Callable[[Desk, dict[str, Any]], None]] = {
    "map_superseded": learn_map,
    "account_reassigned": learn_account,
    "contract_superseded": learn_contract,
    "source_amended": learn_rows,
}


def described(desk: Desk, notice: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Describe the packages that a notice can reach by day, or by being listed, as `impact.py` takes them."""
    kind = notice["kind"]
    if kind == "source_amended":
        for source_id in sorted(desk.made.keys() & notice["sources"]):
            yield amended(desk, desk.sources[source_id])
        return
    first, last = notice["from"], notice["to"]
    for source in [desk.sources[source_id] for source_id in sorted(desk.made)]:
        if first <= source.day <= last:
            yield {"source_id": source.id, "day": source.day, **used(desk, source, kind)}


def used(desk: Desk, source: Source, kind: str) -> dict[str, Any]:
    """Return what a package used of the kind of record that a notice changed."""
    if kind == "contract_superseded":
        return {"format": source.format}
    citations = {"citations": desk.made[source.id].normalized.citations}
    return citations if kind == "account_reassigned" else {"identity_source_id": source.identity, **citations}


def amended(desk: Desk, source: Source) -> dict[str, Any]:
    """Describe an amended source: its policy, the governing contract's codes, and all of its rows."""
    codes = desk.reference.contract(source.format, source.day).pricing["codes"]
    rows = {"columns": source.columns, "rows": source.rows}
    return {"source_id": source.id, "policy": source.policy, "codes": codes, **rows}
