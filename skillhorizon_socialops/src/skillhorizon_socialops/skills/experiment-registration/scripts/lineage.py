"""List the publications that a brief builds on (R4)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

PUBLICATION = (str, int)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Append the publications of the rows of depends_on, one row after the other (R4).

    Args:
        data: `rows`, one object per row of depends_on in its order, a brief named twice given
            twice, with `brief` and `publications` [[post, at]], all of that brief's so far. In
            wave 1 one row: the campaign's publications after -43200 up to 0.

    Returns:
        `lineage`: post ids by (at, post) within each row, one for each publication: nothing is
        left out because it was named before.

    Raises:
        ValueError: malformed input, or a row without its brief.

    >>> relay = {"brief": "b1", "publications": [["p1-a", 120], ["p1-b", 600], ["p1-d", 2040]]}
    >>> run({"rows": [relay, relay]})
    {'lineage': ['p1-a', 'p1-b', 'p1-d', 'p1-a', 'p1-b', 'p1-d']}
    >>> again = {"brief": "b2", "publications": [["p2-d", 4320], ["p2-b", 600], ["p2-d", 2040], ["p2-a", 120]]}
    >>> run({"rows": [again]})
    {'lineage': ['p2-a', 'p2-b', 'p2-d', 'p2-d']}
    """
    found: list[str] = []
    for each in (entry(value, "a row") for value in field(data, "rows", list)):
        field(each, "brief", str)
        made = [row(value, PUBLICATION, "a publication") for value in field(each, "publications", list)]
        found += [post for post, at in sorted(made, key=lambda one: (one[1], one[0]))]
    return {"lineage": found}


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if type(value) is not kind:
        raise ValueError(f"field '{name}' must be of type {kind.__name__}, not {value!r}")
    return value


def entry(value: object, what: str) -> dict[str, Any]:
    """Return a JSON object.

    Raises:
        ValueError: the value is something else.
    """
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object, not {value!r}")
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
