"""Roll entity balances forward over one stage (R8)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

TOTAL = (str, int, int)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Add a stage's totals to its opening balances (R8).

    Args:
        data: `opening`, the balance of each of the twelve entities in minor units; `totals`
            [[entity, count, net]], the rows of all the stage's aggregates in one list.

    Returns:
        `movement` and `closing` of each entity of `opening`, in minor units.

    Raises:
        ValueError: malformed input, or a total of an entity without an opening balance.

    >>> run({"opening": {"E01": 500, "E05": 0}, "totals": [["E05", 3, -16700], ["E05", 2, 9052]]})
    {'movement': {'E01': 0, 'E05': -7648}, 'closing': {'E01': 500, 'E05': -7648}}
    >>> run({"opening": {"E01": 500}, "totals": [["E05", 2, 9052]]})
    Traceback (most recent call last):
    ValueError: entity 'E05' has no opening balance; give all twelve entities
    """
    opening = field(data, "opening", dict)
    movement = dict.fromkeys(sorted(opening), 0)
    for entity, _, net in rows(data, "totals", TOTAL, "a total"):
        if entity not in movement:
            raise ValueError(f"entity '{entity}' has no opening balance; give all twelve entities")
        movement[entity] += net
    closing = {entity: field(opening, entity, int) + moved for entity, moved in movement.items()}
    return {"movement": movement, "closing": closing}


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
