"""Say what becomes of the units that work left over (R3)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

MOST = 12


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Settle the rests of up to twelve reservations (R3).

    Args:
        data: `lines`, objects with `device`, `withdrawn` units, `used` units and the present
            `status` of the batch.

    Returns:
        `lines`: device, returned and scrapped units of every reservation with a rest; the others
        settle by themselves.

    Raises:
        ValueError: malformed input, more than twelve lines, or more used than withdrawn.

    >>> run({"lines": [{"device": "d1", "withdrawn": 4, "used": 3, "status": "released"},
    ...                {"device": "d2", "withdrawn": 6, "used": 4, "status": "quarantined"},
    ...                {"device": "d3", "withdrawn": 2, "used": 2, "status": "released"}]})
    {'lines': [{'device': 'd1', 'returned': 1, 'scrapped': 0}, {'device': 'd2', 'returned': 0, 'scrapped': 2}]}
    """
    lines = field(data, "lines", list)
    if len(lines) > MOST:
        raise ValueError(f"{len(lines)} lines in one run; give at most {MOST}")
    settled = [settlement(entry(each, "a line")) for each in lines]
    return {"lines": [each for each in settled if each["returned"] or each["scrapped"]]}


def settlement(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line's settlement: the rest goes back to a released batch, and is scrapped otherwise.

    Raises:
        ValueError: more was used than withdrawn, or the status is unknown.
    """
    device, status = field(line, "device", str), field(line, "status", str)
    rest = field(line, "withdrawn", int) - field(line, "used", int)
    if rest < 0:
        raise ValueError(f"device '{device}' used {line['used']} units of {line['withdrawn']} withdrawn")
    if status not in ("released", "quarantined"):
        raise ValueError(f"status '{status}' of the batch for '{device}' must be 'released' or 'quarantined'")
    back = status == "released"
    return {"device": device, "returned": rest if back else 0, "scrapped": 0 if back else rest}


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
