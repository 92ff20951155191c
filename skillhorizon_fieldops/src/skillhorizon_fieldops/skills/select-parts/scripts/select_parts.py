"""Choose the batch of spare parts for each case: fit, least derating, first expiring, never the partner's (R3)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

BATCH = (str, str, int, int, int, str)
FIT = (str, str, str, int, int, int)
MOST = 12


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Choose batches for up to twelve cases, each counting on what the ones before it take (R3).

    Args:
        data: `wave`, the open one; `cases`, objects with `device`, `class`, `hw_rev`, the card's
            `family` and `qty`, `pair` (the partner's id or null) and `taken`, the batches
            installed in or reserved for the partner; `batches`
            [[batch, part, expiry_wave, pack, free, status]]; `fits`
            [[family, class, part, rev_lo, rev_hi, derate_bp]].

    Returns:
        `lines`: device, batch and qty of each case, in the order given; `withdrawn`: units that
        leave the batch, by device: whole packs.

    Raises:
        ValueError: malformed input, more than twelve cases, or a case without a usable batch.

    >>> case = {"device": "d1", "class": "edge", "hw_rev": 4, "family": "optic", "qty": 3,
    ...         "pair": "d2", "taken": []}
    >>> batches = [["B2", "P-7", 5, 2, 8, "released"], ["B1", "P-7", 4, 2, 8, "released"],
    ...            ["B0", "P-7", 2, 2, 8, "released"], ["B3", "P-8", 9, 4, 8, "released"]]
    >>> fits = [["optic", "edge", "P-7", 1, 5, 0], ["optic", "edge", "P-8", 1, 9, 1200]]
    >>> run({"wave": 3, "cases": [case], "batches": batches, "fits": fits})
    {'lines': [{'device': 'd1', 'batch': 'B1', 'qty': 3}], 'withdrawn': {'d1': 4}}
    >>> partner = {**case, "device": "d2", "pair": "d1"}
    >>> run({"wave": 3, "cases": [case, partner], "batches": batches, "fits": fits})["lines"][1]
    {'device': 'd2', 'batch': 'B2', 'qty': 3}
    """
    wave, cases = field(data, "wave", int), field(data, "cases", list)
    if len(cases) > MOST:
        raise ValueError(f"{len(cases)} cases in one run; give at most {MOST}")
    fits = [row(each, FIT, "a fit") for each in field(data, "fits", list)]
    stock = Stock(wave, [row(each, BATCH, "a batch") for each in field(data, "batches", list)])
    lines = [stock.take(entry(each, "a case"), fits) for each in cases]
    return {"lines": lines, "withdrawn": stock.withdrawn}


class Stock:
    """The batches at hand, less what earlier cases take."""

    def __init__(self, wave: int, batches: list[list[Any]]) -> None:
        usable = [each for each in batches if each[5] == "released" and each[2] >= wave]
        self.batches = sorted(usable, key=lambda each: (each[2], each[0]))
        self.free = {each[0]: each[4] for each in batches}
        self.chosen: dict[str, str] = {}
        self.withdrawn: dict[str, int] = {}

    def take(self, case: dict[str, Any], fits: list[list[Any]]) -> dict[str, Any]:
        """Take the batch for one case.

        Raises:
            ValueError: no part fits, or no batch of those that fit is usable.
        """
        device, qty = field(case, "device", str), field(case, "qty", int)
        barred = {*texts(case, "taken"), self.chosen.get(str(case.get("pair")), "")}
        for part in fitting(case, fits):
            batch, units = self.first_expiring(part, qty, barred)
            if batch:
                self.free[batch] -= units
                self.chosen[device], self.withdrawn[device] = batch, units
                return {"device": device, "batch": batch, "qty": qty}
        raise ValueError(f"device '{device}' finds no usable batch of a part that fits; list the batches again")

    def first_expiring(self, part: str, qty: int, barred: set[str]) -> tuple[str, int]:
        """Return the batch of a part that expires first among the usable ones, and the units; ('', 0) for none."""
        for batch, of_part, _, pack, _, _ in self.batches:
            units = whole_packs(qty, pack)
            if of_part == part and batch not in barred and self.free[batch] >= units:
                return batch, units
        return "", 0


def fitting(case: dict[str, Any], fits: list[list[Any]]) -> list[str]:
    """Return the parts that fit a case, the least derated first.

    >>> fits = [["optic", "edge", "P-8", 1, 9, 1200], ["optic", "edge", "P-7", 1, 5, 0]]
    >>> fitting({"family": "optic", "class": "edge", "hw_rev": 4}, fits)
    ['P-7', 'P-8']
    >>> fitting({"family": "optic", "class": "edge", "hw_rev": 6}, fits)
    ['P-8']
    """
    family, of_class, rev = field(case, "family", str), field(case, "class", str), field(case, "hw_rev", int)
    found = [
        (derate, part) for f, c, part, low, high, derate in fits if (f, c) == (family, of_class) and low <= rev <= high
    ]
    return [part for _, part in sorted(found)]


def whole_packs(qty: int, pack: int) -> int:
    """Return the units withdrawn for a quantity: whole packs.

    Raises:
        ValueError: the pack or the quantity is not positive.

    >>> whole_packs(3, 2)
    4
    """
    if qty < 1 or pack < 1:
        raise ValueError(f"a quantity and a pack must be positive, not {qty} and {pack}")
    return -(-qty // pack) * pack


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
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
