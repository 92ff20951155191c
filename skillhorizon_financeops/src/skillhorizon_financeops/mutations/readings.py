"""Faults in reading a source's rows; totals follow them, so that nothing is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillhorizon import Sabotage
from skillhorizon_financeops.mutations.places import contracts, goal, normalizes, quiet_sales
from skillhorizon_financeops.rows import COLUMNS, Source, SourceRow
from skillhorizon_financeops.truth import scaled

if TYPE_CHECKING:
    from skillhorizon_financeops.plan import Plan


def _fails(plan: Plan, source_id: str) -> frozenset[str]:
    """Return what a wrong amount loses; a later match may make up for it in the balances of receivables."""
    balances = () if plan.facts.opening_items else ("D3",)
    return frozenset({goal(source_id), "D1", *balances})


def record_off_by_one(plan: Plan) -> Sabotage | None:
    """Raise one record's amount by one minor unit."""
    source_id = quiet_sales(plan)[0].source_id

    def script(name: str, data: Any, output: Any) -> Any:
        if not normalizes(name, data, source_id) or not output["records"]:
            return output
        (order, alias, entity, minor), *rest = output["records"]
        return {**output, "records": [[order, alias, entity, minor + 1], *rest]}

    return Sabotage(script=script, fails=_fails(plan, source_id))


def metadata_amount(plan: Plan) -> Sabotage | None:
    """Take an order's amount from a metadata row."""
    rows: dict[str, list[SourceRow]] = {}
    for row in plan.facts.source_rows:
        rows.setdefault(row.source_id, []).append(row)
    for source in quiet_sales(plan):
        wrong = _metadata(plan, source, rows[source.source_id])
        if wrong is not None:
            return _with_amount(plan, source.source_id, wrong)
    return None


def _metadata(plan: Plan, source: Source, rows: list[SourceRow]) -> tuple[str, int] | None:
    """Return an included order and the amount that its metadata row would give, when it is another."""
    truth = plan.truth.sources[source.source_id]
    contract, columns = contracts(plan)[truth.contract_id], COLUMNS[source.format]
    true = {order: minor for order, _, _, minor in truth.records}
    for row in rows:
        cells = dict(zip(columns, row.cells, strict=True))
        wrong = scaled(contract, cells["amt"])
        if contract.codes[cells["code"]] == "metadata" and true.get(cells["order"], wrong) != wrong:
            return cells["order"], wrong
    return None


def _with_amount(plan: Plan, source_id: str, wrong: tuple[str, int]) -> Sabotage:
    def script(name: str, data: Any, output: Any) -> Any:
        if not normalizes(name, data, source_id):
            return output
        records = [[*row[:3], wrong[1] if row[0] == wrong[0] else row[3]] for row in output["records"]]
        return {**output, "records": records}

    return Sabotage(script=script, fails=_fails(plan, source_id))
