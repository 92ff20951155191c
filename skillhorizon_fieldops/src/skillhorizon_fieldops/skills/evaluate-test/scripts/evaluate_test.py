"""Decide the verdict of tests: corrected samples, their trimmed mean, the limit in force (R6)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

PROCEDURE = (str, int, int, int, str)
SAMPLE = (int, int)
SAMPLES = 6
MOST = 12


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Evaluate up to twelve tests by the editions in force (R6).

    Args:
        data: `tests`, objects with `device`, its `class`, `test` (the version), `offset` of the
            referenced service's commissioning that the test cites (0 without a reference) and
            `samples` [[raw, ambient]], six of them; `procedures`
            [[class, edition, coef_bp, limit, kind]], all editions of those classes.

    Returns:
        `entries`: device, test, edition, value and verdict, in the order given.

    Raises:
        ValueError: malformed input, more than twelve tests, or no edition for a class.

    >>> test = {"device": "d1", "class": "head", "test": "TST:d1@1", "offset": 12, "samples": [
    ...     [836, 44], [829, 43], [841, 44], [826, 45], [833, 44], [838, 43]]}
    >>> run({"tests": [test], "procedures": [["head", 1, 39, 850, "min"]]})
    {'entries': [{'device': 'd1', 'test': 'TST:d1@1', 'edition': 1, 'value': 898, 'verdict': 'pass'}]}
    """
    tests = field(data, "tests", list)
    if len(tests) > MOST:
        raise ValueError(f"{len(tests)} tests in one run; give at most {MOST}")
    editions = [row(each, PROCEDURE, "a procedure") for each in field(data, "procedures", list)]
    return {"entries": [evaluated(entry(each, "a test"), editions) for each in tests]}


def evaluated(test: dict[str, Any], editions: list[list[Any]]) -> dict[str, Any]:
    """Return the entry of one test."""
    edition = in_force(field(test, "class", str), editions)
    value = test_value(field(test, "samples", list), edition[2], field(test, "offset", int))
    verdict = "pass" if passes(value, edition) else "fail"
    device, ref = field(test, "device", str), field(test, "test", str)
    return {"device": device, "test": ref, "edition": edition[1], "value": value, "verdict": verdict}


def in_force(of_class: str, editions: list[list[Any]]) -> list[Any]:
    """Return the last edition of a class.

    Raises:
        ValueError: there is none.
    """
    found = [each for each in editions if each[0] == of_class]
    if not found:
        raise ValueError(f"no edition of the procedure for class '{of_class}'; give those of get_procedure")
    return max(found, key=lambda each: int(each[1]))


def passes(value: int, edition: list[Any]) -> bool:
    """Whether a value keeps an edition's limit.

    Raises:
        ValueError: the limit is neither a minimum nor a maximum.

    >>> passes(850, ["head", 1, 39, 850, "min"]), passes(901, ["mid", 1, 36, 900, "max"])
    (True, False)
    """
    limit, kind = edition[3], edition[4]
    if kind not in ("min", "max"):
        raise ValueError(f"kind '{kind}' of a limit must be 'min' or 'max'")
    return bool(value >= limit if kind == "min" else value <= limit)


def test_value(samples: list[Any], coef_bp: int, offset: int) -> int:
    """Return the mean of the middle four corrected samples, rounded down.

    Raises:
        ValueError: not six samples.

    >>> samples = [[836, 44], [829, 43], [841, 44], [826, 45], [833, 44], [838, 43]]
    >>> [corrected(raw, ambient, 39, 12) for raw, ambient in samples]
    [902, 891, 907, 894, 898, 901]
    >>> test_value(samples, 39, 12)
    898
    """
    if len(samples) != SAMPLES:
        raise ValueError(f"a test has {SAMPLES} samples, not {len(samples)}")
    taken = [row(each, SAMPLE, "a sample") for each in samples]
    ordered = sorted(corrected(raw, ambient, coef_bp, offset) for raw, ambient in taken)
    return sum(ordered[1:-1]) // (SAMPLES - 2)


def corrected(raw: int, ambient: int, coef_bp: int, offset: int) -> int:
    """Return a sample brought to 20 degrees, less the reference's offset."""
    return raw * (10000 + coef_bp * (ambient - 20)) // 10000 - offset


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
