"""Turn the rows of one source into records (R2, R3, R5)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

Cells = dict[str, Any]
TYPES: dict[str, type] = {"order": str, "rev": int, "code": str, "party": str, "amt": int}
KINDS = ("sale", "correction", "metadata", "withdrawn")
SELECTABLE = ("sale", "correction")
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
    columns, rows = field(data, "columns", list), field(data, "rows", list)
    orders = grouped([named(columns, each) for each in rows], field(contract, "codes", dict))
    chosen = {order: selected(policy, orders[order]) for order in sorted(orders)}
    kept = {order: cells for order, cells in chosen.items() if cells is not None}
    entities = field(data, "map", dict)
    return {
        "records": [record(cells, contract, entities) for cells in kept.values()],
        "excluded": [order for order in chosen if order not in kept],
        "refs": {order: cells["ref"] for order, cells in kept.items() if "ref" in cells},
    }


def named(columns: list[Any], values: object) -> Cells:
    """Return a row's cells by column name.

    Raises:
        ValueError: the row does not fit the columns, or a needed cell is of another type.
    """
    if not isinstance(values, list) or len(values) != len(columns):
        raise ValueError(f"row {values!r} does not have the {len(columns)} cells of 'columns'")
    cells = dict(zip(columns, values, strict=True))
    for name, kind in TYPES.items():
        if type(cells.get(name)) is not kind:
            raise ValueError(f"row {values!r} needs a cell '{name}' of type {kind.__name__}")
    return cells


def grouped(rows: list[Cells], codes: dict[str, Any]) -> dict[str, list[Cells]]:
    """Return each order's rows in the source's order, with their kind under the contract.

    Raises:
        ValueError: a code is not in the contract's codes, or names no kind.
    """
    orders: dict[str, list[Cells]] = {}
    for cells in rows:
        kind = codes.get(cells["code"])
        if kind not in KINDS:
            raise ValueError(f"code '{cells['code']}' of order '{cells['order']}' has no kind")
        orders.setdefault(cells["order"], []).append(cells | {"kind": kind})
    return orders


def selected(policy: str, rows: list[Cells]) -> Cells | None:
    """Return the row that stands for an order, None when the order is excluded (R2).

    Raises:
        ValueError: the policy is neither `first` nor `latest_revision`.
    """
    if policy == "first":
        return rows[0] if rows[0]["kind"] in SELECTABLE else None
    if policy != "latest_revision":
        raise ValueError(f"policy '{policy}' must be 'first' or 'latest_revision'")
    if any(cells["kind"] == "withdrawn" for cells in rows):
        return None
    usable = [cells for cells in rows if cells["kind"] in SELECTABLE]
    return max(usable, key=lambda cells: cells["rev"], default=None)


def record(cells: Cells, contract: dict[str, Any], entities: dict[str, Any]) -> list[Any]:
    """Return [order, alias, entity, minor] of a selected row (R5).

    Raises:
        ValueError: the row's alias is not resolved.
    """
    order, alias = cells["order"], cells["party"]
    if not isinstance(entities.get(alias), str):
        raise ValueError(f"alias '{alias}' of order '{order}' is not in 'map'; resolve it first")
    return [order, alias, entities[alias], minor_units(cells["amt"], contract)]


def minor_units(amount: int, contract: dict[str, Any]) -> int:
    """Return a raw amount in minor units, without tax (R3).

    Raises:
        ValueError: the contract's basis is unknown or one of its numbers is missing.

    >>> minor_units(118000, {"num": 1, "den": 10, "sign": 1, "basis": "net", "tax_bps": 0})
    11800
    """
    scale, basis = field(contract, "num", int) * field(contract, "sign", int), contract.get("basis")
    scaled = rdiv(amount * scale, field(contract, "den", int))
    if basis == "net":
        return scaled
    if basis != "gross":
        raise ValueError(f"the contract's basis must be 'net' or 'gross', not {basis!r}")
    return rdiv(scaled * WHOLE, WHOLE + field(contract, "tax_bps", int))


def rdiv(x: int, d: int) -> int:
    """Divide and round to the nearest integer, halves away from zero.

    Raises:
        ValueError: the divisor is not positive.

    >>> rdiv(-20015, 10), rdiv(5, 2), rdiv(4, 3)
    (-2002, 3, 1)
    """
    if d <= 0:
        raise ValueError(f"a divisor must be positive, not {d}")
    size = (2 * abs(x) + d) // (2 * d)
    return -size if x < 0 else size


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
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
