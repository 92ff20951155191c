"""Work out the minutes of jobs and give each to the first crew that has them free (R4)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

TRAVEL = (str, str, int)
CREW = (str, str, str, str, int)
DEVICE = (int, int)
MOST = 12


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Choose crew and minutes of up to twelve jobs, first fit in the order of the crews given (R4).

    Args:
        data: `jobs`, objects with `job`, `class`, `block`, the site's `region` and `access_bp`, and
            `devices` [[base_min, stored]], stored 1 with a stored-energy point and else 0, base_min
            20 for a device open to RESEAT; `travel` [[region, region, minutes]]; `crews`
            [[crew, class, base region, block, free minutes]], one row a block, in the order in
            which they are to be tried.

    Returns:
        `jobs` [[job, crew, minutes]], in the order given.

    Raises:
        ValueError: malformed input, more than twelve jobs, no travel time between two regions, or
            no crew of a job's class with enough free minutes in its block.

    >>> job = {"job": "z1.edge", "class": "edge", "block": "E", "region": "R2", "access_bp": 800,
    ...        "devices": [[45, 1]]}
    >>> crews = [["c1", "edge", "R1", "E", 60], ["c2", "edge", "R1", "E", 480]]
    >>> run({"jobs": [job], "travel": [["R1", "R2", 20]], "crews": crews})
    {'jobs': [['z1.edge', 'c2', 76]]}
    """
    jobs = field(data, "jobs", list)
    if len(jobs) > MOST:
        raise ValueError(f"{len(jobs)} jobs in one run; give at most {MOST}")
    times = [row(each, TRAVEL, "a travel time") for each in field(data, "travel", list)]
    travel = {(start, end): minutes for start, end, minutes in times}
    crews = [list(row(each, CREW, "a crew's block")) for each in field(data, "crews", list)]
    return {"jobs": [given(entry(each, "a job"), travel, crews) for each in jobs]}


def given(job: dict[str, Any], travel: dict[tuple[str, str], int], crews: list[list[Any]]) -> list[Any]:
    """Give one job to the first crew with enough free minutes, and take them off.

    Raises:
        ValueError: no crew has them.
    """
    name, of_class, block = field(job, "job", str), field(job, "class", str), field(job, "block", str)
    region, work = field(job, "region", str), job_minutes(job)
    for crew in crews:
        if crew[1] == of_class and crew[3] == block:
            minutes = work + between(crew[2], region, travel)
            if minutes <= crew[4]:
                crew[4] -= minutes
                return [name, crew[0], minutes]
    raise ValueError(f"no crew of class '{of_class}' has {work} minutes and travel free in block {block} for '{name}'")


def job_minutes(job: dict[str, Any]) -> int:
    """Return the minutes of a job's devices, without travel."""
    access = field(job, "access_bp", int)
    devices = [row(each, DEVICE, "a device") for each in field(job, "devices", list)]
    return sum(device_minutes(base, access, stored) for base, stored in devices)


def device_minutes(base_min: int, access_bp: int, stored: int) -> int:
    """Return the minutes of a device, rounded up.

    >>> device_minutes(45, 800, 1)
    56
    """
    return -(-base_min * (10000 + access_bp + 1500 * stored) // 10000)


def between(base: str, region: str, travel: dict[tuple[str, str], int]) -> int:
    """Return the travel minutes between two regions, whichever stands first.

    Raises:
        ValueError: there is no travel time for them.
    """
    for pair in ((base, region), (region, base)):
        if pair in travel:
            return travel[pair]
    raise ValueError(f"no travel time between '{base}' and '{region}'; give those of get_brief")


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
