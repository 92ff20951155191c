"""Work out rates and lift, and decide the winner (R7)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

THRESHOLDS = ("min_conv", "min_lift_bp")
MILLION = 10**6


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Compare the arms of an experiment (R7).

    Args:
        data: `conv` [conv_a, conv_b] of the credit; `arms` [arm_a, arm_b] of the plan;
            `thresholds` with `min_conv` and `min_lift_bp` of the brief; `benchmark`
            [benchmark_ppm, benchmark_bp], the winning arm's rate of the benchmark row's report
            and the brief's share of it, or null without such a row.

    Returns:
        `rate_a_ppm`, `rate_b_ppm`, `lift_bp` and `winner`, "test" or "control".

    Raises:
        ValueError: malformed input, or an arm of nobody.

    >>> asked = {"conv": [9, 13], "arms": [30673, 30672], "thresholds": {"min_conv": 8, "min_lift_bp": 800}}
    >>> run({**asked, "benchmark": [310, 8500]})
    {'rate_a_ppm': 293, 'rate_b_ppm': 423, 'lift_bp': 4436, 'winner': 'test'}
    >>> run({**asked, "benchmark": [500, 8500]})["winner"], run({**asked, "conv": [0, 7], "benchmark": None})["winner"]
    ('control', 'control')
    """
    conv_a, conv_b = pair(data, "conv")
    arm_a, arm_b = pair(data, "arms")
    if min(arm_a, arm_b) < 1:
        raise ValueError(f"the arms hold {arm_a} and {arm_b} users; each must hold some")
    min_conv, min_lift = (field(field(data, "thresholds", dict), name, int) for name in THRESHOLDS)
    rate_a, rate_b = conv_a * MILLION // arm_a, conv_b * MILLION // arm_b
    lift = (rate_b - rate_a) * 10000 // max(1, rate_a)
    wins = conv_a + conv_b >= min_conv and lift >= min_lift and holds_out(data, rate_b)
    return {"rate_a_ppm": rate_a, "rate_b_ppm": rate_b, "lift_bp": lift, "winner": "test" if wins else "control"}


def holds_out(data: dict[str, Any], rate_b: int) -> bool:
    """Whether the test arm's rate reaches its share of the benchmark; without one it does."""
    if "benchmark" in data and data["benchmark"] is None:
        return True
    ppm, share = pair(data, "benchmark")
    return rate_b * 10000 >= ppm * share


def pair(data: dict[str, Any], name: str) -> list[int]:
    """Return a field that lists two integers.

    Raises:
        ValueError: it is missing or something else.
    """
    found = field(data, name, list)
    if [type(each) for each in found] != [int, int]:
        raise ValueError(f"field '{name}' must list two integers, not {found!r}")
    return found


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
