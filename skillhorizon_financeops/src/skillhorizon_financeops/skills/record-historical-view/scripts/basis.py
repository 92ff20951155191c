"""Find the aggregate that a stage reported of a source when it first closed (R9)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

LINK = (int, int, str, str)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Follow closures from the basis stage's first one down to the source's stage (R9).

    Args:
        data: `basis_stage`; `links` [[stage, version, preceding, aggregate]], one for each
            closure version read: `preceding` is the version of the closure before it that it
            cites ('' at stage 1), `aggregate` the version of the source's aggregate that it
            cites ('' where it cites none).

    Returns:
        `aggregate`, the version `AGG:source@n` that the basis stage reported.

    Raises:
        ValueError: malformed input, or the chain needs a closure version that was not given.

    >>> links = [[4, 1, "CLS:3@2", ""], [3, 1, "CLS:2@1", "AGG:S03-07@1"],
    ...          [3, 2, "CLS:2@1", "AGG:S03-07@2"]]
    >>> run({"basis_stage": 4, "links": links})
    {'aggregate': 'AGG:S03-07@2'}
    >>> run({"basis_stage": 3, "links": links})
    {'aggregate': 'AGG:S03-07@1'}
    >>> run({"basis_stage": 4, "links": links[:2]})
    Traceback (most recent call last):
    ValueError: the chain needs 'CLS:3@2'; read that version and add its link
    """
    rows = [row(each, LINK, "a link") for each in field(data, "links", list)]
    chain = {f"CLS:{stage}@{version}": (before, own) for stage, version, before, own in rows}
    wanted = f"CLS:{field(data, 'basis_stage', int)}@1"
    for _ in range(len(chain) + 1):
        if wanted not in chain:
            raise ValueError(f"the chain needs '{wanted}'; read that version and add its link")
        preceding, aggregate = chain[wanted]
        if aggregate:
            return {"aggregate": aggregate}
        if not preceding:
            raise ValueError(f"'{wanted}' ends the chain without an aggregate of the source")
        wanted = preceding
    raise ValueError("the links go in a circle; a closure cites the one of the stage before")


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if type(value) is not kind:
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
