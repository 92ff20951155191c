"""Choose the licensed asset of the best quality (R1)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

CANDIDATE = (str, str, int, int, int, list, str)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Choose one asset among those of one role, locale, format and angle (R1).

    Args:
        data: `candidates` [[asset, angle, quality_bp, rights_from, rights_to, channels, status]],
            rows of `list_assets` as they are; `channel` of the brief; `from` and `until`, the
            minutes its rights must cover: due(a) and due(d)+1440; `exclude`, assets that must not be chosen.

    Returns:
        `asset`: of the eligible ones that of the highest quality, then the lowest id.

    Raises:
        ValueError: malformed input, candidates of two angles, or no eligible candidate.

    >>> wide, short = [-900, 9000], [-900, 3400]
    >>> rows = [["A4", "use", 9100, *short, ["C1", "C2"], "active"], ["A2", "use", 9000, *wide, ["C2"], "active"],
    ...         ["A3", "use", 8100, *wide, ["C1", "C2"], "active"], ["A1", "use", 8100, *wide, ["C1", "C2"], "active"],
    ...         ["A5", "use", 8800, *wide, ["C1", "C2"], "retired"]]
    >>> asked = {"candidates": rows, "channel": "C1", "from": 120, "until": 3480, "exclude": []}
    >>> run(asked)
    {'asset': 'A1'}
    >>> run({**asked, "exclude": ["A1"]}), run({**asked, "channel": "C2"}), run({**asked, "until": 3400})
    ({'asset': 'A3'}, {'asset': 'A2'}, {'asset': 'A4'})
    """
    channel, start, end = field(data, "channel", str), field(data, "from", int), field(data, "until", int)
    candidates = [row(each, CANDIDATE, "a candidate") for each in field(data, "candidates", list)]
    barred = texts(data, "exclude")
    if len({each[1] for each in candidates}) > 1:
        raise ValueError("the candidates have several angles; list those of the brief's, or of the replaced asset's")
    licensed = [each for each in candidates if each[6] == "active" and each[3] <= start and each[4] >= end]
    eligible = [(-each[2], each[0]) for each in licensed if channel in each[5] and each[0] not in barred]
    if not eligible:
        told = f"none of the {len(candidates)} candidates is eligible on channel '{channel}' from {start} to {end}"
        raise ValueError(f"{told}; list all assets of role, locale, format and angle")
    return {"asset": min(eligible)[1]}


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if type(value) is not kind:
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
