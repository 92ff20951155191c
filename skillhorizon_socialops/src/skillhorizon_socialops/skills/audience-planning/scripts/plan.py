"""Size the holdout and the two arms of an experiment (R3)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

LISTS = ("sizes", "lapsed_bp", "suppress")
WHOLE = 10_000


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Work out who can be reached, and split them (R3).

    Args:
        data: `sizes` and `lapsed_bp` of the brief's audiences, in the same order; `overlap`, the
            users in both; `suppress`, conv_a+conv_b of the credit of each suppress row, in row
            order; `holdout_bp` and `split_bp` of the brief.

    Returns:
        `eligible`, `holdout`, `arm_a` and `arm_b`, as `plan_audience` takes them.

    Raises:
        ValueError: malformed input, lists of different lengths, or a share outside 0 to 10,000.

    >>> run({"sizes": [42000, 31500], "lapsed_bp": [10000, 10000], "overlap": 5260, "suppress": [41, 38],
    ...      "holdout_bp": 1000, "split_bp": 5000})
    {'eligible': 68161, 'holdout': 6816, 'arm_a': 30673, 'arm_b': 30672}
    """
    sizes, lapsed, suppress = (numbers(data, name) for name in LISTS)
    if len(sizes) != len(lapsed):
        raise ValueError(f"{len(sizes)} sizes and {len(lapsed)} lapsed shares; give one of each per audience")
    reach = sum(size * share // WHOLE for size, share in zip(sizes, lapsed, strict=True))
    eligible = reach - field(data, "overlap", int) - sum(suppress)
    holdout = eligible * share_of(data, "holdout_bp") // WHOLE
    arm_b = (eligible - holdout) * share_of(data, "split_bp") // WHOLE
    return {"eligible": eligible, "holdout": holdout, "arm_a": eligible - holdout - arm_b, "arm_b": arm_b}


def share_of(data: dict[str, Any], name: str) -> int:
    """Return a share in basis points.

    Raises:
        ValueError: it is missing or no share.
    """
    share = field(data, name, int)
    if not 0 <= share <= WHOLE:
        raise ValueError(f"field '{name}' must be from 0 to {WHOLE} basis points, not {share}")
    return share


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if type(value) is not kind:
        raise ValueError(f"field '{name}' must be of type {kind.__name__}, not {value!r}")
    return value


def numbers(data: dict[str, Any], name: str) -> list[int]:
    """Return a field that lists integers.

    Raises:
        ValueError: it is missing or lists something else.
    """
    found = field(data, name, list)
    if any(type(each) is not int for each in found):
        raise ValueError(f"field '{name}' must list integers, not {found!r}")
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
