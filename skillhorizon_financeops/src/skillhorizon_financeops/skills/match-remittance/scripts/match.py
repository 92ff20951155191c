"""Apply the receipts of one remittance to open items (R6)."""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

RECEIPT = (str, str, int, str)
ITEM = (str, str, int, int, int, int)
WHOLE = 10_000


class Item(NamedTuple):
    """An open item; amounts in minor units."""

    name: str
    entity: str
    amount: int
    open: int
    day: int
    due: int


class Terms(NamedTuple):
    """The remittance's day and its contract's terms (basis points, days, minor units)."""

    day: int
    disc_bps: int
    disc_days: int
    tol: int

    def forgiven(self, item: Item, rest: int) -> tuple[int, int]:
        """Return discount and write-off of what an item's last receipt left open (R6)."""
        in_time = self.day <= item.day + self.disc_days
        if in_time and rest <= rdiv(item.amount * self.disc_bps, WHOLE):
            return rest, 0
        return (0, rest) if rest <= self.tol else (0, 0)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Match receipts, by ascending payment id, with open items (R6).

    Args:
        data: `day` of the remittance; `disc_bps`, `disc_days`, `tol` of its contract;
            `receipts` [[pay, entity, minor, ref]] with '' for no reference; `items`
            [[item, entity, amount, open, day, due]] as the lockbox lists them.

    Returns:
        `lines` [[pay, item, applied, discount, writeoff]] and `on_account`
        [[pay, entity, amount]], both in the order of payments.

    Raises:
        ValueError: malformed input, a negative receipt, or a payment or item given twice.

    >>> items = [["O2011", "E05", 10000, 10000, 290, 440], ["O2014", "E05", 4000, 4000, 240, 390],
    ...          ["O2019", "E05", 2000, 2000, 250, 400]]
    >>> receipts = [["Q4073", "E05", 700, "O2011"], ["Q4071", "E05", 9800, "O2011"],
    ...             ["Q4072", "E05", 5960, ""]]
    >>> terms = {"day": 395, "disc_bps": 200, "disc_days": 120, "tol": 50}
    >>> result = run(terms | {"receipts": receipts, "items": items})
    >>> for line in result["lines"]:
    ...     print(line)
    ['Q4071', 'O2011', 9800, 200, 0]
    ['Q4072', 'O2014', 4000, 0, 0]
    ['Q4072', 'O2019', 1960, 0, 40]
    >>> result["on_account"]
    [['Q4073', 'E05', 700]]
    """
    terms = Terms(*(field(data, each, int) for each in ("day", "disc_bps", "disc_days", "tol")))
    items = unique(field(data, "items", list), ITEM, "an item")
    receipts = unique(field(data, "receipts", list), RECEIPT, "a receipt")
    table = {name: Item(*values) for name, values in items.items()}
    lines: list[list[Any]] = []
    on_account: list[list[Any]] = []
    for pay in sorted(receipts):
        made, left = applied(receipts[pay], table, terms)
        lines += made
        on_account += [[pay, receipts[pay][1], left]] if left else []
    return {"lines": lines, "on_account": on_account}


def unique(rows: list[Any], shape: tuple[type, ...], what: str) -> dict[str, list[Any]]:
    """Return rows by their first cell.

    Raises:
        ValueError: a row is malformed, or two have the same id.
    """
    found = {row(each, shape, what)[0]: each for each in rows}
    if len(found) != len(rows):
        raise ValueError(f"{what} is given twice; ids are unique")
    return found


def applied(receipt: list[Any], table: dict[str, Item], terms: Terms) -> tuple[list[list[Any]], int]:
    """Apply one receipt to its candidates; return its lines and the cash left over.

    Raises:
        ValueError: the receipt is negative.
    """
    pay, entity, cash, ref = receipt
    if cash < 0:
        raise ValueError(f"receipt '{pay}' is negative ({cash}); only receipts of 0 or more match")
    lines: list[list[Any]] = []
    for item in candidates(entity, ref, table):
        if not cash:
            break
        taken = min(cash, item.open)
        cash, rest = cash - taken, item.open - taken
        discount, writeoff = (0, 0) if cash or not rest else terms.forgiven(item, rest)
        table[item.name] = item._replace(open=rest - discount - writeoff)
        lines.append([pay, item.name, taken, discount, writeoff])
    return lines, cash


def candidates(entity: str, ref: str, table: dict[str, Item]) -> list[Item]:
    """Return the receipt's open items: the referenced one, then the others by due day and id."""
    own = [item for item in table.values() if item.entity == entity and item.open > 0]
    return sorted(own, key=lambda item: (item.name != ref, item.due, item.name))


def rdiv(x: int, d: int) -> int:
    """Divide and round to the nearest integer, halves away from zero; `d` is positive."""
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


def row(value: object, shape: tuple[type, ...], what: str) -> list[Any]:
    """Return a JSON array whose members have the given types.

    Raises:
        ValueError: another length or another type.
    """
    if not isinstance(value, list) or tuple(map(type, value)) != shape:
        wanted = ", ".join(kind.__name__ for kind in shape)
        raise ValueError(f"{what} must be an array [{wanted}], not {value!r}")
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
