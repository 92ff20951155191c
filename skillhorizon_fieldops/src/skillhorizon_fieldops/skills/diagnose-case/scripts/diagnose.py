"""Find the fault of devices from their readings by the edition of the manual in force (R2)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

RULE = (int, str, str, int, str)
MOST = 12
HOLDS = {
    ">": lambda value, threshold: value > threshold,
    ">=": lambda value, threshold: value >= threshold,
    "<": lambda value, threshold: value < threshold,
    "<=": lambda value, threshold: value <= threshold,
    "==": lambda value, threshold: value == threshold,
    "!=": lambda value, threshold: value != threshold,
}


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Diagnose up to twelve devices (R2).

    Args:
        data: `cases`, objects with `device`, `model`, `hw_rev` and `readings`, the values of each
            metric (six or one); `editions` of their models' manuals, objects with `model`,
            `edition`, `issue`, `rev_lo`, `rev_hi` and `rules`
            [[rank, metric, op, threshold, fault]].

    Returns:
        `entries`: device, edition and fault of each case, in the order given.

    Raises:
        ValueError: malformed input, more than twelve cases, no edition for a device's revision, or
            no rule that holds.

    >>> rules = [[1, "err_ppm", ">", 500, "laser_worn"], [2, "temp_dc", ">", 411, "fan_stuck"],
    ...          [3, "err_ppm", ">", 80, "joint_loose"]]
    >>> editions = [{"model": "M", "edition": "M-1", "issue": 3, "rev_lo": 1, "rev_hi": 9, "rules": rules[:1]},
    ...             {"model": "M", "edition": "M-2", "issue": 5, "rev_lo": 5, "rev_hi": 9, "rules": rules}]
    >>> case = {"device": "d1", "model": "M", "hw_rev": 7, "readings": {
    ...     "err_ppm": [71, 83, 79, 90, 64, 83], "temp_dc": [398, 421, 412, 405, 430, 409]}}
    >>> run({"cases": [case], "editions": editions})
    {'entries': [{'device': 'd1', 'edition': 'M-2', 'fault': 'joint_loose'}]}
    """
    cases, editions = field(data, "cases", list), field(data, "editions", list)
    if len(cases) > MOST:
        raise ValueError(f"{len(cases)} cases in one run; give at most {MOST}")
    books = [entry(each, "an edition") for each in editions]
    return {"entries": [diagnosed(entry(each, "a case"), books) for each in cases]}


def diagnosed(case: dict[str, Any], editions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of one device."""
    edition = in_force(field(case, "model", str), field(case, "hw_rev", int), editions)
    fault = found_fault(field(case, "readings", dict), edition)
    return {"device": field(case, "device", str), "edition": field(edition, "edition", str), "fault": fault}


def in_force(model: str, hw_rev: int, editions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the edition of the highest issue whose revisions include the device's.

    Raises:
        ValueError: there is none.

    >>> books = [{"model": "M", "edition": "M-1", "issue": 3, "rev_lo": 1, "rev_hi": 9},
    ...          {"model": "M", "edition": "M-2", "issue": 5, "rev_lo": 5, "rev_hi": 9}]
    >>> [in_force("M", rev, books)["edition"] for rev in (4, 5, 7)]
    ['M-1', 'M-2', 'M-2']
    """
    of_model = [each for each in editions if field(each, "model", str) == model]
    fitting = [each for each in of_model if field(each, "rev_lo", int) <= hw_rev <= field(each, "rev_hi", int)]
    if not fitting:
        raise ValueError(f"no edition for model '{model}' at revision {hw_rev}; give all that get_manual shows")
    return max(fitting, key=lambda each: field(each, "issue", int))


def found_fault(readings: dict[str, Any], edition: dict[str, Any]) -> str:
    """Return the fault of the first rule by rank that holds.

    Raises:
        ValueError: a rule's metric was not read, its comparison is unknown, or no rule holds.
    """
    rules = sorted(row(each, RULE, "a rule") for each in field(edition, "rules", list))
    for _, metric, op, threshold, fault in rules:
        if op not in HOLDS:
            raise ValueError(f"comparison '{op}' is unknown; use one of {' '.join(HOLDS)}")
        if HOLDS[op](middle(metric, field(readings, metric, list)), threshold):
            return str(fault)
    raise ValueError(f"no rule of edition {edition.get('edition')} holds; give all of its rules")


def middle(metric: str, values: list[Any]) -> int:
    """Return a metric's value: the middle two of six readings, halved and rounded down, or the only one.

    Raises:
        ValueError: another number of readings, or one that is no integer.

    >>> middle("err_ppm", [71, 83, 79, 90, 64, 83]), middle("temp_dc", [398, 421, 412, 405, 430, 409])
    (81, 410)
    >>> middle("uptime_d", [17])
    17
    """
    if len(values) not in (1, 6) or any(type(each) is not int for each in values):
        raise ValueError(f"metric '{metric}' must have one or six integer readings, not {values!r}")
    if len(values) == 1:
        return int(values[0])
    ordered = sorted(values)
    return int((ordered[2] + ordered[3]) // 2)


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
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
