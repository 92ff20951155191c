"""Apply the receipts of one remittance to open items (R6)."""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

Row = list[Any]
"""A receipt [pay, entity, minor, ref] or an item [item, entity, amount, open, day, due], in minor units."""

RECEIPT = (str, str, int, str)
ITEM = (str, str, int, int, int, int)
WHOLE = 10_000


class Terms(NamedTuple):
    """The remittance's day and its contract's terms (basis points, days, minor units)."""

    day: int
    disc_bps: int
    disc_days: int
    tol: int

    def forgiven(self, item: Row, rest: int) -> tuple[int, int]:
        """Return discount and write-off of what an item's last receipt left open (R6)."""
        _, _, amount, _, day, _ = item
        if self.day <= day + self.disc_days and rest <= rdiv(amount * self.disc_bps, WHOLE):
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
    terms = Terms(*[field(data, each, int) for each in Terms._fields])
    items = unique(field(data, "items", list), ITEM, "an item")
    receipts = unique(field(data, "receipts", list), RECEIPT, "a receipt")
    by_due = sorted(items, key=lambda item: (item[5], item[0]))
    left = {item[0]: item[3] for item in items}
    lines: list[Row] = []
    on_account: list[Row] = []
    for receipt in sorted(receipts):
        made, cash = applied(receipt, candidates(receipt, by_due, left), left, terms)
        lines += made
        on_account += [[receipt[0], receipt[1], cash]] if cash else []
    return {"lines": lines, "on_account": on_account}


def unique(rows: list[Any], shape: tuple[type, ...], what: str) -> list[Row]:
    """Return rows whose members have the given types, and whose first cells differ.

    Raises:
        ValueError: a row is malformed, or two have the same id.
    """
    for each in rows:
        if type(each) is not list or tuple(map(type, each)) != shape:
            wanted = ", ".join(kind.__name__ for kind in shape)
            raise ValueError(f"{what} must be an array [{wanted}], not {each!r}")
    if len({each[0] for each in rows}) != len(rows):
        raise ValueError(f"{what} is given twice; ids are unique")
    return rows


def applied(receipt: Row, items: list[Row], left: dict[str, int], terms: Terms) -> tuple[list[Row], int]:
    """Apply one receipt to its candidates and keep up what is `left` of each; return its lines and the cash left over.

    Raises:
        ValueError: the receipt is negative.
    """
    pay, _, cash, _ = receipt
    if cash < 0:
        raise ValueError(f"receipt '{pay}' is negative ({cash}); only receipts of 0 or more match")
    lines: list[Row] = []
    for item in items:
        if not cash:
            break
        name = item[0]
        taken = min(cash, left[name])
        cash, rest = cash - taken, left[name] - taken
        discount, writeoff = (0, 0) if cash or not rest else terms.forgiven(item, rest)
        left[name] = rest - discount - writeoff
        lines.append([pay, name, taken, discount, writeoff])
    return lines, cash


def candidates(receipt: Row, by_due: list[Row], left: dict[str, int]) -> list[Row]:
    """Return the receipt's open items: the referenced one, then the others by due day and id."""
    _, entity, _, ref = receipt
    own = [item for item in by_due if item[1] == entity and left[item[0]] > 0]
    return sorted(own, key=lambda item: item[0] != ref)


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
