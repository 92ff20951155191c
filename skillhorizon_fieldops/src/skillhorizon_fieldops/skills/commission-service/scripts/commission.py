"""Work out the figures of a service's commissioning (R8)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

MEMBER = (str, int, int)
DEPENDENT = (str, int, int)
MINIMUM = {"gold": 1500, "silver": 800, "bronze": 0}


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Compare what a service's members can carry with what it has to (R8).

    Args:
        data: `members` [[device, rated, derate_bp]], derate_bp that of the installed part (0
            without one); `demand` of the service; `dependents` [[service, demand, share_bp]], the
            services that need this one; `tier`.

    Returns:
        `capacity`, `load` and `headroom_bp`; `minimum_bp`, what the tier asks for.

    Raises:
        ValueError: malformed input, no member, no load, or an unknown tier.

    >>> members = [["d1", 1200, 0], ["d2", 1100, 1200]]
    >>> run({"members": members, "demand": 700, "dependents": [["s2", 300, 2500], ["s3", 250, 1500]], "tier": "gold"})
    {'capacity': 968, 'load': 812, 'headroom_bp': 1921, 'minimum_bp': 1500}
    """
    members = [row(each, MEMBER, "a member") for each in field(data, "members", list)]
    dependents = [row(each, DEPENDENT, "a dependent") for each in field(data, "dependents", list)]
    tier = field(data, "tier", str)
    if not members:
        raise ValueError("field 'members' is empty; give those that get_service shows")
    if tier not in MINIMUM:
        raise ValueError(f"tier '{tier}' is unknown; tiers: {', '.join(MINIMUM)}")
    capacity = min(rated * (10000 - derate) // 10000 for _, rated, derate in members)
    load = field(data, "demand", int) + sum(demand * share // 10000 for _, demand, share in dependents)
    if load < 1:
        raise ValueError(f"the load must be positive, not {load}")
    headroom = (capacity - load) * 10000 // load
    return {"capacity": capacity, "load": load, "headroom_bp": headroom, "minimum_bp": MINIMUM[tier]}


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"field '{name}' must be of type {kind.__name__}, not {value!r}")
    return value


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
