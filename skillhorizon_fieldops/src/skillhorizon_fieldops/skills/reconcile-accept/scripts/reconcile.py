"""Add a wave's ledger up to its account (R9)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

RESERVATION = (str, str, str, int, int, int, int)
BOOKING = (str, str, int)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Add up the reservations of a wave by part, and the minutes of its bookings (R9).

    Args:
        data: `parts` [[device, part, batch, issued, consumed, returned, scrapped]], all rows of the
            wave's ledger of parts; `crews` [[job, crew, minutes]], all of its ledger of crews.

    Returns:
        `lines` [[part, issued, consumed, returned, scrapped]] by part; `crew_minutes`.

    Raises:
        ValueError: malformed input, or a row whose issued units are not all accounted for.

    >>> parts = [["d1", "P-7", "B1", 4, 3, 1, 0], ["d2", "P-8", "B4", 2, 2, 0, 0], ["d3", "P-7", "B2", 4, 0, 0, 4]]
    >>> run({"parts": parts, "crews": [["z1.edge", "c1", 76], ["z2.head", "c1", 41]]})
    {'lines': [['P-7', 8, 3, 1, 4], ['P-8', 2, 2, 0, 0]], 'crew_minutes': 117}
    """
    sums: dict[str, list[int]] = {}
    for each in field(data, "parts", list):
        device, part, _, *units = row(each, RESERVATION, "a reservation")
        if units[0] != sum(units[1:]):
            raise ValueError(f"the {units[0]} units issued for '{device}' are not all accounted for; settle them")
        sums[part] = [total + unit for total, unit in zip(sums.get(part, [0, 0, 0, 0]), units, strict=True)]
    minutes = sum(row(each, BOOKING, "a booking")[2] for each in field(data, "crews", list))
    return {"lines": [[part, *sums[part]] for part in sorted(sums)], "crew_minutes": minutes}


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
