"""The checks, in the order of the contract (architecture, section 8)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from skillhorizon.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from skillhorizon.conformance.findings import Finding
    from skillhorizon.conformance.subject import Subject

CHECKS = {
    "repeatable": "equal digests in fresh processes with other hash seeds and orders, without clocks and chance",
    "reference": "the reference reaches LGC = TS = 1 without an unexpected rejection",
    "start": "nothing holds at the start; agents that do nothing, only read or stop one step short fail",
    "necessity": "every module is necessary, every edge is real",
    "mutations": "mutations fail where they say, harmless ones pass",
    "orders": "other orders of work differ, fire every update and succeed",
    "rejections": "rejected calls leave the digest",
    "arguments": "no arguments, valid or not, cause an internal error",
    "leaks": "twins answer alike until a call may reveal them",
    "updates": "an update ends accepted work, decoys are marked, ignoring updates fails",
    "scaling": "the workload is about linear in the knob",
    "replays": "a replay is the same to the byte",
    "skills": "skills are valid, their scripts are programs, no task's data in them",
    "unaided": "solvable without skills; every rule and rejection code stands in the handbook",
    "tools": "names, schemas, paging, sizes",
    "reading": "the checker never writes",
    "instruction": "the instruction discloses no order and no skill",
}
"""Name -> what must be provable; each is a module of its name."""


def chosen(only: Iterable[str] = ()) -> list[str]:
    """Return the checks to run, in order.

    Raises:
        UnknownName: when one is asked for that does not exist.
    """
    wanted = list(only)
    for name in wanted:
        if name not in CHECKS:
            raise UnknownName(f"there is no check {name!r}; the checks are {', '.join(CHECKS)}")
    return [name for name in CHECKS if not wanted or name in wanted]


def check_of(name: str) -> Callable[[Subject], Iterator[Finding]]:
    """Import and return a check."""
    found: Callable[[Subject], Iterator[Finding]] = import_module(f"skillhorizon.conformance.{name}").check
    return found
