"""Pick the contract that governs a source's day (R1)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Name the governing contract (R1).

    Args:
        data: `day`, the source's business day; `candidates`, contracts of the source's format,
            each an object with `contract_id`, `from`, `to` (days, both included) and `rank`;
            other members are ignored.

    Returns:
        `contract_id` of the candidate with the greatest rank whose range contains the day.

    Raises:
        ValueError: malformed input, no candidate covers the day, or two share the winning rank.

    >>> old = {"contract_id": "CT-A", "from": 0, "to": 320, "rank": 0}
    >>> new = {"contract_id": "CT-B", "from": 310, "to": 340, "rank": 1}
    >>> run({"day": 317, "candidates": [new, old]})
    {'contract_id': 'CT-B'}
    >>> run({"day": 309, "candidates": [new, old]})
    {'contract_id': 'CT-A'}
    >>> run({"day": 400, "candidates": [new, old]})
    Traceback (most recent call last):
    ValueError: no candidate covers day 400; list the contracts of the source's own format
    """
    day = field(data, "day", int)
    covering = [ranked(each) for each in field(data, "candidates", list) if covers(each, day)]
    if not covering:
        raise ValueError(f"no candidate covers day {day}; list the contracts of the source's own format")
    best, name = max(covering)
    if sum(rank == best for rank, _ in covering) > 1:
        raise ValueError(f"two candidates share rank {best} on day {day}; give contracts of one format")
    return {"contract_id": name}


def covers(candidate: object, day: int) -> bool:
    """Whether a candidate's range contains the day.

    Raises:
        ValueError: the candidate is no object or lacks its range.
    """
    if not isinstance(candidate, dict):
        raise ValueError(f"a candidate must be an object, not {candidate!r}")
    return field(candidate, "from", int) <= day <= field(candidate, "to", int)


def ranked(candidate: dict[str, Any]) -> tuple[int, str]:
    """Return a candidate's rank and id."""
    return field(candidate, "rank", int), field(candidate, "contract_id", str)


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
