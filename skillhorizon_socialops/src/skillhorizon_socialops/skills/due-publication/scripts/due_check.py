"""Tell whether a post may be published now, and when at the earliest (R5)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

NUMBERS = ("load", "cap", "cooldown_min")
WINDOW = 60


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Check status, window, cooldown and cap of a post at a minute (R5).

    Args:
        data: `clock`; `due_at`, `status` and `weight` of the post as the calendar shows them;
            `audiences`, objects with `id`, `load` (decayed_load.py's), `cap`, `last_at` (the last
            publication that reached it, null for none) and `cooldown_min` (0 where it has none).

    Returns:
        `ok`; `earliest`, the first minute from `clock` on that window and cooldowns allow, null
        when there is none; `reasons`, the rejections to expect at `clock`.

    Raises:
        ValueError: malformed input.

    >>> audience = {"id": "AU1", "load": 500, "cap": 700, "last_at": 2580, "cooldown_min": 470}
    >>> asked = {"clock": 3000, "due_at": 3000, "status": "scheduled", "weight": 180, "audiences": [audience]}
    >>> run(asked)
    {'ok': False, 'earliest': 3050, 'reasons': ['COOLDOWN']}
    >>> run({**asked, "clock": 3050})
    {'ok': True, 'earliest': 3050, 'reasons': []}
    >>> run({**asked, "clock": 3060, "weight": 210})
    {'ok': False, 'earliest': None, 'reasons': ['DUE_TIME', 'AUDIENCE_CAP']}
    """
    clock, due, weight = field(data, "clock", int), field(data, "due_at", int), field(data, "weight", int)
    audiences = [audience(each) for each in field(data, "audiences", list)]
    free = max([clock, due, *(each["last_at"] + each["cooldown_min"] for each in audiences if resting(each))])
    reasons = {
        "POST_STATUS": field(data, "status", str) != "scheduled",
        "DUE_TIME": not due <= clock < due + WINDOW,
        "COOLDOWN": free > max(clock, due),
        "AUDIENCE_CAP": any(each["load"] + weight > each["cap"] for each in audiences),
    }
    told = [code for code, holds in reasons.items() if holds]
    return {"ok": not told, "earliest": free if free < due + WINDOW else None, "reasons": told}


def audience(value: object) -> dict[str, Any]:
    """Return an audience whose numbers are integers.

    Raises:
        ValueError: something is missing or of another type.
    """
    found = entry(value, "an audience")
    field(found, "id", str)
    for name in NUMBERS:
        field(found, name, int)
    if found.get("last_at") is not None:
        field(found, "last_at", int)
    return found


def resting(each: dict[str, Any]) -> bool:
    """Whether an audience has a cooldown to wait for."""
    return each.get("last_at") is not None and each["cooldown_min"] > 0


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
