"""Find the lock points of a permit: the boundary of its devices and their stored energy (R5)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

FEED = (str, str, str)
STORED = (str, str)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """List the points that make a set of devices dead (R5).

    Args:
        data: `devices`, the ids of the permit's devices; `feeds` [[point, from, to]], every feed,
            closed or open, that touches one of them; `stored` [[point, device]], their
            stored-energy points.

    Returns:
        `points`: every feed with exactly one end among the devices, and their stored points,
        sorted.

    Raises:
        ValueError: malformed input, or no device.

    >>> feeds = [["F1", "d1", "d2"], ["F2", "d2", "d3"], ["F3", "d3", "d4"], ["F4", "d9", "d3"]]
    >>> run({"devices": ["d2", "d3"], "feeds": feeds, "stored": [["E3", "d3"]]})
    {'points': ['E3', 'F1', 'F3', 'F4']}
    """
    devices = set(texts(data, "devices"))
    if not devices:
        raise ValueError("field 'devices' is empty; name at least one device of the zone")
    feeds = [row(each, FEED, "a feed") for each in field(data, "feeds", list)]
    stored = [row(each, STORED, "a stored point") for each in field(data, "stored", list)]
    boundary = {point for point, start, end in feeds if (start in devices) != (end in devices)}
    return {"points": sorted(boundary | {point for point, device in stored if device in devices})}


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"field '{name}' must be of type {kind.__name__}, not {value!r}")
    return value


def texts(data: dict[str, Any], name: str) -> list[str]:
    """Return a field that lists texts.

    Raises:
        ValueError: it is missing or lists something else.
    """
    found = field(data, name, list)
    if not all(isinstance(each, str) for each in found):
        raise ValueError(f"field '{name}' must list texts, not {found!r}")
    return found


def row(value: object, shape: tuple[type, ...], what: str) -> list[Any]:
    """Return a JSON array whose members have the given types.

    Raises:
        ValueError: another length or another type.
    """
    if not isinstance(value, list) or [type(cell) for cell in value] != list(shape):
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
