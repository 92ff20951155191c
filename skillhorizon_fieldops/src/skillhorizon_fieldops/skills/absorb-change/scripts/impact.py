"""List what has to be done again after a change ended artifacts, each after what it rests on."""

from __future__ import annotations

import json
import sys
from typing import Any, TypeVar

T = TypeVar("T")


def run(data: dict[str, Any]) -> dict[str, Any]:
    """Sort what a change ended into work, tests, certificates and commissionings to be done again.

    Args:
        data: `stale`, the artifact versions that an answer lists as ended; `members`
            {service: [devices]} and `needs` {service: [services it needs]} of the services around
            them; `refs` {device: service that its test refers to}.

    Returns:
        `work`, `tests` and `certificates`: devices; `commissions`: services, each after those it
        needs. What follows from the ended versions is included: a device worked again is tested
        again, a device tested again is certified again, its services are commissioned again, and
        so are the services that need them and the tests that refer to them.

    Raises:
        ValueError: malformed input, or services that need each other in a circle.

    >>> run({"stale": ["COM:s1@1", "TST:d4@1", "CRT:d4@1", "COM:s2@1"],
    ...      "members": {"s1": ["d1"], "s2": ["d4", "d5"], "s3": ["d6"]},
    ...      "needs": {"s2": [], "s3": ["s2"]}, "refs": {"d4": "s1"}})
    {'work': [], 'tests': ['d4'], 'certificates': ['d4'], 'commissions': ['s1', 's2', 's3']}
    >>> run({"stale": ["WRK:d1@1", "BKG:z1.edge@1"], "members": {"s1": ["d1"]}, "needs": {}, "refs": {}})
    {'work': ['d1'], 'tests': ['d1'], 'certificates': ['d1'], 'commissions': ['s1']}
    """
    ended = [named(each) for each in field(data, "stale", list)]
    members, needs = lists(data, "members"), lists(data, "needs")
    refs = {device: field(field(data, "refs", dict), device, str) for device in field(data, "refs", dict)}
    work, tests, certificates, commissions = (
        {subject for kind, subject in ended if kind == wanted} for wanted in ("WRK", "TST", "CRT", "COM")
    )
    size = -1
    while size != len(tests) + len(certificates) + len(commissions):
        size = len(tests) + len(certificates) + len(commissions)
        tests |= work | {device for device, service in refs.items() if service in commissions}
        certificates |= tests
        commissions |= {service for service, devices in members.items() if certificates & set(devices)}
        commissions |= {service for service, needed in needs.items() if commissions & set(needed)}
    return {
        "work": sorted(work),
        "tests": sorted(tests),
        "certificates": sorted(certificates),
        "commissions": needed_first(commissions, needs),
    }


def named(ref: object) -> list[str]:
    """Return kind and subject of an artifact version.

    Raises:
        ValueError: it is no version.

    >>> named("TST:d4@2")
    ['TST', 'd4']
    """
    kind, colon, rest = ref.partition(":") if isinstance(ref, str) else ("", "", "")
    if not (kind and colon and rest):
        raise ValueError(f"a stale version must read like 'TST:d4@1', not {ref!r}")
    return [kind, rest.partition("@")[0]]


def lists(data: dict[str, Any], name: str) -> dict[str, list[str]]:
    """Return a field that maps ids to lists of ids.

    Raises:
        ValueError: it does something else.
    """
    found = field(data, name, dict)
    return {key: texts(found, key) for key in found}


def needed_first(services: set[str], needs: dict[str, list[str]]) -> list[str]:
    """Sort services so that each comes after those it needs, else by id.

    Raises:
        ValueError: some need each other in a circle.

    >>> needed_first({"s1", "s2", "s3"}, {"s1": ["s3"], "s2": ["s1", "s9"]})
    ['s3', 's1', 's2']
    """
    left, ordered = sorted(services), list[str]()
    while left:
        ready = [each for each in left if not set(needs.get(each, [])) & set(left)]
        if not ready:
            raise ValueError(f"services need each other in a circle: {', '.join(left)}")
        ordered += ready
        left = [each for each in left if each not in ready]
    return ordered


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
