"""Turn the rows of one source into records (R2, R3, R5)."""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

Table = dict[Any, list[Any]]
"""The cells of each column by its name."""
TYPES: dict[str, type] = {"order": str, "rev": int, "code": str, "party": str, "amt": int}
KINDS = ("sale", "correction", "metadata", "withdrawn")
SELECTABLE = ("sale", "correction")
WHOLE = 10_000


class Price(NamedTuple):
    """How a contract reads amounts: times `scale` over `den`; `gross`, unless None, is a net 10,000 with its tax."""

    scale: int
    den: int
    gross: int | None

    def minor(self, amount: int) -> int:
        """Return a raw amount in minor units, without tax (R3).

        >>> Price(1, 10, 10825).minor(118000)
        10901
        """
        scaled = rdiv(amount * self.scale, self.den)
        return scaled if self.gross is None else rdiv(scaled * WHOLE, self.gross)


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
    orders = grouped(table, field(contract, "codes", dict))
    chosen = {order: selected(policy, orders[order], table) for order in sorted(orders)}
    kept = {order: place for order, place in chosen.items() if place is not None}
    price, entities = priced(contract), field(data, "map", dict)
    return {
        "records": [record(place, table, price, entities) for place in kept.values()],
        "excluded": [order for order in chosen if order not in kept],
        "refs": {order: table["ref"][place] for order, place in kept.items() if "ref" in table},
    }


def tabled(columns: list[Any], rows: list[Any]) -> Table:
    """Return the cells of each column, in the source's order.

    Raises:
        ValueError: a row does not fit the columns, or a needed cell is of another type.
    """
    for values in rows:
        if not isinstance(values, list) or len(values) != len(columns):
            raise ValueError(f"row {values!r} does not have the {len(columns)} cells of 'columns'")
    table = {name: [values[at] for values in rows] for at, name in enumerate(columns)}
    for name, kind in TYPES.items():
        cells = table.setdefault(name, [None] * len(rows))
        if not {kind}.issuperset(map(type, cells)):
            values = next(values for values, cell in zip(rows, cells, strict=True) if type(cell) is not kind)
            raise ValueError(f"row {values!r} needs a cell '{name}' of type {kind.__name__}")
    return table


def grouped(table: Table, codes: dict[str, Any]) -> dict[str, list[int]]:
    """Add the column `kind`, under the contract; return the places of each order's rows in the source's order.

    Raises:
        ValueError: a code is not in the contract's codes, or names no kind.
    """
    table["kind"] = [codes.get(code) for code in table["code"]]
    orders: dict[str, list[int]] = {}
    for place, (order, kind) in enumerate(zip(table["order"], table["kind"], strict=True)):
        if kind not in KINDS:
            raise ValueError(f"code '{table['code'][place]}' of order '{order}' has no kind")
        orders.setdefault(order, []).append(place)
    return orders


def selected(policy: str, places: list[int], table: Table) -> int | None:
    """Return the place of the row that stands for an order, None when the order is excluded (R2).

    Args:
        policy: `first` or `latest_revision`.
        places: those of the order's rows.
        table: the source's columns.

    Raises:
        ValueError: the policy is neither.
    """
    kinds = [table["kind"][place] for place in places]
    if policy == "first":
        return places[0] if kinds[0] in SELECTABLE else None
    if policy != "latest_revision":
        raise ValueError(f"policy '{policy}' must be 'first' or 'latest_revision'")
    if "withdrawn" in kinds:
        return None
    usable = [place for place, kind in zip(places, kinds, strict=True) if kind in SELECTABLE]
    return max(usable, key=table["rev"].__getitem__, default=None)


def record(place: int, table: Table, price: Price, entities: dict[str, Any]) -> list[Any]:
    """Return [order, alias, entity, minor] of a selected row (R5).

    Raises:
        ValueError: the row's alias is not resolved.
    """
    order, alias = table["order"][place], table["party"][place]
    if not isinstance(entities.get(alias), str):
        raise ValueError(f"alias '{alias}' of order '{order}' is not in 'map'; resolve it first")
    return [order, alias, entities[alias], price.minor(table["amt"][place])]


def priced(contract: dict[str, Any]) -> Price:
    """Return how a contract reads amounts (R3).

    Raises:
        ValueError: the contract's basis is unknown or one of its numbers is missing.

    >>> priced({"num": 1, "den": 10, "sign": -1, "basis": "net", "tax_bps": 0})
    Price(scale=-1, den=10, gross=None)
    """
    basis = contract.get("basis")
    if basis not in ("net", "gross"):
        raise ValueError(f"the contract's basis must be 'net' or 'gross', not {basis!r}")
    gross = WHOLE + field(contract, "tax_bps", int) if basis == "gross" else None
    return Price(field(contract, "num", int) * field(contract, "sign", int), field(contract, "den", int), gross)


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
