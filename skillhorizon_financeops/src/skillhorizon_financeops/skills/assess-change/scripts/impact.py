"""Decide which packages a notice of changed reference data or rows reaches."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")

Facts = dict[str, Any]
LIMIT = 20
SELECTABLE = ("sale", "correction")


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Split packages into those that a notice reaches and the others (topic `updates`).

    Args:
        data: `notice`, with its `kind` and that kind's fields; `packages`, at most 20 objects
            with `source_id` and what the kind needs.
            map_superseded: `day`, `identity_source_id` and `citations`
            [[alias, map_id, account, account rank]] (a fifth member, the entity, may follow);
            account_reassigned: `day`, `citations`; contract_superseded: `day`, `format`;
            source_amended: `policy`, `codes` of the governing contract, `columns` (with
            `added_version`) and all `rows` in the source's order.

    Returns:
        `affected` and `unaffected` source ids, sorted.

    Raises:
        ValueError: malformed input, an unknown kind, or more than 20 packages.

    >>> package = {"source_id": "S03-07", "day": 317, "format": "FB", "identity_source_id": "ID-2",
    ...            "citations": [["K07", "MP-2.1", "AC-19", 1], ["K04", "MP-2.0", "AC-02", 0]]}
    >>> notice = {"kind": "map_superseded", "identity_source_id": "ID-2", "map_id": "MP-2.2",
    ...           "aliases": ["K04", "K09"], "from": 300, "to": 420}
    >>> late = package | {"source_id": "S05-01", "day": 500}
    >>> run({"notice": notice, "packages": [late, package]})
    {'affected': ['S03-07'], 'unaffected': ['S05-01']}
    >>> moved = {"kind": "account_reassigned", "account": "AC-11", "from": 0, "to": 999}
    >>> run({"notice": moved, "packages": [package]})
    {'affected': [], 'unaffected': ['S03-07']}
    """
    notice, packages = field(data, "notice", dict), field(data, "packages", list)
    reaches = RULES.get(field(notice, "kind", str))
    if reaches is None:
        raise ValueError(f"notice kind '{notice['kind']}' is unknown; kinds: {', '.join(RULES)}")
    if len(packages) > LIMIT:
        raise ValueError(f"{len(packages)} packages in one run; give at most {LIMIT}")
    found = {named(each): reaches(notice, each) for each in packages}
    names = sorted(found)
    return {
        "affected": [name for name in names if found[name]],
        "unaffected": [name for name in names if not found[name]],
    }


def named(package: object) -> str:
    """Return a package's source id.

    Raises:
        ValueError: the package is no object or has no source id.
    """
    if not isinstance(package, dict):
        raise ValueError(f"a package must be an object, not {package!r}")
    return field(package, "source_id", str)


def in_range(notice: Facts, package: Facts) -> bool:
    """Whether the package's day lies in the notice's range, both ends included."""
    return field(notice, "from", int) <= field(package, "day", int) <= field(notice, "to", int)


def cited(package: Facts, place: int) -> set[str]:
    """Return what a package's citations name at a place (0 alias, 2 account).

    Raises:
        ValueError: a citation is malformed.
    """
    found: set[str] = set()
    for each in field(package, "citations", list):
        if not isinstance(each, list) or len(each) not in (4, 5):
            raise ValueError(f"a citation must be [alias, map_id, account, rank], not {each!r}")
        found.add(each[place])
    return found


def by_map(notice: Facts, package: Facts) -> bool:
    """Whether a superseded map rules one of the aliases that the package uses on its day."""
    same = field(package, "identity_source_id", str) == field(notice, "identity_source_id", str)
    used = cited(package, 0) & set(field(notice, "aliases", list))
    return in_range(notice, package) and same and bool(used)


def by_account(notice: Facts, package: Facts) -> bool:
    """Whether a reassigned account stands behind one of the package's aliases on its day."""
    return in_range(notice, package) and field(notice, "account", str) in cited(package, 2)


def by_contract(notice: Facts, package: Facts) -> bool:
    """Whether a superseding contract governs the package's format on its day."""
    same = field(package, "format", str) == field(notice, "format", str)
    return in_range(notice, package) and same


def by_rows(notice: Facts, package: Facts) -> bool:
    """Whether the rows added last change the package's selection (R2).

    >>> package = {"source_id": "S03-07", "policy": "latest_revision",
    ...            "codes": {"10": "sale", "20": "correction", "70": "metadata"},
    ...            "columns": ["order", "rev", "code", "party", "amt", "added_version"],
    ...            "rows": [["O3071", 1, "10", "K07", 900, 1], ["O3071", 2, "20", "K07", 800, 2]]}
    >>> by_rows({"sources": ["S03-07"]}, package)
    True
    >>> by_rows({"sources": ["S03-07"]}, package | {"policy": "first"})
    False
    """
    if package["source_id"] not in field(notice, "sources", list):
        return False
    rows = [cells(package, each) for each in field(package, "rows", list)]
    newest = max((each["added_version"] for each in rows), default=0)
    before = [each for each in rows if each["added_version"] < newest]
    return selection(package, before) != selection(package, rows)


def cells(package: Facts, values: object) -> Facts:
    """Return a row's cells by column name, with the kind of its code.

    Raises:
        ValueError: the row does not fit the columns, or its code has no kind.
    """
    columns = field(package, "columns", list)
    if not isinstance(values, list) or len(values) != len(columns):
        raise ValueError(f"row {values!r} does not have the {len(columns)} cells of 'columns'")
    found = dict(zip(columns, values, strict=True))
    kind = field(package, "codes", dict).get(field(found, "code", str))
    if kind is None:
        raise ValueError(f"code '{found['code']}' has no kind; give the governing contract's codes")
    found["kind"] = kind
    field(found, "rev", int)
    field(found, "added_version", int)
    return found


def selection(package: Facts, rows: list[Facts]) -> dict[str, Facts | None]:
    """Return the row that stands for each order, None for an excluded one (R2).

    Raises:
        ValueError: the policy is neither `first` nor `latest_revision`.
    """
    orders: dict[str, list[Facts]] = {}
    for each in rows:
        orders.setdefault(field(each, "order", str), []).append(each)
    choose = POLICIES.get(field(package, "policy", str))
    if choose is None:
        raise ValueError(f"policy '{package['policy']}' must be 'first' or 'latest_revision'")
    chosen = {order: choose(found) for order, found in orders.items()}
    return {order: each for order, each in chosen.items() if each is not None}


def earliest(rows: list[Facts]) -> Facts | None:
    """Return the first row when it is a sale or correction."""
    return rows[0] if rows[0]["kind"] in SELECTABLE else None


def latest(rows: list[Facts]) -> Facts | None:
    """Return the sale or correction with the greatest revision, None after a withdrawal."""
    if any(each["kind"] == "withdrawn" for each in rows):
        return None
    usable = [each for each in rows if each["kind"] in SELECTABLE]
    return max(usable, key=lambda each: field(each, "rev", int), default=None)


POLICIES = {"first": earliest, "latest_revision": latest}
RULES = {
    "map_superseded": by_map,
    "account_reassigned": by_account,
    "contract_superseded": by_contract,
    "source_amended": by_rows,
}


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
