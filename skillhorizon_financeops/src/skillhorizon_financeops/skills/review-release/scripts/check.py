"""Find what a reviewer would find in one package (R10)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

RECORD = (str, str, str, int)
CITATION = (str, str, str, int, str)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Compare what a package was submitted with against what governs it (R10).

    Args:
        data: `package`, the submission: `contract_id`, `identity_source_id`, `policy`, `records`
            [[order, alias, entity, minor]] and `citations`
            [[alias, map_id, account, account rank, entity]] through the submitted map;
            `reference`, what the source declares and what governs its day: the same members but
            `records`, the citations through the declared identity source.

    Returns:
        `findings`, the codes F1..F5 that apply, ascending.

    Raises:
        ValueError: malformed input, or a record's alias has no citation.

    >>> reference = {"contract_id": "CT-B", "identity_source_id": "ID-2", "policy": "first",
    ...              "citations": [["K07", "MP-2.1", "AC-19", 1, "E05"]]}
    >>> package = reference | {"records": [["O3071", "K07", "E05", 10901]]}
    >>> run({"package": package, "reference": reference})
    {'findings': []}
    >>> stale = {"contract_id": "CT-A", "citations": [["K07", "MP-2.0", "AC-11", 0, "E03"]]}
    >>> run({"package": package | stale, "reference": reference})
    {'findings': ['F1', 'F3', 'F5']}
    """
    package, reference = field(data, "package", dict), field(data, "reference", dict)
    foreign = differs(package, reference, "identity_source_id")
    found = {
        "F1": differs(package, reference, "contract_id"),
        "F2": foreign,
        "F3": not foreign and outdated(package, reference),
        "F4": differs(package, reference, "policy"),
        "F5": misplaced(package),
    }
    return {"findings": [code for code, holds in found.items() if holds]}


def differs(package: dict[str, Any], reference: dict[str, Any], name: str) -> bool:
    """Whether a submitted choice is not the one that governs or is declared."""
    return field(package, name, str) != field(reference, name, str)


def cited(side: dict[str, Any]) -> dict[str, list[Any]]:
    """Return a side's citations by alias."""
    rows = [row(each, CITATION, "a citation") for each in field(side, "citations", list)]
    return {each[0]: each for each in rows}


def outdated(package: dict[str, Any], reference: dict[str, Any]) -> bool:
    """Whether one of the package's citations is not the governing one."""
    governing = cited(reference)
    return any(governing.get(alias) != each for alias, each in cited(package).items())


def misplaced(package: dict[str, Any]) -> bool:
    """Whether a record names another entity than its citation leads to.

    Raises:
        ValueError: a record's alias has no citation.
    """
    citations = cited(package)
    for each in field(package, "records", list):
        _, alias, entity, _ = row(each, RECORD, "a record")
        if alias not in citations:
            raise ValueError(f"alias '{alias}' has no citation; give one for each alias used")
        if citations[alias][-1] != entity:
            return True
    return False


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
