"""Draw up the evidence of a restatement (R12)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

TOTAL = (str, int, int)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """State by how much each restated source's net changed per entity (R12).

    Args:
        data: `sources` [[version, before, after]], for each source that the notice reached the
            version of its aggregate valid now (`AGG:source@n`) and its correct totals
            [[entity, count, net]] just before and just after the notice.

    Returns:
        `evidence` [[version, [[entity, change]]]] by version, changes in minor units by
        entity, without zeros.

    Raises:
        ValueError: malformed input, or a version or entity given twice.

    >>> before, after = [["E02", 1, 300], ["E05", 2, 9052]], [["E05", 2, 9052], ["E08", 1, 300]]
    >>> run({"sources": [["AGG:S03-07@2", before, after]]})
    {'evidence': [['AGG:S03-07@2', [['E02', -300], ['E08', 300]]]]}
    >>> run({"sources": []})
    {'evidence': []}
    """
    found: dict[str, list[list[Any]]] = {}
    for each in field(data, "sources", list):
        version, before, after = row(each, (str, list, list), "a source")
        if version in found:
            raise ValueError(f"version '{version}' is given twice; name each source once")
        found[version] = changes(nets(before), nets(after))
    return {"evidence": [[version, found[version]] for version in sorted(found)]}


def nets(totals: list[Any]) -> dict[str, int]:
    """Return the net of each entity in totals.

    Raises:
        ValueError: a total is malformed or an entity given twice.
    """
    rows = [row(each, TOTAL, "a total") for each in totals]
    found = {entity: net for entity, _, net in rows}
    if len(found) != len(rows):
        raise ValueError("an entity stands twice in one source's totals; give one row for each")
    return found


def changes(before: dict[str, int], after: dict[str, int]) -> list[list[Any]]:
    """Return [entity, after minus before] where that is not zero, by entity."""
    moved = {each: after.get(each, 0) - before.get(each, 0) for each in sorted({*before, *after})}
    return [[entity, change] for entity, change in moved.items() if change]


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
