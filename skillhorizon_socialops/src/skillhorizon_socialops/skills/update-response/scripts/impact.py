"""Name the briefs that a notice affects."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

NAMED = ("conversion_correction", "rerun_order", "calendar_substitution")
REACHING = ("retention_change", "rights_withdrawal")
BRIEF = (str, list, bool)


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Find the briefs a notice affects, as things stood when it came.

    Args:
        data: `kind` of the notice; `refs`, the brief, audience or asset that it names, in a list;
            `briefs` [[brief, uses, scheduled]] of all opened waves, not of the open one alone: its
            audiences for retention_change, the assets of the latest versions of its packages for
            rights_withdrawal, and whether it has a scheduled post. Empty for the other kinds.

    Returns:
        `affected_briefs`, ascending.

    Raises:
        ValueError: malformed input, nothing named, or a kind that is not known.

    >>> briefs = [["b3", ["AU2", "AU3"], True], ["b1", ["AU1", "AU2"], True], ["b2", ["AU2"], False]]
    >>> run({"kind": "retention_change", "refs": ["AU2"], "briefs": briefs})
    {'affected_briefs': ['b1', 'b3']}
    >>> run({"kind": "rights_withdrawal", "refs": ["A7"], "briefs": [["b1", ["A6", "A7"], True], ["b2", ["A6"], True]]})
    {'affected_briefs': ['b1']}
    >>> run({"kind": "rerun_order", "refs": ["b3"], "briefs": []})
    {'affected_briefs': ['b3']}
    """
    kind, refs = field(data, "kind", str), texts(data, "refs")
    briefs = [row(each, BRIEF, "a brief") for each in field(data, "briefs", list)]
    if not refs:
        raise ValueError("field 'refs' is empty; give the brief, audience or asset that the notice names")
    if kind in NAMED:
        return {"affected_briefs": sorted({*refs})}
    if kind not in REACHING:
        raise ValueError(f"kind '{kind}' is unknown; kinds: {', '.join([*NAMED, *REACHING])}")
    return {"affected_briefs": sorted({brief for brief, uses, waits in briefs if waits and {*uses} & {*refs}})}


def field(data: dict[str, Any], name: str, kind: type[T]) -> T:
    """Return a field of the input.

    Raises:
        ValueError: the field is missing or of another JSON type.
    """
    value = data.get(name)
    if type(value) is not kind:
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
