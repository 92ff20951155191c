"""Resolve aliases to entities through identity maps and accounts (R1, R4)."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Name the identity map to submit and each alias's entity (R4).

    Args:
        data: `day`, the source's business day; `aliases` to resolve; `maps` of the source's
            declared identity source, objects with `map_id`, `from`, `to`, `rank` and `entries`
            (alias to account); `accounts`, objects with `account`, `rank`, `from`, `to` and
            `entity`. Ranges are days, both ends included; other members are ignored.

    Returns:
        `map_id` of the greatest-rank map that covers the day, and `entities` from alias to
        entity; an alias that no covering map contains is left out.

    Raises:
        ValueError: malformed input, no map covers the day, or an account has no entity then.

    >>> base = {"map_id": "MP-2.0", "from": 0, "to": 9999, "rank": 0,
    ...         "entries": {"K07": "AC-11", "K04": "AC-02"}}
    >>> overlay = {"map_id": "MP-2.1", "from": 310, "to": 340, "rank": 1,
    ...            "entries": {"K07": "AC-19"}}
    >>> values = [["AC-02", 0, 0, 9999, "E08"], ["AC-11", 0, 0, 9999, "E03"],
    ...           ["AC-19", 0, 0, 9999, "E02"], ["AC-19", 1, 300, 399, "E05"]]
    >>> accounts = [dict(zip(("account", "rank", "from", "to", "entity"), v)) for v in values]
    >>> run({"day": 317, "aliases": ["K07", "K04", "K13"], "maps": [base, overlay],
    ...      "accounts": accounts})
    {'map_id': 'MP-2.1', 'entities': {'K04': 'E08', 'K07': 'E05'}}
    """
    day = field(data, "day", int)
    maps = covering(field(data, "maps", list), day)
    if not maps:
        raise ValueError(f"no identity map covers day {day}; give the declared source's maps")
    values = covering(field(data, "accounts", list), day)
    accounts = {name: holder(values, name, day) for name in sorted(wanted(data, maps).values())}
    entities = {alias: accounts[name] for alias, name in sorted(wanted(data, maps).items())}
    return {"map_id": field(maps[-1], "map_id", str), "entities": entities}


def covering(records: list[Any], day: int) -> list[dict[str, Any]]:
    """Return the records whose range contains the day, by ascending rank.

    Raises:
        ValueError: a record is no object or lacks its range or rank.
    """
    for each in records:
        if not isinstance(each, dict):
            raise ValueError(f"a map or account must be an object, not {each!r}")
    found = [r for r in records if field(r, "from", int) <= day <= field(r, "to", int)]
    return sorted(found, key=lambda each: field(each, "rank", int))


def wanted(data: dict[str, Any], maps: list[dict[str, Any]]) -> dict[str, str]:
    """Return the account of each alias: the greatest-rank map that contains it wins."""
    merged: dict[str, str] = {}
    for each in maps:
        merged.update(field(each, "entries", dict))
    return {alias: merged[alias] for alias in field(data, "aliases", list) if alias in merged}


def holder(values: list[dict[str, Any]], account: str, day: int) -> str:
    """Return the entity that an account belongs to (R1); `values` ascend by rank.

    Raises:
        ValueError: no value of the account covers the day.
    """
    names = [field(v, "entity", str) for v in values if v.get("account") == account]
    if not names:
        raise ValueError(f"account '{account}' has no value on day {day}; list that account")
    return names[-1]


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
