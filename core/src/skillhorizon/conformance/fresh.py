"""Runs specimens in a process of its own, JSON in and out: `python -m skillhorizon.conformance.fresh`."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

from skillhorizon.conformance.clocks import ClockWatch, clocks_watched, packages_of
from skillhorizon.conformance.guard import overheard
from skillhorizon.conformance.origin import bundle_of, components_of
from skillhorizon.conformance.profiles import FULL
from skillhorizon.conformance.runs import perform
from skillhorizon.conformance.subject import Spot, Subject
from skillhorizon.model.canonical import dumps, loads
from skillhorizon.session.session import Nowhere


def answers(job: dict[str, Any]) -> dict[str, Any]:
    """Return what each of the job's spots comes to: digests at start and end, and of every call in between."""
    origin = job["origin"]
    subject = Subject(origin, components_of(origin, bundle_of(origin)), FULL)
    watch = ClockWatch(packages_of(subject.environment))
    found = {}
    for values in job["spots"]:
        spot = Spot(*values)
        with clocks_watched(watch):
            built = subject.build(spot)
            session = built.session(Nowhere())
            start = session.world.digest()
            run = perform(session)
        calls = [[record.tool, hashlib.sha256(record.line()).hexdigest()] for record in run.records]
        unmet = sorted(run.unmet)
        found[str(spot)] = {"start": start, "calls": calls, "end": run.digest, "unmet": unmet}
        built.close()
    return {"spots": found, "clocks": sorted(watch.seen)}


def main() -> None:
    """Read a job on stdin, write its answers on stdout."""
    job = loads(sys.stdin.buffer.read())
    with overheard():
        said = answers(job)
    sys.stdout.write(dumps(said))


if __name__ == "__main__":
    main()
