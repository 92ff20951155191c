"""Total one source's records, or one remittance's matches, by entity (R7)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

RECORD = (str, str, str, int)
LINE = (str, str, int, int, int)
REST = (str, str, int)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Total by entity (R7).

    Args:
        data: for sales `records` [[order, alias, entity, minor]]; for a remittance `lines`
            [[pay, item, applied, discount, writeoff]], `on_account` [[pay, entity, amount]] and
            `entities`, each receipt's entity by payment id.

    Returns:
        `totals` [[entity, count, net]] by entity, of entities with a record or receipt only;
        net in minor units, negative for receipts.

    Raises:
        ValueError: malformed input, or a line of a payment without an entity.

    >>> run({"records": [["O3071", "K07", "E05", 10901], ["O3073", "K04", "E05", -1849]]})
    {'totals': [['E05', 2, 9052]]}
    >>> lines = [["Q4071", "O2011", 9800, 200, 0], ["Q4072", "O2014", 4000, 0, 0],
    ...          ["Q4072", "O2019", 1960, 0, 40]]
    >>> run({"lines": lines, "on_account": [["Q4073", "E05", 700]],
    ...      "entities": {"Q4071": "E05", "Q4072": "E05", "Q4073": "E05"}})
    {'totals': [['E05', 3, -16700]]}
    """
    posted = sales(data) if "records" in data else receipts(data)
    totals: dict[str, list[Any]] = {}
    for entity, amount in posted:
        total = totals.setdefault(entity, [entity, 0, 0])
        total[1] += 1
        total[2] += amount
    return {"totals": sorted(totals.values())}


def sales(data: dict[str, Any]) -> list[tuple[str, int]]:
    """Return entity and amount of each order.

    Raises:
        ValueError: a record is malformed, or an order is given twice.
    """
    records = rows(data, "records", RECORD, "a record")
    if len({each[0] for each in records}) != len(records):
        raise ValueError("an order is given twice; one record stands for an order")
    return [(entity, minor) for _, _, entity, minor in records]


def receipts(data: dict[str, Any]) -> list[tuple[str, int]]:
    """Return entity and posted amount of each receipt, as a negative number.

    Raises:
        ValueError: a line is malformed or its payment has no entity.
    """
    entities = field(data, "entities", dict)
    posted = dict.fromkeys(entities, 0)
    for pay, amount in parts(data):
        if pay not in posted:
            raise ValueError(f"payment '{pay}' has no entity; give each receipt's in 'entities'")
        posted[pay] -= amount
    return [(field(entities, pay, str), total) for pay, total in posted.items()]


def parts(data: dict[str, Any]) -> list[tuple[str, int]]:
    """Return each amount that a receipt posts: lines with what they forgive, and on account."""
    lines = rows(data, "lines", LINE, "a line")
    rests = rows(data, "on_account", REST, "an amount on account")
    return [(each[0], sum(each[2:])) for each in lines + rests]


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if type(value) is not kind:
        raise ValueError(f"field '{name}' must be of type {kind.__name__}, not {value!r}")
    return value


def rows(data: dict[str, Any], name: str, shape: tuple[type, ...], what: str) -> list[list[Any]]:
    """Return a field that is an array of arrays whose members have the given types.

    Raises:
        ValueError: another length or another type.
    """
    found = field(data, name, list)
    for each in found:
        if type(each) is not list or tuple(map(type, each)) != shape:
            wanted = ", ".join(kind.__name__ for kind in shape)
            raise ValueError(f"{what} must be an array [{wanted}], not {each!r}")
    return found


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
