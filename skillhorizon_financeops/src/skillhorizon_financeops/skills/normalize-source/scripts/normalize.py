"""Turn the rows of one source into records (R2, R3, R5)."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

Table = dict[Any, Sequence[Any]]
"""The cells of each column by its name."""
TYPES: dict[str, type] = {"order": str, "rev": int, "code": str, "party": str, "amt": int}
KINDS = ("sale", "correction", "metadata", "withdrawn")
SELECTABLE = ("sale", "correction")
WITHDRAWN = "withdrawn"
WHOLE = 10_000


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Select one row per order and turn it into a record (R2, R3, R5).

    Args:
        data: `policy`, `first` or `latest_revision`; `contract`, an object with `num`, `den`,
            `sign`, `basis`, `tax_bps` (basis points) and `codes` (code to kind); `columns`, the
            names of a row's cells in order; `rows` in the source's order; `map`, alias to
            entity. Other members of the contract and other columns are ignored.

    Returns:
        `records` [[order, alias, entity, minor]] and `excluded` orders, both by order; `refs`
        {order: ref} of the records when there is a column `ref` ('' where the payer gave none).

    Raises:
        ValueError: malformed input, an unknown code or policy, or a selected alias not in `map`.

    >>> data = {
    ...     "policy": "latest_revision",
    ...     "contract": {"num": 1, "den": 10, "sign": 1, "basis": "gross", "tax_bps": 825,
    ...         "codes": {"10": "sale", "20": "correction", "70": "metadata", "90": "withdrawn"}},
    ...     "columns": ["party", "amt", "order", "code", "rev"],
    ...     "rows": [["K07", 123450, "O3071", "10", 1], ["K07", 118000, "O3071", "20", 2],
    ...         ["K02", 99999, "O3071", "70", 3], ["K02", 45005, "O3072", "10", 1],
    ...         ["K02", 0, "O3072", "90", 2], ["K04", -20015, "O3073", "10", 1]],
    ...     "map": {"K02": "E01", "K04": "E08", "K07": "E05"}}
    >>> run(data)["records"]
    [['O3071', 'K07', 'E05', 10901], ['O3073', 'K04', 'E08', -1849]]
    >>> run(data)["excluded"], run(data)["refs"]
    (['O3072'], {})
    >>> [minor for _, _, _, minor in run(data | {"policy": "first"})["records"]]
    [11404, 4158, -1849]
    >>> run(data | {"map": {"K07": "E05"}})
    Traceback (most recent call last):
    ValueError: alias 'K04' of order 'O3073' is not in 'map'; resolve it first
    """
    contract, policy = field(data, "contract", dict), field(data, "policy", str)
    table = tabled(field(data, "columns", list), field(data, "rows", list))
    chosen = selected(policy, table, kinds_of(table, field(contract, "codes", dict)))
    return {
        "records": records(chosen, table, priced(contract), field(data, "map", dict)),
        "excluded": sorted({*table["order"]} - chosen.keys()),
        "refs": {order: table["ref"][place] for order, place in chosen.items()} if "ref" in table else {},
    }


def tabled(columns: list[Any], rows: list[Any]) -> Table:
    """Return the cells of each column, in the source's order.

    Raises:
        ValueError: a row does not fit the columns, or a needed cell is of another type.
    """
    width = len(columns)
    for values in rows:
        if type(values) is not list or len(values) != width:
            raise ValueError(f"row {values!r} does not have the {width} cells of 'columns'")
    table: Table = dict(zip(columns, zip(*rows)))  # noqa: B905  # each row has as many cells
    if not table.keys() >= TYPES.keys():
        table |= {name: [None] * len(rows) for name in TYPES if name not in table}
    check_cells(rows, table)
    return table


def check_cells(rows: list[Any], table: Table) -> None:
    """Check the needed cells: all of a type at once, and one by one only where something is at fault.

    Raises:
        ValueError: a needed cell is of another type.
    """
    texts, numbers = (*table["order"], *table["code"], *table["party"]), (*table["rev"], *table["amt"])
    if {str}.issuperset(map(type, texts)) and {int}.issuperset(map(type, numbers)):
        return
    for name, kind in TYPES.items():
        for values, cell in zip(rows, table[name], strict=True):
            if type(cell) is not kind:
                raise ValueError(f"row {values!r} needs a cell '{name}' of type {kind.__name__}")


def kinds_of(table: Table, codes: dict[str, Any]) -> list[str]:
    """Return what each row's code means under the contract.

    Raises:
        ValueError: a code is not in the contract's codes, or names no kind.
    """
    kinds: list[Any] = [codes.get(code) for code in table["code"]]
    for place, kind in enumerate(kinds):
        if kind not in KINDS:
            raise ValueError(f"code '{table['code'][place]}' of order '{table['order'][place]}' has no kind")
    return kinds


def selected(policy: str, table: Table, kinds: list[str]) -> dict[str, int]:
    """Return the place of the row that stands for each order, by order, without excluded orders (R2).

    Args:
        policy: `first` or `latest_revision`.
        table: the source's columns.
        kinds: what each row's code means.

    Raises:
        ValueError: the policy is neither.
    """
    orders, revisions = table["order"], table["rev"]
    if policy == "first":
        first: dict[str, int] = {}
        for place, order in enumerate(orders):
            if order not in first:
                first[order] = place
        return {order: place for order, place in sorted(first.items()) if kinds[place] in SELECTABLE}
    if policy != "latest_revision":
        raise ValueError(f"policy '{policy}' must be 'first' or 'latest_revision'")
    found: dict[str, int] = {}
    withdrawn = set()
    for place, order in enumerate(orders):
        kind = kinds[place]
        if kind == WITHDRAWN:
            withdrawn.add(order)
        elif kind in SELECTABLE and (order not in found or revisions[place] > revisions[found[order]]):
            found[order] = place
    return {order: found[order] for order in sorted(found) if order not in withdrawn}


def records(chosen: dict[str, int], table: Table, minor: Callable[[int], int], entities: dict[str, Any]) -> list[Any]:
    """Return [order, alias, entity, minor] of each selected row (R5).

    Raises:
        ValueError: a row's alias is not resolved.
    """
    aliases, amounts = table["party"], table["amt"]
    found: list[Any] = []
    for order, place in chosen.items():
        alias = aliases[place]
        entity = entities.get(alias)
        if type(entity) is not str:
            raise ValueError(f"alias '{alias}' of order '{order}' is not in 'map'; resolve it first")
        found.append([order, alias, entity, minor(amounts[place])])
    return found


def priced(contract: dict[str, Any]) -> Callable[[int], int]:
    """Return what turns a raw amount into minor units without tax, as the contract reads amounts (R3).

    Raises:
        ValueError: the contract's basis is unknown or one of its numbers is missing.

    >>> minor = priced({"num": 1, "den": 10, "sign": 1, "basis": "gross", "tax_bps": 825})
    >>> minor(118000), minor(-20015)
    (10901, -1849)
    """
    basis = contract.get("basis")
    if basis not in ("net", "gross"):
        raise ValueError(f"the contract's basis must be 'net' or 'gross', not {basis!r}")
    scale, den = field(contract, "num", int) * field(contract, "sign", int), field(contract, "den", int)
    if basis == "net":
        return lambda amount: rdiv(amount * scale, den)
    gross = WHOLE + field(contract, "tax_bps", int)
    return lambda amount: rdiv(rdiv(amount * scale, den) * WHOLE, gross)


def rdiv(x: int, d: int) -> int:
    """Divide and round to the nearest integer, halves away from zero.

    Raises:
        ValueError: the divisor is not positive.

    >>> rdiv(-20015, 10), rdiv(5, 2), rdiv(4, 3)
    (-2002, 3, 1)
    """
    if d <= 0:
        raise ValueError(f"a divisor must be positive, not {d}")
    return (2 * x + d) // (2 * d) if x >= 0 else -((d - 2 * x) // (2 * d))


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if type(value) is not kind:
        raise ValueError(f"field '{name}' must be of type {kind.__name__}, not {value!r}")
    return value


def main() -> None:
    """Read the input as JSON from standard input, write the result as canonical JSON."""
    try:
        result = run(field({"input": json.load(sys.stdin.buffer)}, "input", dict))
    except ValueError as fault:
        sys.exit(str(fault))
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
