"""Check 1: equal digests in fresh processes with other hash seeds and orders, without clocks and chance."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from skillhorizon.conformance.findings import Finding
from skillhorizon.conformance.guard import short
from skillhorizon.model.canonical import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skillhorizon.conformance.subject import Spot, Subject

NAME = "repeatable"
found = partial(Finding, check=NAME)
_SETTINGS = ({"PYTHONHASHSEED": "1", "TZ": "UTC"}, {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Auckland"})
_PROGRAM = ("-X", "utf8", "-m", "skillhorizon.conformance.fresh")


def check(subject: Subject) -> Iterator[Finding]:
    """Run specimens in two processes, one in reverse order, and compare what they come to."""
    spots = [specimen.spot for specimen in subject.proven(_spots(subject))]
    if not spots:
        return
    processes = [_start(setting) for setting in _SETTINGS]
    jobs = [dumps({"origin": subject.origin, "spots": [attrs.astuple(s) for s in o]}) for o in (spots, spots[::-1])]
    said = [_heard(process, job, subject.profile.limit) for process, job in zip(processes, jobs, strict=True)]
    faults = [text for text in said if isinstance(text, str)]
    if faults:
        yield found(message="a fresh process cannot run the environment", evidence=faults[0])
        return
    first, second = said
    for clock in sorted({*first["clocks"], *second["clocks"]}):
        yield found(message=f"the environment asks {clock}", evidence="draw from Rng and from the world's clock")
    for spot in map(str, spots):
        yield from _compared(spot, first["spots"][spot], second["spots"][spot])


def _spots(subject: Subject) -> list[Spot]:
    few = subject.few()
    return (
        [*few, *(spot for spot in subject.spots(subject.bands, 1) if spot not in few)] if subject.profile.full else few
    )


def _start(setting: dict[str, str]) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join(str(Path(entry or ".").resolve()) for entry in sys.path)
    environ = {**os.environ, **setting, "PYTHONPATH": paths}
    pipe = subprocess.PIPE
    command = [sys.executable, *_PROGRAM]
    return subprocess.Popen(command, env=environ, stdin=pipe, stdout=pipe, stderr=pipe)  # noqa: S603  # our own program


def _heard(process: subprocess.Popen[bytes], job: str, seconds: float) -> Any:
    """Return what a process answers, or the text of its fault."""
    with process:
        try:
            output, errors = process.communicate(job.encode(), timeout=seconds)
        except BaseException as error:
            process.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                return f"it has not ended after {seconds:g} s"
            raise
    if process.returncode:
        return short(errors.decode(errors="replace").strip(), 1200)
    return loads(output)


def _compared(spot: str, one: dict[str, Any], other: dict[str, Any]) -> Iterator[Finding]:
    if one == other:
        return
    if one["start"] != other["start"]:
        yield found(message=f"two processes build different worlds ({spot})", evidence=_digests(one, other, "start"))
        return
    for number, (a, b) in enumerate(zip(one["calls"], other["calls"], strict=False), 1):
        if a != b:
            told = f"call {number}: {a[0]} and {b[0]}, records {a[1][:12]} and {b[1][:12]}"
            yield found(message=f"two processes run differently from call {number} on ({spot})", evidence=told)
            return
    yield found(message=f"two processes end differently ({spot})", evidence=_digests(one, other, "end"))


def _digests(one: dict[str, Any], other: dict[str, Any], part: str) -> str:
    return f"{part}: {one[part][:16]} and {other[part][:16]}; unmet: {one['unmet']} and {other['unmet']}"
