"""Add up what audiences still carry of earlier publications (R5)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

PUBLICATION = (str, int, int)
STEP = 480


def run(data: dict[str, Any]) -> dict[str, Any]:
    """List the publications that reach a post's audiences, and their decayed weights (R5).

    Args:
        data: `post_id`, the post to be published; `as_of`, the minute of publishing; `lookback_min`
            (2880); `audiences`, objects with `id`, `retention_bp` of the current policy and
            `publications` [[post, at, weight]], those of every brief and house post that reached
            the audience.

    Returns:
        `post_id`; `sources`, post ids by (at, post), audience after audience in ascending id, one
        for each publication and audience; `loads`, the decayed sum of each audience.

    Raises:
        ValueError: malformed input, an audience named twice, or a publication after `as_of`.

    >>> made = [["h1", 3300, 210], ["p1", 5220, 420], ["p2", 5760, 180], ["h0", 3200, 90]]
    >>> asked = {"post_id": "p9", "as_of": 6180, "lookback_min": 2880}
    >>> run({**asked, "audiences": [{"id": "AU1", "retention_bp": 8000, "publications": made}]})
    {'post_id': 'p9', 'sources': ['h1', 'p1', 'p2'], 'loads': {'AU1': 502}}
    >>> both = [{"id": "AU2", "retention_bp": 7500, "publications": made},
    ...         {"id": "AU1", "retention_bp": 7500, "publications": made[2:3] + made[2:3]}]
    >>> run({**asked, "audiences": both})
    {'post_id': 'p9', 'sources': ['p2', 'p2', 'h1', 'p1', 'p2'], 'loads': {'AU1': 360, 'AU2': 452}}
    """
    post, now, lookback = field(data, "post_id", str), field(data, "as_of", int), field(data, "lookback_min", int)
    audiences = [entry(each, "an audience") for each in field(data, "audiences", list)]
    sources: list[str] = []
    loads: dict[str, int] = {}
    for each in sorted(audiences, key=lambda one: field(one, "id", str)):
        name, retention = each["id"], field(each, "retention_bp", int)
        if name in loads:
            raise ValueError(f"audience '{name}' is named twice; give each audience of the brief once")
        felt = recent(name, field(each, "publications", list), now, lookback)
        sources += [made[0] for made in felt]
        loads[name] = sum(decayed(weight, (now - at) // STEP, retention) for _, at, weight in felt)
    return {"post_id": post, "sources": sources, "loads": loads}


def recent(audience: str, publications: list[Any], now: int, lookback: int) -> list[list[Any]]:
    """Return the publications inside the lookback, by (at, post).

    Raises:
        ValueError: one of them is later than now.
    """
    made = [row(each, PUBLICATION, "a publication") for each in publications]
    late = [each for each in made if each[1] > now]
    if late:
        raise ValueError(f"publication {late[0]} of audience '{audience}' is later than as_of {now}")
    first = now - lookback
    return sorted([each for each in made if each[1] >= first], key=lambda each: (each[1], each[0]))


def decayed(weight: int, steps: int, retention_bp: int) -> int:
    """Return what is left of a weight after steps of 480 minutes, rounded down at each step.

    >>> [decayed(210, 6, 8000), decayed(420, 2, 8000), decayed(180, 0, 8000)]
    [54, 268, 180]
    >>> [decayed(210, 6, 7500), decayed(420, 2, 7500), decayed(180, 0, 7500)]
    [36, 236, 180]
    """
    for _ in range(steps):
        weight = weight * retention_bp // 10000
    return weight


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
