"""Credit conversions to the latest eligible touch (R6)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

POST = (str, int, int)
EVENT = (str, str, int, int, str, list)
TOUCH = (str, int)
VOID = "void"


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Count the orders, and add up the values, that each arm of a brief is credited with (R6).

    Args:
        data: `arms` {post: "a" | "b"}, the posts of the brief's own arms, a substitute as b;
            `posts` {post: [brief, credit_window_min, priority]} for every post touched;
            `observe_until`; `events` [[id, order, at, value, status, touches [[post, at]]]], the
            whole feed of the brief.

    Returns:
        `conv_a`, `conv_b`, `value_a`, `value_b`.

    Raises:
        ValueError: malformed input, or a touched post that `posts` does not name.

    >>> posts = {"p1-a": ["b1", 240, 3], "p1-b": ["b1", 240, 3], "p2-b": ["b2", 480, 2]}
    >>> asked = {"arms": {"p1-a": "a", "p1-b": "b"}, "posts": posts, "observe_until": 1560}
    >>> neighbour = ["v1", "o1", 1000, 50, "ok", [["p1-b", 700], ["p2-b", 650]]]
    >>> run({**asked, "events": [neighbour]})
    {'conv_a': 0, 'conv_b': 0, 'value_a': 0, 'value_b': 0}
    >>> twice = [["v3", "o2", 900, 70, "ok", [["p1-a", 700]]], ["v2", "o2", 850, 60, "ok", [["p1-a", 700]]]]
    >>> other = [["v4", "o3", 990, 10, "void", [["p1-b", 900]]], ["v5", "o4", 995, 10, "ok", [["p1-b", 900]]],
    ...          ["v6", "o5", 1561, 10, "ok", [["p1-b", 1500]]]]
    >>> run({**asked, "events": twice + other})
    {'conv_a': 1, 'conv_b': 1, 'value_a': 60, 'value_b': 10}
    >>> tied = ["v7", "o6", 1000, 5, "ok", [["p1-b", 800], ["p2-b", 800]]]
    >>> run({**asked, "events": [tied]})["conv_b"], run({**asked, "posts": {**posts, "p2-b": ["b2", 480, 3]},
    ...     "events": [tied]})["conv_b"]
    (0, 1)
    """
    arms = {post: arm_of(post, arm) for post, arm in field(data, "arms", dict).items()}
    posts = {post: row(each, POST, f"post '{post}'") for post, each in field(data, "posts", dict).items()}
    until = field(data, "observe_until", int)
    counts, values = {"a": 0, "b": 0}, {"a": 0, "b": 0}
    for event in orders(field(data, "events", list), until):
        arm = arms.get(winner(event, posts), "")
        if arm:
            counts[arm] += 1
            values[arm] += event[3]
    return {"conv_a": counts["a"], "conv_b": counts["b"], "value_a": values["a"], "value_b": values["b"]}


def arm_of(post: str, arm: object) -> str:
    """Return the arm of a post.

    Raises:
        ValueError: it is neither a nor b.
    """
    if arm not in ("a", "b"):
        raise ValueError(f"field 'arms' gives post '{post}' the arm {arm!r}; an arm is \"a\" or \"b\"")
    return str(arm)


def orders(events: list[Any], until: int) -> list[list[Any]]:
    """Return the earliest event of each order that is not void, up to the end of observation."""
    first: dict[str, list[Any]] = {}
    valid = [row(each, EVENT, "an event") for each in events]
    for each in sorted(valid, key=lambda one: (one[2], one[0])):
        if each[4] != VOID and each[2] <= until:
            first.setdefault(each[1], each)
    return [*first.values()]


def winner(event: list[Any], posts: dict[str, list[Any]]) -> str:
    """Return the post that wins an event, '' for none.

    Raises:
        ValueError: it touches a post that is not known.
    """
    eligible = []
    for each in event[5]:
        post, touch = row(each, TOUCH, "a touch")
        if post not in posts:
            raise ValueError(f"event '{event[0]}' touches post '{post}', which 'posts' does not name; read its brief")
        _, window, priority = posts[post]
        if 0 <= event[2] - touch <= window:
            eligible.append((-touch, priority, post))
    return min(eligible)[2] if eligible else ""


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
