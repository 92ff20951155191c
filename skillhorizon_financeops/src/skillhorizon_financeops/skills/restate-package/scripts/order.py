"""Put what has to be remade into an order in which every input comes first."""

from __future__ import annotations

import heapq
import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

EDGE = (str, str)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Order what a change reaches so that nothing is remade before its inputs.

    Args:
        data: `affected`, ids of what the change itself reaches; `edges` [[input, user]] between
            ids of any kind.

    Returns:
        `steps`: the affected ids and all that uses them, directly or not, each after all of its
        inputs among them; ties by id.

    Raises:
        ValueError: malformed input, or the edges go in a circle.

    >>> edges = [["NRM:S03-07", "AGG:S03-07"], ["AGG:S03-07", "CLS:3"], ["CLS:3", "CLS:4"],
    ...          ["NRM:S04-01", "AGG:S04-01"], ["AGG:S04-01", "CLS:4"]]
    >>> run({"affected": ["NRM:S03-07"], "edges": edges})
    {'steps': ['NRM:S03-07', 'AGG:S03-07', 'CLS:3', 'CLS:4']}
    """
    users: dict[str, set[str]] = {}
    for each in field(data, "edges", list):
        source, user = row(each, EDGE, "an edge")
        users.setdefault(source, set()).add(user)
    return {"steps": ordered(reached(field(data, "affected", list), users), users)}


def reached(affected: list[Any], users: dict[str, set[str]]) -> set[str]:
    """Return the affected ids and everything downstream of them.

    Raises:
        ValueError: an affected id is no string.
    """
    found: set[str] = set()
    ahead = list(affected)
    while ahead:
        each = ahead.pop()
        if not isinstance(each, str):
            raise ValueError(f"an affected id must be a string, not {each!r}")
        if each not in found:
            found.add(each)
            ahead.extend(users.get(each, ()))
    return found


def ordered(members: set[str], users: dict[str, set[str]]) -> list[str]:
    """Return the members with inputs first, ties by id.

    Raises:
        ValueError: the edges between members go in a circle.
    """
    waits = dict.fromkeys(members, 0)
    for each in members:
        for user in users.get(each, ()):
            waits[user] += 1
    ready = sorted(each for each in members if not waits[each])
    steps: list[str] = []
    while ready:
        steps.append(heapq.heappop(ready))
        for user in users.get(steps[-1], ()):
            waits[user] -= 1
            if not waits[user]:
                heapq.heappush(ready, user)
    if len(steps) != len(members):
        raise ValueError("the edges go in a circle; nothing uses what is made from it")
    return steps


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
